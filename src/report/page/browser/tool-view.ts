import type { PageData, PageFinding, PageTool } from "../page-data.js";
import { codeBlock, h, lazyDetails } from "./dom.js";
import { OVERVIEW, addressInPage } from "./address.js";
import { effectBadge, tokens, versionOf } from "./parts.js";
import { count } from "../../layout.js";
import { findingCards } from "./findings-view.js";
import { schemaTree } from "./schema-tree.js";

/** Shows a tool: description, calls, schemas, drift and history. */
export function toolView(data: PageData, tool: PageTool, isKnown: (tool: string) => boolean): HTMLElement {
  const findings = (data.report?.findings ?? []).filter((finding) => isAbout(finding, tool));
  return h(
    "article",
    { class: "tool" },
    h(
      "p",
      { class: "crumbs" },
      h("a", { href: OVERVIEW }, "Overview"),
      " / ",
      h("a", { href: addressInPage(tool.server) }, tool.server),
    ),
    h("h1", { tabindex: -1 }, tool.name),
    tool.title !== undefined && tool.title !== tool.name && h("p", { class: "subtitle" }, tool.title),
    h(
      "p",
      { class: "badges" },
      effectBadge(tool),
      h("span", { class: "badge" }, tool.category),
      h("span", { class: "badge" }, tokens(tool.tokens, tool.isEstimate)),
      ...tool.hints.map((hint) => h("span", { class: "badge plain" }, hint)),
    ),
    tool.unusable !== undefined &&
      h("p", { class: "warning" }, `No code is generated for this tool: ${tool.unusable}`),
    tool.description !== "" && h("p", { class: "description" }, tool.description),
    ownerView(tool),
    findings.length > 0 &&
      section(
        "Drift",
        ...findingCards(data.report, (_, name) => isKnown(name))(findings).map((card) => card.element()),
      ),
    section("Input", schemaTree(tool.input), rawSchema("input schema", tool.input)),
    tool.output !== undefined &&
      section("Output", schemaTree(tool.output), rawSchema("output schema", tool.output)),
    (tool.code !== undefined || tool.command !== undefined) &&
      section(
        "Call",
        tool.code !== undefined && codeBlock(tool.code, "TypeScript call"),
        tool.command !== undefined && codeBlock(tool.command, "command line"),
      ),
    tool.signature !== undefined && section("TypeScript", codeBlock(tool.signature, "TypeScript signature")),
    historyView(data, tool, isKnown),
  );
}

function section(title: string, ...children: readonly (HTMLElement | undefined | false)[]): HTMLElement {
  return h("section", {}, h("h2", {}, title), ...children);
}

function rawSchema(label: string, schema: PageTool["input"]): HTMLElement {
  return lazyDetails(["JSON Schema"], () => [codeBlock(JSON.stringify(schema, undefined, 2), label)], {
    className: "raw",
  });
}

function ownerView({ ability }: PageTool): HTMLElement | undefined {
  if (ability === undefined) return undefined;
  const { name, plugin, file } = ability;
  const rows = [
    ["Ability", name],
    ["Plugin", plugin],
    ["Registered in", file],
  ] as const;
  return h(
    "dl",
    { class: "facts" },
    ...rows.flatMap(([term, text]) =>
      text === undefined ? [] : [h("div", {}, h("dt", {}, term), h("dd", {}, h("code", {}, text)))],
    ),
  );
}

/** The versions of the contract that changed the tool. */
function historyView(
  data: PageData,
  tool: PageTool,
  isKnown: (tool: string) => boolean,
): HTMLElement | undefined {
  const history = data.servers.find(({ name }) => name === tool.server)?.history ?? [];
  const versions = history.flatMap(({ findings, ...version }) => {
    const own = findings.filter((finding) => isAbout(finding, tool));
    return own.length === 0 ? [] : [{ ...version, own }];
  });
  if (versions.length === 0) return undefined;
  return section(
    "History",
    ...versions.map(({ own, ...version }) =>
      versionOf(version, count(own.length, "change"), () =>
        findingCards(undefined, (_, name) => isKnown(name))(own).map((card) => card.element()),
      ),
    ),
  );
}

function isAbout({ server, tools }: PageFinding, tool: PageTool): boolean {
  return server === tool.server && tools.includes(tool.name);
}

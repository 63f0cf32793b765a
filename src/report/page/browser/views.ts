import { formatNumber } from "../../../core/printable.js";
import { count } from "../../layout.js";
import {
  addressInPage,
  FINDINGS,
  OVERVIEW,
  type PageData,
  type PageFinding,
  type PageServer,
  type PageTool,
} from "../page-data.js";
import {
  codeBlock,
  countEffects,
  day,
  effectBadge,
  effectDot,
  h,
  lazyDetails,
  shareBar,
  tokens,
  versionOf,
} from "./dom.js";
import { findingCards } from "./findings-view.js";
import { schemaTree } from "./schema-tree.js";

const MOST_EXPENSIVE = 8;
const MOST_ENTRIES = 200;

/** Shows all servers: their tools, with cost and effects. */
export function overview(data: PageData): HTMLElement {
  const { servers, tools, report } = data;
  const sum = servers.reduce((total, server) => total + server.tokens, 0);
  const isEstimate = servers.some((server) => server.isEstimate);
  const destroying = tools.filter((tool) => tool.effect === "destroys").length;
  const unstated = tools.filter((tool) => tool.effect === "unstated").length;
  return h(
    "article",
    {},
    h("h1", { tabindex: -1 }, servers.length === 0 ? data.title : "Tools of your MCP servers"),
    h(
      "div",
      { class: "tiles" },
      report !== undefined && reportTile(report.findings.length, report.clean, report.work),
      tile(formatNumber(servers.length), servers.length === 1 ? "server" : "servers"),
      tile(formatNumber(tools.length), tools.length === 1 ? "tool" : "tools"),
      tile(`${isEstimate ? "≈ " : ""}${formatNumber(sum)}`, "tokens, if a model reads every tool"),
      tile(
        formatNumber(destroying),
        `${destroying === 1 ? "tool destroys" : "tools destroy"}${unstated === 0 ? "" : `; effect not stated: ${formatNumber(unstated)}`}`,
        destroying === 0 ? "" : "destroys",
      ),
    ),
    servers.length > 0 && serverTable(servers, tools),
    tools.length > 0 && expensive(tools),
    tools.length > 0 && categories(tools),
  );
}

function tile(figure: string, words: string, className = ""): HTMLElement {
  return h("div", { class: `tile ${className}` }, h("strong", {}, figure), h("span", {}, words));
}

function reportTile(findings: number, clean: string, work: string): HTMLElement {
  return h(
    "a",
    { class: `tile ${findings === 0 ? "clean" : "found"}`, href: FINDINGS },
    h("strong", {}, findings === 0 ? clean : count(findings, "change")),
    h("span", {}, work),
  );
}

function serverTable(servers: readonly PageServer[], tools: readonly PageTool[]): HTMLElement {
  const hasHistory = servers.some(({ history }) => history !== undefined);
  const rows = servers.map((server) => {
    const own = tools.filter((tool) => tool.server === server.name);
    const { shares, text } = countEffects(own);
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, h("a", { href: addressInPage(server.name) }, server.name)),
      h("td", { "data-label": "Contract" }, server.contract),
      h("td", { "data-label": "Tools", class: "figure" }, formatNumber(own.length)),
      h("td", { "data-label": "Tokens", class: "figure" }, formatNumber(server.tokens)),
      h("td", { "data-label": "Effects" }, shareBar(shares), h("span", { class: "quiet small" }, text)),
      hasHistory &&
        h("td", { "data-label": "Last change", class: "date" }, day(server.history?.[0]?.date ?? "")),
    );
  });
  const heads = ["Server", "Contract", "Tools", "Tokens", "Effects", ...(hasHistory ? ["Last change"] : [])];
  return h(
    "section",
    {},
    h("h2", {}, "Servers"),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Servers" },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
        h("tbody", {}, ...rows),
      ),
    ),
  );
}

function expensive(tools: readonly PageTool[]): HTMLElement {
  const most = [...tools].sort((a, b) => b.tokens - a.tokens).slice(0, MOST_EXPENSIVE);
  const top = most[0]?.tokens ?? 1;
  return h(
    "section",
    {},
    h("h2", {}, "Most expensive tools"),
    h(
      "ol",
      { class: "ranking" },
      ...most.map((tool) =>
        h(
          "li",
          {},
          h("a", { href: addressInPage(tool.server, tool.name) }, tool.name),
          h("span", { class: "quiet" }, tokens(tool.tokens, tool.isEstimate)),
          shareBar([
            ["filled", tool.tokens],
            ["rest", top - tool.tokens],
          ]),
        ),
      ),
    ),
  );
}

function categories(tools: readonly PageTool[]): HTMLElement {
  const sums = new Map<string, number>();
  for (const { category } of tools) sums.set(category, (sums.get(category) ?? 0) + 1);
  const sorted = [...sums].sort(([, a], [, b]) => b - a);
  return h(
    "section",
    {},
    h("h2", {}, "Categories"),
    h(
      "ul",
      { class: "chips" },
      ...sorted
        .slice(0, 40)
        .map(([name, amount]) =>
          h("li", { class: "badge" }, `${name} `, h("span", { class: "number" }, String(amount))),
        ),
    ),
  );
}

/** Shows one server: its identity, its tools by category, its other lists and its history. */
export function serverView(
  data: PageData,
  server: PageServer,
  isKnown: (tool: string) => boolean,
): HTMLElement {
  const own = data.tools.filter((tool) => tool.server === server.name);
  const facts = [
    ["Contract", server.contract],
    ["Identity", server.identity],
    ["Protocol", server.protocol],
    ["Cost", tokens(server.tokens, server.isEstimate)],
  ] as const;
  return h(
    "article",
    {},
    h("p", { class: "crumbs" }, h("a", { href: OVERVIEW }, "Overview")),
    h("h1", { tabindex: -1 }, server.name),
    h(
      "dl",
      { class: "facts" },
      ...facts.flatMap(([term, text]) =>
        text === undefined ? [] : [h("div", {}, h("dt", {}, term), h("dd", {}, text))],
      ),
    ),
    server.instructions !== undefined &&
      h("section", {}, h("h2", {}, "Instructions"), h("p", { class: "description" }, server.instructions)),
    h(
      "section",
      {},
      h("h2", {}, count(own.length, "tool")),
      h(
        "ul",
        { class: "columns" },
        ...own.map((tool) =>
          h("li", {}, effectDot(tool), h("a", { href: addressInPage(tool.server, tool.name) }, tool.name)),
        ),
      ),
    ),
    ...server.entries.map(({ list, ids }) =>
      h(
        "section",
        {},
        h("h2", {}, count(ids.length, list.replace(/s$/, ""))),
        h(
          "ul",
          { class: "columns" },
          ...ids.slice(0, MOST_ENTRIES).map((id) => h("li", {}, h("code", {}, id))),
        ),
      ),
    ),
    historyOf(server, isKnown),
  );
}

function historyOf({ history }: PageServer, isKnown: (tool: string) => boolean): HTMLElement | undefined {
  if (history === undefined || history.length === 0) return undefined;
  return h(
    "section",
    {},
    h("h2", {}, "History"),
    ...history.map(({ tools, findings, left, ...version }) => {
      const counted = `${count(findings.length + left, "change")}, ${count(tools, "tool")}`;
      return versionOf(version, counted, () => [
        ...(findings.length === 0 ? [h("p", { class: "quiet" }, "The first version.")] : []),
        ...findingCards(undefined, (_, tool) => isKnown(tool))(findings).map((card) => card.element()),
        left > 0 && h("p", { class: "quiet" }, `and ${count(left, "more change")}`),
      ]);
    }),
  );
}

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

import { formatNumber } from "../../../core/printable.js";
import { count } from "../../layout.js";
import {
  addressInPage,
  FINDINGS,
  type PageData,
  type PageFinding,
  type PageServer,
  type PageTool,
} from "../page-data.js";
import {
  codeBlock,
  countEffects,
  crumbs,
  day,
  effectBadge,
  effectDot,
  h,
  lazyDetails,
  section,
  shareBar,
  tokens,
  toolLink,
} from "./dom.js";
import { findingCards, type Page } from "./findings-view.js";
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
    h("h1", { tabindex: -1 }, servers.length === 0 ? data.title : "Tools of your MCP servers"),
    h(
      "div.tiles",
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
  );
}

function tile(figure: string, words: string, className = ""): HTMLElement {
  return h("div", { class: `tile ${className}` }, h("strong", figure), h("span", words));
}

function reportTile(findings: number, clean: string, work: string): HTMLElement {
  return h(
    "a",
    { class: `tile ${findings === 0 ? "clean" : "found"}`, href: FINDINGS },
    h("strong", findings === 0 ? clean : count(findings, "change")),
    h("span", work),
  );
}

function serverTable(servers: readonly PageServer[], tools: readonly PageTool[]): HTMLElement {
  const hasHistory = servers.some(({ history }) => history !== undefined);
  const rows = servers.map((server) => {
    const own = tools.filter((tool) => tool.server === server.name);
    const { shares, text } = countEffects(own);
    return h(
      "tr",
      h("th", { scope: "row" }, h("a", { href: addressInPage(server.name) }, server.name)),
      h("td", { "data-label": "Contract" }, server.contract),
      h("td", { "data-label": "Tools", class: "figure" }, formatNumber(own.length)),
      h("td", { "data-label": "Tokens", class: "figure" }, formatNumber(server.tokens)),
      h("td", { "data-label": "Effects" }, shareBar(shares), h("span.quiet.small", text)),
      hasHistory &&
        h("td", { "data-label": "Last change", class: "date" }, day(server.history?.[0]?.date ?? "")),
    );
  });
  const heads = ["Server", "Contract", "Tools", "Tokens", "Effects", ...(hasHistory ? ["Last change"] : [])];
  return section(
    "Servers",
    h(
      "div.scroll",
      { tabindex: 0, role: "region", "aria-label": "Servers" },
      h(
        "table",
        h("thead", h("tr", ...heads.map((head) => h("th", { scope: "col" }, head)))),
        h("tbody", ...rows),
      ),
    ),
  );
}

function expensive(tools: readonly PageTool[]): HTMLElement {
  const most = [...tools].sort((a, b) => b.tokens - a.tokens).slice(0, MOST_EXPENSIVE);
  const top = most[0]?.tokens ?? 1;
  return section(
    "Most expensive tools",
    h(
      "ol.ranking",
      ...most.map((tool) =>
        h(
          "li",
          toolLink(tool),
          h("span.quiet", tokens(tool.tokens, tool.isEstimate)),
          shareBar([
            ["filled", tool.tokens],
            ["rest", top - tool.tokens],
          ]),
        ),
      ),
    ),
  );
}

/** Shows one server: its identity, its tools by category, its other lists and its history. */
export function serverView(page: Page, server: PageServer): HTMLElement {
  const own = page.tools.filter((tool) => tool.server === server.name);
  return h(
    "article",
    crumbs(),
    h("h1", { tabindex: -1 }, server.name),
    factList([
      ["Contract", server.contract],
      ["Identity", server.identity],
      ["Protocol", server.protocol],
      ["Cost", tokens(server.tokens, server.isEstimate)],
    ]),
    server.instructions !== undefined && section("Instructions", h("p.description", server.instructions)),
    section(
      count(own.length, "tool"),
      h("ul.columns", ...own.map((tool) => h("li", effectDot(tool), toolLink(tool)))),
    ),
    ...server.entries.map(({ list, ids }) =>
      section(
        count(ids.length, list.replace(/s$/, "")),
        h("ul.columns", ...ids.slice(0, MOST_ENTRIES).map((id) => h("li", h("code", id)))),
      ),
    ),
    historyView(page, server),
  );
}

function factList(facts: readonly (readonly [string, HTMLElement | string | undefined])[]): HTMLElement {
  const rows = facts.flatMap(([term, text]) =>
    text === undefined ? [] : [h("div", h("dt", term), h("dd", text))],
  );
  return h("dl.facts", ...rows);
}

/** The versions of a contract, or those that changed a tool. Each opens its changes. */
function historyView(page: Page, { history = [] }: PageServer, tool?: PageTool): HTMLElement | false {
  const ofTool = (finding: PageFinding): boolean => tool === undefined || isAbout(finding, tool);
  const versions = history
    .map((version) => ({ ...version, findings: version.findings.filter(ofTool) }))
    .filter(({ findings }) => tool === undefined || findings.length > 0)
    .map(({ contract, date, commit, subject, tools, findings, left: others }) => {
      const left = tool === undefined ? others : 0;
      const counts = [count(findings.length + left, "change"), ...(tool ? [] : [count(tools, "tool")])];
      const head = [
        h("strong", contract ?? "removed"),
        h("span.quiet", ` ${day(date)} · `),
        h("code", commit),
        h("span", ` ${subject}`),
        h("span.number", counts.join(", ")),
      ];
      return lazyDetails("details.version", head, () => [
        findings.length === 0 && h("p.quiet", "The first version."),
        ...findingCards(findings, page),
        left > 0 && h("p.quiet", `and ${count(left, "more change")}`),
      ]);
    });
  return versions.length > 0 && section("History", ...versions);
}

/** Shows a tool: description, calls, schemas, drift and history. */
export function toolView(page: Page, tool: PageTool): HTMLElement {
  const findings = (page.report?.findings ?? []).filter((finding) => isAbout(finding, tool));
  const server = page.servers.find(({ name }) => name === tool.server);
  const { ability } = tool;
  const codeOf = (text: string | undefined): HTMLElement | undefined =>
    text === undefined ? undefined : h("code", text);
  return h(
    "article.tool",
    crumbs(tool.server),
    h("h1", { tabindex: -1 }, tool.name),
    tool.title !== undefined && tool.title !== tool.name && h("p.subtitle", tool.title),
    h(
      "p.badges",
      effectBadge(tool),
      h("span.badge", tool.category),
      h("span.badge", tokens(tool.tokens, tool.isEstimate)),
      ...tool.hints.map((hint) => h("span.badge.plain", hint)),
    ),
    tool.unusable !== undefined && h("p.warning", `No code is generated for this tool: ${tool.unusable}`),
    tool.description !== "" && h("p.description", tool.description),
    ability !== undefined &&
      factList([
        ["Ability", codeOf(ability.name)],
        ["Plugin", codeOf(ability.plugin)],
        ["Registered in", codeOf(ability.file)],
      ]),
    findings.length > 0 && section("Drift", ...findingCards(findings, page)),
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
    server !== undefined && historyView(page, server, tool),
  );
}

function rawSchema(label: string, schema: PageTool["input"]): HTMLElement {
  const print = (): string => JSON.stringify(schema, undefined, 2);
  return lazyDetails("details.raw", ["JSON Schema"], () => [codeBlock(print(), label)]);
}

function isAbout({ server, tools }: PageFinding, tool: PageTool): boolean {
  return server === tool.server && tools.includes(tool.name);
}

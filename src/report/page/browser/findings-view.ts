import {
  addressInPage,
  type PageData,
  type PageEdit,
  type PageFinding,
  type PageReport,
} from "../page-data.js";
import { diffLines, type DiffLine } from "./side-by-side.js";
import { button, classBadges, codeBlock, crumbs, h, lazyDetails, markedText, prose, section } from "./dom.js";
import { groupBy } from "../../../core/collections.js";
import { count } from "../../layout.js";
import { CLASSES, pairedTree, type TreeEdit, witnessView } from "./schema-tree.js";

/** How many cards are added at once. */
const BATCH = 60;

export interface Page extends PageData {
  /** Whether the page shows a tool. */
  readonly isKnown: (server: string, tool: string) => boolean;
}

/** Shows the findings of a check or a comparison. */
export function findingsView(page: Page): HTMLElement {
  const { report, title, tools } = page;
  if (report === undefined) return h("p", "Nothing was compared.");
  const { findings } = report;
  const list = h("div.findings");
  const show = (shown: readonly PageFinding[]): void => {
    list.replaceChildren();
    addBatch(list, groupFindings(shown), page);
  };
  const filters = [...CLASSES, "security"].flatMap((name) => {
    const own = findings.filter((each) => (name === "security" ? each.security : each.class === name));
    if (own.length === 0) return [];
    const attributes = { class: `badge filter ${name}`, "aria-pressed": "false" };
    const filter = button(`${own.length} ${name}`, attributes, () => {
      const isChosen = filter.getAttribute("aria-pressed") !== "true";
      for (const each of filters) each.setAttribute("aria-pressed", String(each === filter && isChosen));
      show(isChosen ? own : findings);
    });
    return [filter];
  });
  show(findings);
  return h(
    "article",
    tools.length > 0 && crumbs(),
    h("h1", { tabindex: -1 }, findings.length === 0 ? report.clean : count(findings.length, "change")),
    h("p.subtitle", `${title}: ${report.work}`),
    filters.length > 1 && h("div.badges", { role: "group", "aria-label": "Show only" }, ...filters),
    findings.length > 0 && h("h2.hidden", "Changes"),
    list,
    ...sectionsOf(report),
  );
}

function sectionsOf({ repairs, note, sections }: PageReport): readonly (HTMLElement | false)[] {
  return [
    note !== undefined && h("p.description", note),
    repairs.length > 0 &&
      h(
        "section",
        ...repairs.map(({ command, does }) => h("div", h("p", `${does}:`), codeBlock(command, does))),
      ),
    ...sections.map(({ title, lines }) =>
      section(title, h("ul.notes", ...lines.map((line) => h("li", line)))),
    ),
  ];
}

type FindingGroup = readonly [PageFinding, ...PageFinding[]];

/** Groups findings about the schemas of one tool, in their order. Each other finding is a group. */
function groupFindings(findings: readonly PageFinding[]): readonly FindingGroup[] {
  const groups = groupBy(findings, (finding) => {
    const [schemas, ...others] = new Set(finding.edits.map((edit) => edit.schemas));
    return schemas === undefined || others.length > 0 || finding.tools.length > 1 ? finding : schemas;
  });
  return [...groups.values()];
}

function addBatch(list: HTMLElement, groups: readonly FindingGroup[], page: Page): void {
  list.append(...groups.slice(0, BATCH).map((group) => cardOf(group, page)));
  const rest = groups.slice(BATCH);
  if (rest.length === 0) return;
  const more = button(`Show ${count(rest.flat().length, "more change")}`, { class: "more" }, () => {
    more.remove();
    addBatch(list, rest, page);
  });
  list.append(more);
}

/** Returns cards for findings, in their order: those about the schemas of one tool share a card. */
export function findingCards(findings: readonly PageFinding[], page: Page): readonly HTMLElement[] {
  return groupFindings(findings).map((group) => cardOf(group, page));
}

/** Shows findings of the same tools: what changed, before and after, a witness, and whom it affects. */
function cardOf(group: FindingGroup, { report, isKnown }: Page): HTMLElement {
  const [{ server, environment, tools, class: worst }] = group;
  const subjects = tools.length === 0 ? ["the server itself"] : tools;
  const place = environment === undefined ? server : `${server} (${environment})`;
  const names = subjects.slice(0, 6).map((tool) => {
    const isLink = tools.length > 0 && isKnown(server, tool);
    return isLink ? h("a", { href: addressInPage(server, tool) }, tool) : h("span", tool);
  });
  const edits = group.flatMap((finding) =>
    finding.edits.map((edit, at): TreeEdit => ({
      ...edit,
      finding,
      pointer: edit.path.replace(/^\/(?:input|output)Schema/, ""),
      isWitnessed: finding.witness?.edit === at,
    })),
  );
  const { trees, others } = treesOf(edits, report);
  // A tree has the witnesses of its edits.
  const inTrees = new Set(
    edits.filter((edit) => edit.isWitnessed && !others.includes(edit)).map(({ finding }) => finding),
  );
  const texts = group.map((finding) =>
    findingView(finding, {
      // A tree has the places of all its findings.
      places: group.length > 1 ? placesOf(finding) : [],
      showsWitness: !inTrees.has(finding),
    }),
  );
  return h(
    "article",
    { class: `card ${worst}` },
    h(
      "h3",
      h("span.quiet", `${place} / `),
      ...names.flatMap((name, at) => (at === 0 ? [name] : [", ", name])),
      subjects.length > 6 && ` and ${subjects.length - 6} more`,
    ),
    ...(group.length > 1 ? [...trees, ...texts] : [...texts, ...trees]),
    ...others.map((edit) => editView(edit, tools.length > 1)),
  );
}

function placesOf({ edits }: PageFinding): readonly string[] {
  return [...new Set(edits.map(({ place }) => place))].slice(0, 3);
}

const SCHEMAS = [
  { side: "inputSchema", title: "Input" },
  { side: "outputSchema", title: "Output" },
] as const;

/** A tree for each changed schema whose two sides are known, that of the first tool open; and the other edits. */
function treesOf(
  edits: readonly TreeEdit[],
  report: PageReport | undefined,
): { readonly trees: readonly HTMLElement[]; readonly others: readonly TreeEdit[] } {
  const { schemas = [], sides = ["Before", "After"] } = report ?? {};
  const groups = groupBy(edits, (edit) => edit.schemas ?? -1);
  const others = groups.get(-1) ?? [];
  const treesIn = (at: number, own: readonly TreeEdit[]): readonly HTMLElement[] =>
    SCHEMAS.flatMap(({ side, title }) => {
      const inside = own.filter(({ path }) => path.startsWith(`/${side}`));
      if (inside.length === 0) return [];
      const pair = { before: schemas[at]?.before[side], after: schemas[at]?.after[side] };
      return [h("h4", title), pairedTree(pair, inside, sides)];
    });
  const [first, ...rest] = [...groups].filter(([at]) => at >= 0);
  const trees = first === undefined ? [] : treesIn(...first);
  if (rest.length === 0) return { trees, others };
  const more = lazyDetails("details.kept", [`The same in ${count(rest.length, "more tool")}`], () =>
    rest.map(([at, own]) => lazyDetails("details.kept", [h("code", own[0].tool)], () => treesIn(at, own))),
  );
  return { trees: [...trees, more], others };
}

function findingView(
  finding: PageFinding,
  { places, showsWitness }: { readonly places: readonly string[]; readonly showsWitness: boolean },
): HTMLElement {
  const { rules, says, left, witness, notes } = finding;
  return h(
    "section",
    { class: `finding ${finding.class}` },
    h(
      "header",
      ...classBadges(finding),
      ...places.map((place) => h("code", place)),
      h("code.rule", rules.join(", ")),
    ),
    h("p", says),
    left > 0 && h("p.quiet", `and ${count(left, "more edit")}: "--json" lists them all`),
    showsWitness && witness !== undefined && witnessView(witness),
    notes.length > 0 &&
      h(
        "ul.notes",
        ...notes.map(({ quote, text }) =>
          h("li", quote !== undefined && [h("code", quote), " "], ...prose(text)),
        ),
      ),
  );
}

function editView({ tool, place, before, after }: PageEdit, isNamed: boolean): HTMLElement | undefined {
  const where = [...(isNamed && tool !== undefined ? [tool] : []), ...(place === "" ? [] : [place])].join(
    " ",
  );
  if (before === undefined && after === undefined && where === "") return undefined;
  const caption = where === "" ? "definition" : where;
  const lines = diffLines(before, after);
  return h(
    "figure.diff",
    h("figcaption", caption),
    lines.length > 0 &&
      h(
        "div.lines",
        { tabindex: 0, role: "region", "aria-label": `Before and after: ${caption}` },
        ...lines.map(lineView),
      ),
  );
}

const WORDS = { "-": "removed", "+": "added", " ": "kept" } as const;

function lineView(line: DiffLine): HTMLElement {
  const { sign } = line;
  return h(
    "div",
    { class: `line ${WORDS[sign]}` },
    h("span.sign", { "aria-hidden": "true" }, sign === "-" ? "−" : sign),
    sign !== " " && h("span.hidden", `${WORDS[sign]}: `),
    h("span.text", ...markedText(line)),
  );
}

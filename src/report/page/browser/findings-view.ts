import {
  addressInPage,
  OVERVIEW,
  type PageData,
  type PageEdit,
  type PageFinding,
  type PageReport,
  type PageSchemas,
} from "../page-data.js";
import { diffLines, type DiffLine } from "./side-by-side.js";
import { button, classBadges, codeBlock, h, lazyDetails, markedText, prose, section } from "./dom.js";
import { groupBy } from "../../../core/collections.js";
import { count } from "../../layout.js";
import { pairedTree, type TreeEdit, witnessView } from "./schema-tree.js";

/** How many cards are added at once. */
const BATCH = 60;

const CLASSES = ["breaking", "dangerous", "unknown", "safe"] as const;

/** Shows the findings of a check or a comparison. */
export function findingsView(
  { report, title, tools }: PageData,
  isKnown: (server: string, tool: string) => boolean,
): HTMLElement {
  if (report === undefined) return h("p", {}, "Nothing was compared.");
  const { findings } = report;
  const cardsOf = findingCards(report, isKnown);
  const list = h("div", { class: "findings" });
  const show = (shown: readonly PageFinding[]): void => {
    list.replaceChildren();
    addBatch(list, cardsOf(shown));
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
    {},
    tools.length > 0 && h("p", { class: "crumbs" }, h("a", { href: OVERVIEW }, "Overview")),
    h("h1", { tabindex: -1 }, findings.length === 0 ? report.clean : count(findings.length, "change")),
    h("p", { class: "subtitle" }, `${title}: ${report.work}`),
    filters.length > 1 && h("div", { class: "badges", role: "group", "aria-label": "Show only" }, ...filters),
    findings.length > 0 && h("h2", { class: "hidden" }, "Changes"),
    list,
    ...sectionsOf(report),
  );
}

function sectionsOf({ repairs, note, sections }: PageReport): readonly (HTMLElement | false)[] {
  return [
    note !== undefined && h("p", { class: "description" }, note),
    repairs.length > 0 &&
      h(
        "section",
        {},
        ...repairs.map(({ command, does }) => h("div", {}, h("p", {}, `${does}:`), codeBlock(command, does))),
      ),
    ...sections.map(({ title, lines }) =>
      section(title, h("ul", { class: "notes" }, ...lines.map((line) => h("li", {}, line)))),
    ),
  ];
}

function addBatch(list: HTMLElement, cards: readonly FindingCard[]): void {
  for (const card of cards.slice(0, BATCH)) list.append(card.element());
  const rest = cards.slice(BATCH);
  const findings = rest.reduce((sum, card) => sum + card.findings, 0);
  if (findings === 0) return;
  const more = button(`Show ${count(findings, "more change")}`, { class: "more" }, () => {
    more.remove();
    addBatch(list, rest);
  });
  list.append(more);
}

/** One or more findings. */
interface FindingCard {
  readonly findings: number;
  readonly element: () => HTMLElement;
}

/** Returns cards for findings, in their order: those about the schemas of one tool share a card. */
export function findingCards(
  report: Pick<PageReport, "schemas" | "sides"> | undefined,
  isKnown: (server: string, tool: string) => boolean,
): (findings: readonly PageFinding[]) => readonly FindingCard[] {
  const byTool = new Map(report?.schemas.map((schemas) => [keyOfSchemas(schemas), schemas]));
  const schemasOf = ({ server, environment }: PageFinding, tool: string): PageSchemas | undefined =>
    byTool.get(keyOfSchemas({ server, environment, tool }));
  const sharedOf = (finding: PageFinding): PageSchemas | undefined => {
    const [tool, ...others] = finding.tools;
    if (tool === undefined || others.length > 0 || finding.edits.length === 0) return undefined;
    return finding.edits.every((edit) => sideOfPath(edit.path) !== undefined)
      ? schemasOf(finding, tool)
      : undefined;
  };
  return (findings) =>
    [...groupBy(findings, (finding) => sharedOf(finding) ?? finding).values()].map((group) => ({
      findings: group.length,
      element: () =>
        cardOf(group, { schemasOf, sides: report?.sides ?? ["Before", "After"] }, (tool) =>
          isKnown(group[0].server, tool),
        ),
    }));
}

function keyOfSchemas({
  server,
  environment = "",
  tool,
}: Pick<PageSchemas, "server" | "environment" | "tool">): string {
  return JSON.stringify([server, environment, tool]);
}

const SCHEMA_PATH = /^\/(inputSchema|outputSchema)(?=\/|$)/;

function sideOfPath(path: string): "inputSchema" | "outputSchema" | undefined {
  const side = SCHEMA_PATH.exec(path)?.[1];
  return side === "inputSchema" || side === "outputSchema" ? side : undefined;
}

interface CardContext {
  readonly schemasOf: (finding: PageFinding, tool: string) => PageSchemas | undefined;
  readonly sides: PageReport["sides"];
}

/** Shows findings of the same tools: what changed, before and after, a witness, and whom it affects. */
function cardOf(
  group: readonly [PageFinding, ...PageFinding[]],
  context: CardContext,
  isKnown: (tool: string) => boolean,
): HTMLElement {
  const [{ server, environment, tools, class: worst }] = group;
  const subjects = tools.length === 0 ? ["the server itself"] : tools;
  const place = environment === undefined ? server : `${server} (${environment})`;
  const names = subjects.slice(0, 6).map((tool) => {
    const isLink = tools.length > 0 && isKnown(tool);
    return isLink ? h("a", { href: addressInPage(server, tool) }, tool) : h("span", {}, tool);
  });
  const edits = group.flatMap((finding) =>
    finding.edits.map((edit, at): FindingEdit => ({
      ...edit,
      finding,
      isWitnessed: finding.witness?.edit === at,
    })),
  );
  const { trees, others } = treesOf(edits, context);
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
      {},
      h("span", { class: "quiet" }, `${place} / `),
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

interface FindingEdit extends PageEdit, Pick<TreeEdit, "isWitnessed"> {
  readonly finding: PageFinding;
}

const SCHEMA_NAMES = { inputSchema: "Input", outputSchema: "Output" } as const;

/** A tree for each changed schema whose two sides are known, that of the first tool open; and the other edits. */
function treesOf(
  edits: readonly FindingEdit[],
  { schemasOf, sides }: CardContext,
): { readonly trees: readonly HTMLElement[]; readonly others: readonly FindingEdit[] } {
  const others: FindingEdit[] = [];
  const byTool = new Map<PageSchemas, FindingEdit[]>();
  for (const edit of edits) {
    const { tool = "", finding, path } = edit;
    const schemas = sideOfPath(path) && schemasOf(finding, tool);
    if (schemas === undefined) others.push(edit);
    else byTool.set(schemas, [...(byTool.get(schemas) ?? []), edit]);
  }
  const treesIn = (schemas: PageSchemas, own: readonly FindingEdit[]): readonly HTMLElement[] =>
    (["inputSchema", "outputSchema"] as const).flatMap((side) => {
      const inside = own
        .filter(({ path }) => sideOfPath(path) === side)
        .map((edit) => ({ ...edit, pointer: edit.path.replace(SCHEMA_PATH, "") }));
      if (inside.length === 0) return [];
      const pair = { before: schemas.before[side], after: schemas.after[side] };
      return [h("h4", {}, SCHEMA_NAMES[side]), pairedTree(pair, inside, sides)];
    });
  const [first, ...rest] = [...byTool];
  const trees = first === undefined ? [] : treesIn(...first);
  if (rest.length === 0) return { trees, others };
  const more = lazyDetails(
    [`The same in ${count(rest.length, "more tool")}`],
    () =>
      rest.map(([schemas, own]) =>
        lazyDetails([h("code", {}, schemas.tool)], () => treesIn(schemas, own), { className: "kept" }),
      ),
    { className: "kept" },
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
      {},
      ...classBadges(finding),
      ...places.map((place) => h("code", {}, place)),
      h("code", { class: "rule" }, rules.join(", ")),
    ),
    h("p", {}, says),
    left > 0 && h("p", { class: "quiet" }, `and ${count(left, "more edit")}: "--json" lists them all`),
    showsWitness && witness !== undefined && witnessView(witness),
    notes.length > 0 &&
      h(
        "ul",
        { class: "notes" },
        ...notes.map(({ quote, text }) =>
          h("li", {}, quote !== undefined && [h("code", {}, quote), " "], ...prose(text)),
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
    "figure",
    { class: "diff" },
    h("figcaption", {}, caption),
    lines.length > 0 &&
      h(
        "div",
        { class: "lines", tabindex: 0, role: "region", "aria-label": `Before and after: ${caption}` },
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
    h("span", { class: "sign", "aria-hidden": "true" }, sign === "-" ? "−" : sign),
    sign !== " " && h("span", { class: "hidden" }, `${WORDS[sign]}: `),
    h("span", { class: "text" }, ...markedText(line)),
  );
}

import type { PageData, PageEdit, PageFinding, PagePlace, PageReport } from "../page-data.js";
import { diffLines, type DiffLine } from "./diff-lines.js";
import { button, codeBlock, h, prose } from "./dom.js";
import { OVERVIEW, addressInPage } from "./address.js";
import { count } from "../../layout.js";
import { classBadges } from "./parts.js";

/** How many findings are added at once. */
const BATCH = 60;

const CLASSES = ["breaking", "dangerous", "unknown", "safe"] as const;

/** Shows the findings of a check or a comparison. */
export function findingsView(
  { report, title, tools }: PageData,
  isKnown: (server: string, tool: string) => boolean,
): HTMLElement {
  if (report === undefined) return h("p", {}, "Nothing was compared.");
  const { findings } = report;
  const list = h("div", { class: "findings" });
  const present = CLASSES.filter((name) => findings.some((finding) => finding.class === name));
  const hasSecurity = findings.some(({ security }) => security);
  let chosen = "";
  const show = (): void => {
    const fitting = findings.filter(
      (finding) => chosen === "" || finding.class === chosen || (chosen === "security" && finding.security),
    );
    list.replaceChildren();
    addBatch(list, fitting, isKnown);
  };
  const filters = [...present, ...(hasSecurity ? ["security"] : [])].map((name) => {
    const amount = findings.filter((each) =>
      name === "security" ? each.security : each.class === name,
    ).length;
    const filter = button(
      `${amount} ${name}`,
      { class: `badge filter ${name}`, "aria-pressed": "false" },
      () => {
        chosen = chosen === name ? "" : name;
        for (const each of filters)
          each.setAttribute("aria-pressed", String(each === filter && chosen !== ""));
        show();
      },
    );
    return filter;
  });
  show();
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

/** The other lists of the report, and the commands that fix the findings. */
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
      h(
        "section",
        {},
        h("h2", {}, title),
        h("ul", { class: "notes" }, ...lines.map((line) => h("li", {}, line))),
      ),
    ),
  ];
}

function addBatch(
  list: HTMLElement,
  [...findings]: readonly PageFinding[],
  isKnown: (server: string, tool: string) => boolean,
): void {
  for (const finding of findings.splice(0, BATCH)) {
    list.append(findingCard(finding, (tool) => isKnown(finding.server, tool)));
  }
  if (findings.length === 0) return;
  const more = button(`Show ${count(findings.length, "more change")}`, { class: "more" }, () => {
    more.remove();
    addBatch(list, findings, isKnown);
  });
  list.append(more);
}

/** How many places are shown before the reader asks for the others. */
const MOST_PLACES = 8;

const VERDICTS = {
  breaks: "breaks",
  "may-break": "may break",
  "until-pull": "rejects answers until it pulls",
  none: "not affected",
} as const;

/** Shows a finding: what changed, before and after, a witness, and whom it affects. */
export function findingCard(finding: PageFinding, isKnown: (tool: string) => boolean): HTMLElement {
  const { server, environment, tools, rules, says, edits, left, witness, notes, php } = finding;
  const subjects = tools.length === 0 ? ["the server itself"] : tools;
  const place = environment === undefined ? server : `${server} (${environment})`;
  const names = subjects.slice(0, 6).map((tool) => {
    const isLink = tools.length > 0 && isKnown(tool);
    return isLink ? h("a", { href: addressInPage(server, tool) }, tool) : h("span", {}, tool);
  });
  return h(
    "article",
    { class: `card finding ${finding.class}` },
    h("header", {}, ...classBadges(finding), h("code", { class: "rule" }, rules.join(", "))),
    h(
      "h3",
      {},
      h("span", { class: "quiet" }, `${place} / `),
      ...names.flatMap((name, at) => (at === 0 ? [name] : [", ", name])),
      subjects.length > 6 && ` and ${subjects.length - 6} more`,
    ),
    h("p", {}, says),
    ...edits.map((edit) => editView(edit, tools.length > 1)),
    left > 0 && h("p", { class: "quiet" }, `and ${count(left, "more edit")}: "--json" lists them all`),
    witness !== undefined &&
      h(
        "div",
        { class: "witness" },
        h("h4", {}, `This value ${witness.says}`),
        codeBlock(witness.json, "witness"),
      ),
    notes.length > 0 && h("ul", { class: "notes" }, ...notes.map((note) => h("li", {}, ...prose(note)))),
    placeList(
      "PHP",
      php.map((text) => ({ place: text, says: "" })),
    ),
    placeList("Your code", finding.callSites),
    placeList("Files that agents read", finding.mentions),
    consumerList(finding),
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

const WORDS = { "-": "removed", "+": "added", " ": "" } as const;

function lineView({ sign, text, mark }: DiffLine): HTMLElement {
  const [from, to] = mark ?? [0, 0];
  const body =
    mark === undefined ? [text] : [text.slice(0, from), h("mark", {}, text.slice(from, to)), text.slice(to)];
  const kind = { "-": "removed", "+": "added", " ": "kept" }[sign];
  return h(
    "div",
    { class: `line ${kind}` },
    h("span", { class: "sign", "aria-hidden": "true" }, sign === "-" ? "−" : sign),
    sign !== " " && h("span", { class: "hidden" }, `${WORDS[sign]}: `),
    h("span", { class: "text" }, ...body),
  );
}

/** Shows places in files, or nothing without places. */
function placeList(title: string, places: readonly PagePlace[]): HTMLElement | undefined {
  if (places.length === 0) return undefined;
  const items = places.map(({ place, says, effect }) =>
    h(
      "li",
      {},
      h("code", {}, place),
      says !== "" && [" ", ...prose(says)],
      effect !== undefined && h("span", { class: "quiet" }, ` (${effect})`),
    ),
  );
  const rest = items.slice(MOST_PLACES);
  return h(
    "div",
    { class: "places" },
    h("h4", {}, title, h("span", { class: "number" }, String(places.length))),
    h("ul", {}, ...items.slice(0, MOST_PLACES)),
    rest.length > 0 &&
      h("details", {}, h("summary", {}, count(rest.length, "more place")), h("ul", {}, ...rest)),
  );
}

function consumerList({ consumers }: PageFinding): HTMLElement | undefined {
  if (consumers === undefined) return undefined;
  const items = consumers.map(({ consumer, effect, says }) =>
    h(
      "li",
      {},
      h("span", { class: `badge ${effect}` }, VERDICTS[effect]),
      " ",
      h("strong", {}, consumer),
      " ",
      ...prose(says),
    ),
  );
  return h(
    "div",
    { class: "places" },
    h("h4", {}, "Consumers", h("span", { class: "number" }, String(items.length))),
    items.length === 0
      ? h("p", { class: "quiet" }, "No known consumer uses this server.")
      : h("ul", {}, ...items),
  );
}

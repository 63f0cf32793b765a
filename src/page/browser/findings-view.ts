import type { PageData, PageFinding, PageReport } from "../page-data.js";
import { button, codeBlock, count, h } from "./dom.js";
import { findingCard } from "./finding-card.js";
import { OVERVIEW } from "./address.js";

/** How many findings are made at once. */
const BATCH = 60;

const CLASSES = ["breaking", "dangerous", "unknown", "safe"] as const;

/** Shows what a check or a comparison found. */
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

/** What else was found, and the commands that fix it. */
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

import { addressInPage, type PageData, type PageFinding, type PageTool } from "../page-data.js";
import { effectDot, EFFECTS, h } from "./dom.js";
import { createSearch } from "./search-tools.js";
import { count } from "../../layout.js";
import { EFFECT_WORDS } from "../../../core/snapshot.js";

/** The list of tools beside the views, and its search field. */
export interface ToolList {
  readonly element: HTMLElement;
  readonly field: HTMLInputElement;
  /** Marks the tool or the server that the page shows. */
  readonly mark: (address: string) => void;
  /** Moves the focus in the list by one row. */
  readonly move: (step: 1 | -1) => void;
  /** Opens the first tool of the list, and leaves the search field. */
  readonly openFirst: () => void;
  /** Clears the search; returns false if there was nothing to clear. */
  readonly clear: () => boolean;
}

export function createToolList({ tools, report }: PageData): ToolList {
  const search = createSearch(tools);
  const changes = worstChanges(report?.findings ?? []);
  const hasServers = new Set(tools.map(({ server }) => server)).size > 1;
  const changeOf = ({ server, name }: PageTool): ChangeKind | undefined =>
    changes.get(addressInPage(server, name));
  const rows = new Map(tools.map((tool) => [tool, rowOf(tool, changeOf(tool), hasServers)]));
  const list = h("ul.rows", { "aria-label": "Tools" });
  const status = h("p.status", { role: "status" });
  const field = h("input", {
    type: "search",
    placeholder: "Search tools",
    "aria-label": "Search tools",
    "aria-keyshortcuts": "/",
    autocomplete: "off",
    spellcheck: "false",
  });
  let shown: readonly PageTool[] = [];
  const show = (): void => {
    const query = field.value;
    shown = search(query);
    list.replaceChildren(...shown.flatMap((tool) => rows.get(tool) ?? []));
    status.textContent = statusOf(query.trim(), shown.length, tools.length);
    document.body.toggleAttribute("data-searching", query.trim() !== "");
  };
  field.addEventListener("input", show);
  show();
  const links = (): readonly HTMLAnchorElement[] => [...list.querySelectorAll("a")];
  return {
    element: h(
      "nav.side",
      { "aria-label": "Tools" },
      h("div.search", field, h("kbd", { "aria-hidden": "true" }, "/")),
      status,
      list,
      legendOf(tools, changes),
    ),
    field,
    mark: (address) => {
      for (const link of links()) {
        if (link.getAttribute("href") !== address) link.removeAttribute("aria-current");
        else {
          link.setAttribute("aria-current", "page");
          link.scrollIntoView({ block: "nearest" });
        }
      }
    },
    move: (step) => {
      const all = links();
      const focused = all.findIndex((link) => link === document.activeElement);
      const current = focused >= 0 ? focused : all.findIndex((link) => link.hasAttribute("aria-current"));
      const next = current < 0 ? 0 : Math.max(0, Math.min(all.length - 1, current + step));
      all[next]?.focus();
    },
    openFirst: () => {
      const [first] = links();
      if (first === undefined) return;
      field.blur();
      first.click();
    },
    clear: () => {
      if (field.value === "") return false;
      field.value = "";
      show();
      return true;
    },
  };
}

function statusOf(query: string, shown: number, all: number): string {
  if (query === "") return count(all, "tool");
  if (shown > 0) return `${shown} of ${count(all, "tool")}`;
  return `No tool has "${query}" in its name, title, properties, values, category or description.`;
}

/** How a tool changed, worst first. The other changes are those of its class. */
const CHANGES = {
  removed: "removed",
  breaking: "breaking change",
  dangerous: "dangerous change",
  unknown: "change that is not proved",
  renamed: "renamed",
  added: "new",
  safe: "safe change",
} as const;
type ChangeKind = keyof typeof CHANGES;
const KINDS = Object.keys(CHANGES) as readonly ChangeKind[];

/** Returns the worst change of each tool in the findings, by address. */
function worstChanges(findings: readonly PageFinding[]): ReadonlyMap<string, ChangeKind> {
  const worst = new Map<string, ChangeKind>();
  for (const finding of findings) {
    const kind = kindOf(finding);
    for (const name of finding.tools) {
      const address = addressInPage(finding.server, name);
      const known = worst.get(address);
      if (known === undefined || KINDS.indexOf(kind) < KINDS.indexOf(known)) worst.set(address, kind);
    }
  }
  return worst;
}

function kindOf({ rules, class: judged }: PageFinding): ChangeKind {
  for (const kind of ["removed", "renamed", "added"] as const)
    if (rules.includes(`tool-${kind}`)) return kind;
  return judged;
}

/** Explains the dots that the list has. */
function legendOf(tools: readonly PageTool[], changes: ReadonlyMap<string, ChangeKind>): HTMLElement {
  const effects = EFFECTS.flatMap((effect) => tools.find((tool) => tool.effect === effect) ?? []);
  const kinds = new Set(changes.values());
  return h(
    "ul.legend",
    { "aria-label": "Legend" },
    ...effects.map((tool) => h("li", effectDot(tool), EFFECT_WORDS[tool.effect])),
    ...KINDS.filter((kind) => kinds.has(kind)).map((kind) => h("li", changeDot(kind), CHANGES[kind])),
  );
}

function changeDot(kind: string): HTMLElement {
  return h("span", { class: `change ${kind}`, "aria-hidden": "true" });
}

function rowOf(tool: PageTool, change: ChangeKind | undefined, hasServers: boolean): HTMLLIElement {
  const { server, name } = tool;
  const title = change === undefined ? name : `${name}: ${CHANGES[change]}`;
  return h(
    "li",
    h(
      "a",
      { href: addressInPage(server, name), title },
      effectDot(tool),
      h("span.name", name),
      change !== undefined && [changeDot(change), h("span.hidden", CHANGES[change])],
      hasServers && h("span.server", server),
    ),
  );
}

import type { PageData, PageFinding, PageTool } from "../page-data.js";
import { h } from "./dom.js";
import { addressInPage } from "./address.js";
import { createSearch } from "./search-tools.js";
import { count } from "../../layout.js";
import { effectDot } from "./parts.js";

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
  const badges = badgesOf(report?.findings ?? []);
  const hasServers = new Set(tools.map(({ server }) => server)).size > 1;
  const rows = new Map(
    tools.map((tool) => [
      tool,
      rowOf(tool, { badge: badges.get(addressInPage(tool.server, tool.name)), hasServers }),
    ]),
  );
  const list = h("ul", { class: "rows", "aria-label": "Tools" });
  const status = h("p", { class: "status", role: "status" });
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
    status.textContent =
      query.trim() === "" ? count(tools.length, "tool") : `${shown.length} of ${count(tools.length, "tool")}`;
    document.body.toggleAttribute("data-searching", query.trim() !== "");
  };
  field.addEventListener("input", show);
  show();
  const links = (): readonly HTMLAnchorElement[] => [...list.querySelectorAll("a")];
  return {
    element: h(
      "nav",
      { class: "side", "aria-label": "Tools" },
      h("div", { class: "search" }, field, h("kbd", { "aria-hidden": "true" }, "/")),
      status,
      list,
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

/** The kind of change of each tool in the findings, by address. */
function badgesOf(findings: readonly PageFinding[]): ReadonlyMap<string, string> {
  const badges = new Map<string, string>();
  for (const { server, tools, rules } of findings) {
    const [whole] = rules.flatMap((rule) => /^tool-(added|removed|renamed)$/.exec(rule)?.[1] ?? []);
    for (const name of tools) {
      const address = addressInPage(server, name);
      // That a tool is gone matters more than what else changed in it.
      if (whole !== undefined || !badges.has(address)) badges.set(address, whole ?? "changed");
    }
  }
  return badges;
}

function rowOf(
  tool: PageTool,
  { badge, hasServers }: { readonly badge: string | undefined; readonly hasServers: boolean },
): HTMLLIElement {
  const { server, name } = tool;
  return h(
    "li",
    {},
    h(
      "a",
      { href: addressInPage(server, name), title: name },
      effectDot(tool),
      h("span", { class: "name" }, name),
      badge !== undefined && h("span", { class: `changed ${badge}` }, badge),
      hasServers && h("span", { class: "server" }, server),
    ),
  );
}

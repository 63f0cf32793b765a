/** The script of a page. It reads the data beside it, shows the view of the address, and handles keys. */
import { addressInPage, encodePart, FINDINGS, OVERVIEW, type PageData } from "../page-data.js";
import { append, button, h, openAll } from "./dom.js";
import { findingsView, type Page } from "./findings-view.js";
import { overview, serverView, toolView } from "./views.js";
import { createToolList } from "./tool-list.js";

// `renderPage` writes this JSON.
const data = JSON.parse(document.getElementById("data")?.textContent ?? "") as PageData;
const byAddress = new Map(data.tools.map((tool) => [addressInPage(tool.server, tool.name), tool]));
const page: Page = { ...data, isKnown: (server, tool) => byAddress.has(addressInPage(server, tool)) };

const list = createToolList(data);
const main = h("main", { id: "view" });

/** The first view: the findings of a check, or else all tools. */
const start = (data.report?.findings.length ?? 0) > 0 ? FINDINGS : OVERVIEW;

function viewOf(address: string): HTMLElement {
  if (address === FINDINGS) return findingsView(page);
  const tool = byAddress.get(address);
  if (tool !== undefined) return toolView(page, tool);
  const server = data.servers.find(({ name }) => addressInPage(name) === address);
  if (server !== undefined) return serverView(page, server);
  if (data.tools.length === 0 && data.report !== undefined) return findingsView(page);
  const view = overview(data);
  if (address === OVERVIEW) return view;
  view.prepend(h("p.warning", `This page has nothing at "${address}".`));
  return view;
}

/** The address in the form of `addressInPage`: browsers and people encode names differently. */
function currentAddress(): string {
  const { hash } = location;
  if (hash === "" || hash === "#") return start;
  try {
    return `#${hash.slice(1).split("/").map(decodeURIComponent).map(encodePart).join("/")}`;
  } catch {
    return hash;
  }
}

function show(): void {
  const address = currentAddress();
  const view = viewOf(address);
  main.replaceChildren(view);
  document.body.dataset["view"] = address === OVERVIEW ? "overview" : "detail";
  document.body.removeAttribute("data-searching");
  list.mark(address);
  const heading = view.querySelector("h1");
  document.title = address === start ? data.title : `${heading?.textContent ?? ""} · ${data.title}`;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement;
}

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isInList = list.element.contains(document.activeElement);
  const keys = isTyping(event.target) ? FIELD_KEYS : isInList ? LIST_KEYS : PAGE_KEYS;
  const action = keys[event.key];
  if (action === undefined) return;
  action();
  event.preventDefault();
}

type Action = () => void;

const next: Action = () => {
  list.move(1);
};
const previous: Action = () => {
  list.move(-1);
};
const FIELD_KEYS: Readonly<Record<string, Action>> = {
  ArrowDown: next,
  Enter: list.openFirst,
  Escape: () => {
    if (!list.clear()) list.field.blur();
  },
};
const PAGE_KEYS: Readonly<Record<string, Action>> = {
  "/": () => {
    list.field.focus();
    list.field.select();
  },
  j: next,
  k: previous,
  Escape: () => {
    if (!list.clear()) location.hash = OVERVIEW;
  },
};
/** In a view, arrows scroll. */
const LIST_KEYS: Readonly<Record<string, Action>> = { ...PAGE_KEYS, ArrowDown: next, ArrowUp: previous };

append(document.body, [
  h("a.skip", { href: "#view" }, "Skip to the content"),
  h(
    "header.top",
    h("a.brand", { href: "#" }, "mcp-codegen"),
    h("span.title", data.title),
    data.report !== undefined && h("a.button", { href: FINDINGS }, "Changes"),
    button("Print", { class: "button print" }, () => {
      print();
    }),
  ),
  h("div.layout", data.tools.length > 0 && list.element, main),
]);
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  main.querySelector("h1")?.focus();
});
if (data.tools.length === 0) document.body.classList.add("alone");
addEventListener("hashchange", () => {
  show();
  scrollTo(0, 0);
  // Screen readers announce the new heading.
  if (!isTyping(document.activeElement)) main.querySelector("h1")?.focus({ preventScroll: true });
});
addEventListener("keydown", onKey);
addEventListener("beforeprint", () => {
  openAll(main);
});
show();
performance.mark("mcp-codegen-ready");

if (data.isServed) {
  new EventSource("events").addEventListener("change", () => {
    location.reload();
  });
}

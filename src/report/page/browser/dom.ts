import { formatNumber } from "../../../core/printable.js";
import { EFFECT_WORDS, type StatedEffect } from "../../../core/snapshot.js";
import { addressInPage, OVERVIEW, type PageFinding, type PageTool } from "../page-data.js";

type Child = Node | string | false | undefined | readonly Child[];

interface Attributes {
  readonly [name: string]: string | number | boolean | undefined;
}

/** Hidden characters, and those that reorder the text around them. Line breaks and tabs stay. */
const HIDDEN = /(?![\n\t]|\uFE0F)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Escapes the characters that browsers hide or obey, as in `\u{202E}`. */
function visible(text: string): string {
  return text.replace(
    HIDDEN,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}

type Tag = keyof HTMLElementTagNameMap;

/** Returns an element for a tag with classes, such as `p.quiet`. Strings become text nodes, never HTML. */
export function h<T extends Tag>(
  selector: T | `${T}.${string}`,
  ...parts: readonly (Attributes | Child)[]
): HTMLElementTagNameMap[T] {
  const [tag = "", ...classes] = selector.split(".");
  const element = document.createElement(tag) as HTMLElementTagNameMap[T];
  if (classes.length > 0) element.setAttribute("class", classes.join(" "));
  append(element, parts);
  return element;
}

/** Appends children to an element, and sets its attributes; false and undefined are left out. */
export function append(element: Element, parts: readonly (Attributes | Child)[]): void {
  for (const part of parts) {
    if (part === undefined || part === false) continue;
    if (typeof part === "string") element.append(visible(part));
    else if (part instanceof Node) element.append(part);
    else if (isList(part)) append(element, part);
    else
      for (const [name, value] of Object.entries(part))
        if (value !== undefined && value !== false)
          element.setAttribute(name, value === true ? "" : visible(String(value)));
  }
}

function isList(part: Attributes | readonly Child[]): part is readonly Child[] {
  return Array.isArray(part);
}

/** Returns a sentence whose parts in backticks are code. */
export function prose(text: string): readonly Child[] {
  return text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? h("code", part) : part));
}

/** Returns a text with a marked part. */
export function markedText({
  text,
  mark: [from, to] = [0, 0],
}: {
  readonly text: string;
  readonly mark?: readonly [from: number, to: number];
}): readonly Child[] {
  return [text.slice(0, from), to > from && h("mark", text.slice(from, to)), text.slice(to)];
}

/** Returns a button that calls `onClick`. */
export function button(label: string, attributes: Attributes, onClick: () => void): HTMLButtonElement {
  const element = h("button", { type: "button", ...attributes }, label);
  element.addEventListener("click", onClick);
  return element;
}

const fillers = new WeakMap<HTMLDetailsElement, () => void>();

/** Returns a disclosure that creates its content when it is first opened. */
export function lazyDetails(
  selector: "details" | `details.${string}`,
  summary: readonly Child[],
  content: () => readonly Child[],
  isOpen = false,
): HTMLDetailsElement {
  const details = h(selector, h("summary", ...summary));
  const fill = (): void => {
    if (!fillers.delete(details)) return;
    append(details, content());
  };
  fillers.set(details, fill);
  if (isOpen) {
    fill();
    details.open = true;
  }
  details.addEventListener("toggle", fill);
  return details;
}

/** The most disclosures to open at once: schemas that refer to each other may have millions. */
const MOST_OPENED = 2_000;

/**
 * Opens all disclosures below an element, as for printing, except those that repeat one above them, since a
 * recursive schema would have no end, and those that hold no change.
 */
export function openAll(parent: ParentNode): void {
  let left = MOST_OPENED;
  for (;;) {
    const closed = [...parent.querySelectorAll("details:not([open], .raw, .again, .kept)")]
      .filter((details) => details instanceof HTMLDetailsElement)
      .slice(0, left);
    if (closed.length === 0) return;
    for (const details of closed) {
      fillers.get(details)?.();
      details.open = true;
    }
    left -= closed.length;
  }
}

/** Returns a block of code with a button that copies it. */
export function codeBlock(code: string, label: string): HTMLElement {
  const text = h("code", code);
  const copy = button("Copy", { class: "copy", "aria-label": `Copy: ${label}` }, () => {
    navigator.clipboard.writeText(code).then(
      () => (copy.textContent = "Copied"),
      () => {
        getSelection()?.selectAllChildren(text);
        copy.textContent = "Press Ctrl+C";
      },
    );
  });
  for (const event of ["blur", "pointerleave"]) {
    copy.addEventListener(event, () => (copy.textContent = "Copy"));
  }
  return h("div.code", h("pre", text), copy);
}

/** The effect of a call. */
export function effectBadge(tool: PageTool): HTMLElement {
  const { effect } = tool;
  const why =
    effect === "unstated"
      ? "without annotations, a tool may destroy by the specification"
      : "by the server's annotations";
  return h("span", { class: `badge ${effect}`, title: why }, EFFECT_WORDS[effect]);
}

export function classBadges({ class: judged, security, fails }: PageFinding): readonly HTMLElement[] {
  return [
    h("span", { class: `badge ${judged}` }, judged),
    ...(security ? [h("span.badge.security", "security")] : []),
    ...(fails ? [h("span.badge.fails", "fails")] : []),
  ];
}

/** Mildest first. */
export const EFFECTS = ["reads", "writes", "destroys", "unstated"] as const;

/** `reads: 7, destroys: 3`; effects without tools are left out. */
export function countEffects(tools: readonly PageTool[]): {
  readonly shares: readonly (readonly [StatedEffect, number])[];
  readonly text: string;
} {
  const shares = EFFECTS.map(
    (effect) => [effect, tools.filter((tool) => tool.effect === effect).length] as const,
  );
  const words = shares.flatMap(([effect, amount]) =>
    amount === 0 ? [] : [`${EFFECT_WORDS[effect]}: ${amount}`],
  );
  return { shares, text: words.join(", ") };
}

/** A sign for the effect of a tool. */
export function effectDot({ effect }: PageTool): HTMLElement {
  return h("span", { class: `dot ${effect}`, title: EFFECT_WORDS[effect] });
}

/** Tokens, with a sign for an estimate. */
export function tokens(amount: number, isEstimate: boolean): string {
  return `${isEstimate ? "≈ " : ""}${formatNumber(amount)} tokens`;
}

/** A bar with a part for each share, as wide as its amount. */
export function shareBar(shares: readonly (readonly [name: string, amount: number])[]): HTMLElement {
  const total = shares.reduce((sum, [, amount]) => sum + amount, 0);
  const bar = h("span.bar", { "aria-hidden": "true" });
  for (const [name, amount] of shares) {
    if (amount === 0) continue;
    const part = h("span", { class: name });
    // The page's policy refuses style attributes, but not properties.
    part.style.flexGrow = String(amount / Math.max(1, total));
    bar.append(part);
  }
  return bar;
}

/** Returns the path to a view: the overview, and the server of a tool. */
export function crumbs(server?: string): HTMLElement {
  const link = server !== undefined && h("a", { href: addressInPage(server) }, server);
  return h("p.crumbs", h("a", { href: OVERVIEW }, "Overview"), link && [" / ", link]);
}

export function toolLink({ server, name }: PageTool): HTMLElement {
  return h("a", { href: addressInPage(server, name) }, name);
}

/** A date as `2026-11-23`. */
export function day(date: string): string {
  return date.slice(0, 10);
}

export function section(
  title: string,
  ...children: readonly (HTMLElement | undefined | false)[]
): HTMLElement {
  return h("section", h("h2", title), ...children);
}

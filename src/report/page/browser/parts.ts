/** Small elements that several views show. */
import { EFFECT_WORDS, type StatedEffect } from "../../../core/describe-tool.js";
import type { PageFinding, PageTool, PageVersion } from "../page-data.js";
import { h, lazyDetails } from "./dom.js";
import { formatNumber } from "../../layout.js";

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
    ...(security ? [h("span", { class: "badge security" }, "security")] : []),
    ...(fails ? [h("span", { class: "badge fails" }, "fails")] : []),
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
  const bar = h("span", { class: "bar", "aria-hidden": "true" });
  for (const [name, amount] of shares) {
    if (amount === 0) continue;
    const part = h("span", { class: name });
    // The page's policy refuses style attributes, but not properties.
    part.style.flexGrow = String(amount / Math.max(1, total));
    bar.append(part);
  }
  return bar;
}

/** A date as `2026-11-23`. */
export function day(date: string): string {
  return date.slice(0, 10);
}

/** A version of a contract as a line that opens. */
export function versionOf(
  { contract, date, commit, subject }: Pick<PageVersion, "contract" | "date" | "commit" | "subject">,
  counted: string,
  open: () => readonly (HTMLElement | false)[],
): HTMLElement {
  const head = [
    h("strong", {}, contract ?? "removed"),
    h("span", { class: "quiet" }, ` ${day(date)} · `),
    h("code", {}, commit),
    h("span", {}, ` ${subject}`),
    h("span", { class: "number" }, counted),
  ];
  return lazyDetails(head, open, { className: "version" });
}

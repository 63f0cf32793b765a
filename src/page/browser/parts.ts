import type { PageFinding, PageTool } from "../page-data.js";
import { formatNumber, h } from "./dom.js";

/** Small elements that several views show. */

/** What a call of a tool may do. */
export function effectBadge(tool: PageTool): HTMLElement {
  const { effect, isEffectStated } = tool;
  const why = isEffectStated
    ? "by the server's annotations"
    : "the server does not say, so the specification's defaults count";
  const text = isEffectStated ? KIND_WORDS[effect] : `${KIND_WORDS[effect]} (${KIND_WORDS.unstated})`;
  return h("span", { class: `badge ${kindOf(tool)}`, title: why }, text);
}

/** How bad a finding is. */
export function classBadges({ class: judged, security, fails }: PageFinding): readonly HTMLElement[] {
  return [
    h("span", { class: `badge ${judged}` }, judged),
    ...(security ? [h("span", { class: "badge security" }, "security")] : []),
    ...(fails ? [h("span", { class: "badge fails" }, "fails")] : []),
  ];
}

/** The kinds of tools by what a call may do, mildest first; a tool whose server does not say is a kind of its own. */
const KINDS = ["reads", "writes", "destroys", "unstated"] as const;
type Kind = (typeof KINDS)[number];

export function kindOf({ effect, isEffectStated }: PageTool): Kind {
  return isEffectStated ? effect : "unstated";
}

const KIND_WORDS: Readonly<Record<Kind, string>> = {
  reads: "read-only",
  writes: "read-write",
  destroys: "possibly destructive",
  unstated: "not stated",
};

/** `7 read-only, 3 possibly destructive`; kinds without tools are left out. */
export function countKinds(tools: readonly PageTool[]): {
  readonly shares: readonly (readonly [Kind, number])[];
  readonly text: string;
} {
  const shares = KINDS.map((kind) => [kind, tools.filter((tool) => kindOf(tool) === kind).length] as const);
  const words = shares.flatMap(([kind, amount]) => (amount === 0 ? [] : [`${amount} ${KIND_WORDS[kind]}`]));
  return { shares, text: words.join(", ") };
}

/** A sign for the kind of a tool. */
export function kindDot(tool: PageTool): HTMLElement {
  const kind = kindOf(tool);
  return h("span", { class: `dot ${kind}`, title: KIND_WORDS[kind] });
}

/** Tokens, with a sign for an estimate. */
export function tokens(amount: number, isEstimate: boolean): string {
  return `${isEstimate ? "≈ " : ""}${formatNumber(amount)} tokens`;
}

/** The address of a server or a tool in this page. */
export function addressOf(server: string, tool?: string): string {
  const parts = tool === undefined ? [server] : [server, tool];
  return `#${parts.map(encodeURIComponent).join("/")}`;
}

/** The address of the findings; no server has an empty name. */
export const FINDINGS = "#/changes";

/** A bar whose parts have these shares; a share is a number of things. */
export function shareBar(shares: readonly (readonly [name: string, amount: number])[]): HTMLElement {
  const total = shares.reduce((sum, [, amount]) => sum + amount, 0);
  const bar = h("span", { class: "bar", "aria-hidden": "true" });
  for (const [name, amount] of shares) {
    if (amount === 0) continue;
    const part = h("span", { class: name });
    // A style attribute would be refused by the page's policy; a property is not.
    part.style.flexGrow = String(amount / Math.max(1, total));
    bar.append(part);
  }
  return bar;
}

/** A date as `2026-11-23`. */
export function day(date: string): string {
  return date.slice(0, 10);
}

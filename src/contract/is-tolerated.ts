import type { Change } from "./change.js";

/** Rules of drift about keys that a closed output gets. Clients that read outputs as they do by default keep such keys. */
const RULES: ReadonlySet<string> = new Set([
  "output-property-added-to-closed",
  "output-additional-properties-opened",
]);

/** Whether a change only adds keys to answers, and the clients of its server keep them. */
export function isTolerated(change: Pick<Change, "rule" | "class">): boolean {
  return RULES.has(change.rule) && change.class === "dangerous";
}

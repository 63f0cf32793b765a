import type { Change } from "../contract/change.js";
import { findRule } from "./rules.js";

/** One sentence for people: what happened, and why it matters. Holds no text that a server sent. */
export function explain(change: Change): string {
  const rule = findRule(change.rule);
  return rule === undefined ? `A change of the kind "${change.rule}".` : `${rule.says}: ${rule.why}.`;
}

import type { Change, ChangeClass } from "../contract/change.js";
import { findRule, type Rule } from "./rules.js";

/**
 * Returns one sentence for people: what happened, and the reason for its class. `foundClass` is the class before the
 * configuration changed it. The sentence contains no text from a server.
 */
export function explain(change: Change & { readonly foundClass?: ChangeClass }): string {
  const rule = findRule(change.rule);
  if (rule === undefined) return `A change of rule "${change.rule}", which this version does not know.`;
  const why = whyOf(change, rule);
  return why === undefined ? `${rule.says}.` : `${rule.says}: ${why}.`;
}

/** Undefined if the change has its own reason. */
function whyOf(change: Change & { readonly foundClass?: ChangeClass }, rule: Rule): string | undefined {
  if (change.foundClass !== undefined) return `the configuration sets its class to "${change.class}"`;
  if (change.class === rule.class) return rule.why;
  if (change.reason !== undefined) return undefined;
  const isOutput = change.rule.startsWith("output-");
  switch (change.class) {
    case "safe":
      return isOutput
        ? "the schema as a whole allows no answer that it did not allow before"
        : "the schema as a whole accepts every value that it accepted before";
    case "breaking":
      return isOutput
        ? "an answer that was not allowed is now possible"
        : "a value that was accepted is now rejected";
    case "dangerous":
    case "unknown":
      return undefined;
    default:
      return change.class satisfies never;
  }
}

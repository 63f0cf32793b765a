import type { Change, ChangeClass } from "../contract/change.js";
import { findRule, type Rule } from "./rules.js";

/**
 * One sentence for people: what happened, and why it has the class that it has. `foundClass` is the class before the
 * configuration gave the rule another. Holds no text that a server sent.
 */
export function explain(change: Change & { readonly foundClass?: ChangeClass }): string {
  const rule = findRule(change.rule);
  if (rule === undefined) return `A change of the kind "${change.rule}".`;
  const why = whyOf(change, rule);
  return why === undefined ? `${rule.says}.` : `${rule.says}: ${why}.`;
}

/** Undefined where the reason of the change says it. */
function whyOf(change: Change & { readonly foundClass?: ChangeClass }, rule: Rule): string | undefined {
  if (change.foundClass !== undefined) return `the configuration classes it as ${change.class}`;
  if (change.class === rule.class) return rule.why;
  if (change.reason !== undefined) return undefined;
  const isOutput = change.rule.startsWith("output-");
  switch (change.class) {
    case "safe":
      return isOutput
        ? "the schema as a whole still allows no answer that it did not allow"
        : "the schema as a whole still accepts what it accepted";
    case "breaking":
      return isOutput
        ? "an answer is now possible that was not"
        : "a value that was accepted is now rejected";
    case "dangerous":
    case "unknown":
      return undefined;
    default:
      return change.class satisfies never;
  }
}

import type { Change, ChangeClass } from "../contract/change.js";
import type { JsonValue } from "../contract/json.js";
import { getRule, type RuleName } from "./rules.js";

/** Where a change was found. */
export interface ChangePlace {
  readonly server: string;
  /** Absent for the server itself. */
  readonly tool?: string;
  /** JSON Pointer. */
  readonly path: string;
}

export interface ChangeDetails {
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
  /** Where the circumstances judge otherwise than the rule. */
  readonly class?: ChangeClass;
}

/** A finding of a rule at a place. */
export function makeChange(name: RuleName, place: ChangePlace, details: ChangeDetails = {}): Change {
  const rule = getRule(name);
  const { before, after } = details;
  return {
    rule: name,
    class: details.class ?? rule.class,
    security: rule.security === true,
    ...place,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    impacts: rule.impacts,
  };
}

/** A JSON Pointer (RFC 6901) one step further. */
export function joinPointer(pointer: string, ...keys: readonly (string | number)[]): string {
  return pointer + keys.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

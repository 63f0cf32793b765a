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
  /** From 0 to 1, for a rule that guesses. */
  readonly confidence?: number;
  /** The class, if it differs from the rule's class. */
  readonly class?: ChangeClass;
  readonly reason?: string | undefined;
}

/** Returns a change that a rule found at a place. */
export function makeChange(name: RuleName, place: ChangePlace, details: ChangeDetails = {}): Change {
  const rule = getRule(name);
  const { before, after, confidence, reason } = details;
  // Copy only these keys: callers pass objects with more.
  const { server, tool, path } = place;
  return {
    rule: name,
    class: details.class ?? rule.class,
    security: rule.security === true,
    server,
    ...(tool !== undefined && { tool }),
    path,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...(confidence !== undefined && { confidence }),
    impacts: rule.impacts,
    ...(reason !== undefined && { reason }),
  };
}

/** Returns a change without the impact `wire`: it only breaks the types of callers. */
export function withoutWire(change: Change): Change {
  return { ...change, impacts: change.impacts.filter((impact) => impact !== "wire") };
}

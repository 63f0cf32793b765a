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
  /** Of a rule that guesses, from 0 to 1. */
  readonly confidence?: number;
  /** Where the circumstances judge otherwise than the rule. */
  readonly class?: ChangeClass;
  readonly reason?: string | undefined;
}

/** A finding of a rule at a place. */
export function makeChange(name: RuleName, place: ChangePlace, details: ChangeDetails = {}): Change {
  const rule = getRule(name);
  const { before, after, confidence, reason } = details;
  // A place may come with more than a change has.
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

/** The same change, which no value shows: only the types of callers break. */
export function withoutWire(change: Change): Change {
  return { ...change, impacts: change.impacts.filter((impact) => impact !== "wire") };
}

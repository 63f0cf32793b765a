import type { JsonValue } from "../../contract/json.js";
import { isChecked } from "../../schema/pattern.js";
import type { WitnessRequest } from "../finding.js";
import type { PairQuestion } from "./witness-messages.js";

/** What is asked about one pair of schemas, and whether one of its patterns may take for ever. */
export interface OpenPair extends PairQuestion {
  readonly isSlow: boolean;
}

/**
 * What is asked, by pair of schemas: each is sent and compiled once. What may take for ever comes last, so that it does
 * not stand in the way of the others: pairs with such patterns, and in every pair the changes of patterns.
 */
export function pairQuestions(requests: readonly WitnessRequest[]): readonly OpenPair[] {
  const pairs: (Omit<PairQuestion, "asked" | "changes"> & { asked: PairQuestion["asked"][number][] })[] = [];
  const byAccepted = new Map<JsonValue, Map<JsonValue, (typeof pairs)[number]>>();
  for (const [id, { accepts, rejects, dialect, formats, at, value }] of requests.entries()) {
    const byRejected = byAccepted.get(accepts) ?? new Map<JsonValue, (typeof pairs)[number]>();
    byAccepted.set(accepts, byRejected);
    let pair = byRejected.get(rejects);
    if (pair === undefined) {
      pair = { accepts, rejects, dialect, formats, asked: [] };
      byRejected.set(rejects, pair);
      pairs.push(pair);
    }
    pair.asked.push({ id, at, ...(value !== undefined && { value }) });
  }
  const open = pairs.map((pair) => ({
    ...pair,
    changes: pair.asked.length,
    asked: lastWhere(pair.asked, ({ at }) => at.includes("/pattern")),
    isSlow: hasSlowPattern(pair.accepts) || hasSlowPattern(pair.rejects),
  }));
  return lastWhere(open, ({ isSlow }) => isSlow);
}

/** The list in its order, with some of it behind the rest. */
function lastWhere<T>(list: readonly T[], isLast: (item: T) => boolean): readonly T[] {
  return [...list.filter((item) => !isLast(item)), ...list.filter(isLast)];
}

/** Whether a schema may have a pattern that the program would not run elsewhere either. */
function hasSlowPattern(schema: JsonValue): boolean {
  const open: JsonValue[] = [schema];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (!Array.isArray(value)) {
      for (const [key, item] of Object.entries(value)) {
        if (key === "pattern" && typeof item === "string" && !isChecked(item)) return true;
        const isMap = key === "patternProperties" && typeof item === "object" && item !== null;
        if (isMap && !Object.keys(item).every(isChecked)) return true;
      }
    }
    open.push(...(Object.values(value) as readonly JsonValue[]));
  }
  return false;
}

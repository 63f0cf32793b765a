import { isJsonObject, type JsonValue } from "../contract/json.js";

/** The search has used up its steps. */
export class OutOfStepsError extends Error {
  override readonly name = "OutOfStepsError";
}

/**
 * What a search may still cost. A step is about a microsecond of work: a value that is made or judged, a reference that is
 * followed. Steps are counted instead of time, so that a verdict does not depend on the machine or its load.
 */
export class Steps {
  #left = 0;
  #total: number;

  constructor(total: number) {
    this.#total = total;
  }

  /** Whether there are any for another search. */
  get hasMore(): boolean {
    return this.#total > 0;
  }

  /** Begins a search that may take so many of them. */
  begin(limit: number): void {
    this.#left = Math.min(limit, this.#total);
  }

  /** @throws OutOfStepsError when the search that has begun may take no more */
  readonly spend = (steps: number): void => {
    this.#left -= steps;
    this.#total -= steps;
    if (this.#left < 0) throw new OutOfStepsError("The search took too many steps.");
  };
}

/** The number of values in a value, the value itself among them; keys are not counted. */
export function countValues(value: JsonValue): number {
  const open: JsonValue[] = [value];
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    count += 1;
    if (Array.isArray(next)) open.push(...(next as readonly JsonValue[]));
    else if (isJsonObject(next)) open.push(...Object.values(next));
  }
  return count;
}

import { isJsonArray, isJsonObject, type JsonValue } from "../core/json.js";

/** Thrown when a search has used up its steps. */
export class OutOfStepsError extends Error {
  override readonly name = "OutOfStepsError";
}

const WORK_PER_STEP = 2;

/**
 * The steps that searches may still take. A step is about a microsecond of work, such as to make or validate a value or to
 * follow a reference. Counting steps instead of time keeps verdicts independent of the machine and its load.
 */
export class Steps {
  #left = 0;
  #spent = 0;
  #total: number;
  #work = 0;

  constructor(total: number) {
    this.#total = total;
  }

  /** Whether any steps are left for another search. */
  get hasMore(): boolean {
    return this.#total > 0;
  }

  get spent(): number {
    return this.#spent;
  }

  /** Begins a search that may take up to `limit` steps. */
  begin(limit: number): void {
    this.#left = Math.min(limit, this.#total);
    this.#work = 0;
  }

  /** Counts work that is much finer than a step. The next steps include it. */
  readonly addWork = (count: number): void => {
    this.#work += count;
  };

  /** @throws OutOfStepsError when the current search has used up its steps */
  readonly spend = (steps: number): void => {
    const all = steps + this.#work / WORK_PER_STEP;
    this.#work = 0;
    this.#spent += all;
    this.#left -= all;
    this.#total -= all;
    if (this.#left < 0) throw new OutOfStepsError("The search took too many steps.");
  };
}

/** Returns the number of values in a value, including itself; keys do not count. */
export function countValues(value: JsonValue): number {
  const open: JsonValue[] = [value];
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    count += 1;
    if (isJsonArray(next)) open.push(...next);
    else if (isJsonObject(next)) open.push(...Object.values(next));
  }
  return count;
}

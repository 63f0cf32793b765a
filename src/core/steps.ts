import { isJsonArray, isJsonObject, type JsonValue } from "./json.js";

/** Thrown when a search has used up its steps. */
export class OutOfStepsError extends Error {
  override readonly name = "OutOfStepsError";
}

/**
 * The steps that searches may still take. A step is about a microsecond of work, such as to make or validate a value or to
 * follow a reference. Counting steps instead of time keeps verdicts independent of the machine and its load.
 */
export class Steps {
  #left: number;
  #spent = 0;
  #total: number;

  /** Begins a search that may take all steps. */
  constructor(total: number) {
    this.#total = total;
    this.#left = total;
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
  }

  /**
   * @param steps a fraction for work that is finer than a step
   * @throws OutOfStepsError when the current search has used up its steps
   */
  readonly spend = (steps: number): void => {
    this.#spent += steps;
    this.#left -= steps;
    this.#total -= steps;
    if (this.#left < 0) throw new OutOfStepsError("The search took too many steps.");
  };
}

/** The characters that are read or copied in one step. */
const CHARACTERS_PER_STEP = 200;

/** Returns the steps to read or copy a value once: one for each value in it, and some for the characters of long texts. */
export function sizeOf(value: JsonValue): number {
  const open: JsonValue[] = [value];
  let values = 0;
  let characters = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    values += 1;
    if (typeof next === "string") characters += next.length;
    else if (isJsonArray(next)) for (const item of next) open.push(item);
    else if (isJsonObject(next))
      for (const [key, item] of Object.entries(next)) {
        characters += key.length;
        open.push(item);
      }
  }
  return values + characters / CHARACTERS_PER_STEP;
}

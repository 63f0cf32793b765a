import { isJsonArray, isJsonObject, type JsonValue } from "../../contract/json.js";
import { editValue, findValue } from "./edit-value.js";
import type { Step } from "./schema-part.js";
import { OutOfStepsError } from "../steps.js";

/** The most smaller instances that are tried: enough for hand-written schemas. */
const MAX_TRIES = 20_000;

/**
 * Returns a minimal witness: without any one of its properties, items or characters it would not be a witness. Removes runs
 * before single elements, so that a string of thousands of characters shrinks in few steps.
 */
export function shrinkWitness(
  witness: JsonValue,
  isWitness: (instance: JsonValue) => boolean,
  requiredAt: RequiredAt,
): JsonValue {
  let smallest = witness;
  let tries = 0;
  const isWitnessWithin = (candidate: JsonValue): boolean => {
    try {
      return isWitness(candidate);
    } catch (error) {
      if (!(error instanceof OutOfStepsError)) throw error;
      // The smallest witness so far is still valid.
      tries = MAX_TRIES;
      return false;
    }
  };
  for (let hasShrunk = true; hasShrunk && tries < MAX_TRIES;) {
    hasShrunk = false;
    for (const candidate of smallerThan(smallest, requiredAt)) {
      tries += 1;
      if (tries > MAX_TRIES) break;
      if (!isWitnessWithin(candidate)) continue;
      smallest = candidate;
      hasShrunk = true;
      break;
    }
  }
  return smallest;
}

/** Returns the names that the accepting schema requires at a path. An instance without them cannot be a witness. */
export type RequiredAt = (path: readonly Step[]) => ReadonlySet<string>;

/** Generates copies with parts removed, outer parts first. */
function* smallerThan(instance: JsonValue, requiredAt: RequiredAt): Generator<JsonValue> {
  for (const path of pathsOf(instance, [])) {
    const value = findValue(instance, path);
    const replace = (smaller: JsonValue): JsonValue => editValue(instance, path, () => smaller);
    if (isJsonObject(value)) {
      const required = requiredAt(path);
      const entries = Object.entries(value);
      for (const kept of withoutRuns(Object.keys(value).filter((name) => !required.has(name)))) {
        const names = new Set(kept);
        yield replace(Object.fromEntries(entries.filter(([name]) => required.has(name) || names.has(name))));
      }
    } else if (isJsonArray(value)) {
      for (const kept of withoutRuns(value)) yield replace(kept);
    } else if (typeof value === "string") {
      for (const kept of withoutRuns(Array.from(value))) yield replace(kept.join(""));
    }
  }
}

function* pathsOf(value: JsonValue, path: readonly Step[]): Generator<readonly Step[]> {
  yield path;
  if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) yield* pathsOf(item, [...path, key]);
  } else if (isJsonArray(value)) {
    for (const [index, item] of value.entries()) yield* pathsOf(item, [...path, index]);
  }
}

/** Generates the list without a run: without all elements, then without halves, quarters and finally single elements. */
function* withoutRuns<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let size = list.length; size >= 1; size = Math.floor(size / 2)) {
    for (let start = 0; start < list.length; start += size) {
      // Removing either of two equal neighbours gives the same list.
      if (size === 1 && start > 0 && list[start] === list[start - 1]) continue;
      yield [...list.slice(0, start), ...list.slice(start + size)];
    }
  }
}

import { isJsonArray, isJsonObject, type JsonValue } from "../../core/json.js";
import { joinPointer } from "../../core/json-pointer.js";
import type { WitnessAnswer } from "../unconfirmed-change.js";
import type { SchemaError, SearchedSchema } from "./searched-schema.js";
import type { Proposal } from "./propose-instances.js";
import type { InstanceStep } from "../../schema/sample/schema-part.js";
import { editInstance, valuesIn } from "./instance-places.js";
import { OutOfStepsError, sizeOf } from "../../core/steps.js";

type Judge = SearchedSchema["judge"];

type PossibleJudge = (instance: JsonValue) => readonly SchemaError[] | undefined;

/** The judges of a search. */
export interface Judges {
  readonly accepts: Judge;
  readonly rejects: Judge;
  /** The rejecting schema with the change undone. Returns undefined if the change cannot be separated from others, as `alone` does. */
  readonly undone: PossibleJudge;
  /** The accepting schema with only that change. */
  readonly alone: PossibleJudge;
  readonly fixedParts: FixedParts;
}

/** Whether the errors of an instance show the change. */
export type Shows = (errors: readonly SchemaError[], proposal: Proposal) => boolean;

/** A condition for an instance to show a change. */
interface Criterion {
  readonly shows: Shows;
  /** `any`: the schemas differ only by this change, so every instance shows it. */
  readonly verdict: "undone" | "alone" | "any";
}

/** Returns the first instance that meets the best criterion that any instance meets, shrunk to a minimal witness. */
export function tryProposals(
  proposals: readonly Proposal[],
  judges: Judges,
  criteria: readonly Criterion[],
): WitnessAnswer {
  let best: { readonly proposal: Proposal; readonly rank: number } | undefined;
  for (const proposal of proposals) {
    const rank = rankOf(proposal, judges, criteria.slice(0, best?.rank));
    if (rank >= 0) best = { proposal, rank };
    if (rank === 0) break;
  }
  const criterion = best && criteria[best.rank];
  if (best === undefined || criterion === undefined) return { kind: "none" };
  const { instance, path } = best.proposal;
  const isWitness = (candidate: JsonValue): boolean =>
    rankOf({ instance: candidate, path }, judges, [criterion]) === 0;
  const smallest = shrinkWitness(instance, isWitness, judges.fixedParts);
  return { kind: "found", instance: smallest, rejectedAt: findRejected(smallest, path, judges) };
}

/** The place of the error within the part that a proposal is about; that part if the error is about an outer value. */
function findRejected(instance: JsonValue, path: Proposal["path"], { rejects }: Judges): string {
  const place = joinPointer("", ...path);
  try {
    return rejects(instance).find(({ at }) => at === place || at.startsWith(`${place}/`))?.at ?? place;
  } catch (error) {
    if (error instanceof OutOfStepsError) return place;
    throw error;
  }
}

/** Returns the index of the first criterion that an instance meets; -1 if it meets none. */
function rankOf(proposal: Proposal, judges: Judges, criteria: readonly Criterion[]): number {
  const { instance } = proposal;
  const errors = judges.rejects(instance);
  const held = criteria.map(({ shows }) => shows(errors, proposal));
  if (!held.includes(true) || judges.accepts(instance).length > 0) return -1;
  return criteria.findIndex(
    ({ verdict }, index) => held[index] === true && isShownBy(verdict, instance, judges),
  );
}

function isShownBy(verdict: Criterion["verdict"], instance: JsonValue, judges: Judges): boolean {
  switch (verdict) {
    case "undone":
      return judges.undone(instance)?.length === 0;
    case "alone":
      return (judges.alone(instance)?.length ?? 0) > 0;
    case "any":
      return true;
    default:
      return verdict satisfies never;
  }
}

/** The steps to copy the smaller instances that are tried: enough for hand-written schemas. */
const MAX_STEPS = 50_000;

/**
 * Returns a minimal witness: without any one of its properties, items or characters it would not be a witness. Removes runs
 * before single elements, so that a string of thousands of characters shrinks in few steps.
 */
function shrinkWitness(
  witness: JsonValue,
  isWitness: (instance: JsonValue) => boolean,
  fixedParts: FixedParts,
): JsonValue {
  let smallest = witness;
  let steps = 0;
  const isWitnessWithin = (candidate: JsonValue): boolean => {
    try {
      return isWitness(candidate);
    } catch (error) {
      if (!(error instanceof OutOfStepsError)) throw error;
      // The smallest witness so far is still valid.
      steps = MAX_STEPS;
      return false;
    }
  };
  for (let hasShrunk = true; hasShrunk && steps < MAX_STEPS;) {
    hasShrunk = false;
    for (const candidate of smallerThan(smallest, fixedParts)) {
      steps += sizeOf(candidate);
      if (steps > MAX_STEPS) break;
      if (!isWitnessWithin(candidate)) continue;
      smallest = candidate;
      hasShrunk = true;
      break;
    }
  }
  return smallest;
}

/** The parts of an instance without which the accepting schema rejects it, so that it cannot be a witness. */
interface FixedParts {
  /** Returns the names that are required at a path. */
  readonly requiredAt: (path: readonly InstanceStep[]) => ReadonlySet<string>;
  /** Whether the value at a path is, or is part of, one of some listed values. */
  readonly isEnumeratedAt: (path: readonly InstanceStep[]) => boolean;
}

/** Generates copies with parts removed, outer parts first. */
function* smallerThan(instance: JsonValue, { requiredAt, isEnumeratedAt }: FixedParts): Generator<JsonValue> {
  for (const [path, value] of valuesIn(instance)) {
    if (isEnumeratedAt(path)) continue;
    const replace = (smaller: JsonValue): JsonValue => editInstance(instance, path, () => smaller);
    if (isJsonObject(value)) {
      const required = requiredAt(path);
      const entries = Object.entries(value);
      const optional = Object.keys(value).filter((name) => !required.has(name));
      for (const [start, end] of runsOf(optional)) {
        const removed = new Set(optional.slice(start, end));
        yield replace(Object.fromEntries(entries.filter(([name]) => !removed.has(name))));
      }
    } else if (isJsonArray(value)) {
      for (const [start, end] of runsOf(value))
        yield replace([...value.slice(0, start), ...value.slice(end)]);
    } else if (typeof value === "string") {
      const characters = Array.from(value);
      let length = 0;
      const ends = characters.map((character) => (length += character.length));
      for (const [start, end] of runsOf(characters))
        yield replace(value.slice(0, ends[start - 1] ?? 0) + value.slice(ends[end - 1]));
    }
  }
}

/** Generates the runs of a list that are removed: all elements, then halves, quarters and finally single elements. */
function* runsOf(list: readonly unknown[]): Generator<readonly [start: number, end: number]> {
  for (let size = list.length; size >= 1; size = Math.floor(size / 2)) {
    for (let start = 0; start < list.length; start += size) {
      // Removing either of two equal neighbours gives the same list.
      if (size === 1 && start > 0 && list[start] === list[start - 1]) continue;
      yield [start, Math.min(start + size, list.length)];
    }
  }
}

import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { hasOnlyTypes } from "../../schema/ir/simplify-all-of.js";
import { comparePatterns } from "../inclusion/compare-patterns.js";
import { splitLengthLookahead, splitLookaheads } from "../../schema/pattern/match-pattern.js";
import { hintsOf, samplePattern } from "../../schema/sample/sample-pattern.js";
import { multiple } from "../../schema/sample/sample-scalar.js";
import { addDependents, extraNames, sampleValue } from "../../schema/sample/sample-value.js";
import {
  type Branches,
  containsParts,
  declaredNames,
  dependentNames,
  itemParts,
  nameParts,
  numbersOf,
  propertyParts,
  type SchemaPart,
  textPatterns,
} from "../../schema/sample/schema-part.js";
import type { InstancePlace } from "./instance-places.js";

/** How many variants of an open choice are tried. */
const TURNS = 6;
const MAX_LENGTH = 20_000;
const MAX_ITEMS = 1_000;

/** Values of each type, for places without a schema. */
const TYPICAL: readonly JsonValue[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  "",
  "a",
  "A",
  " ",
  "é",
  "0",
  // Not a valid pattern, URI or URI template.
  "(",
  "{",
  [],
  [null],
  {},
];

/**
 * Generates values for a place, near the limits of both schemas. `inside` holds the parts of the accepting schema on one way
 * to the place, so their samples are likely to be accepted.
 */
export function* proposeValues(
  place: InstancePlace,
  inside: readonly SchemaPart[],
  branches: Branches,
): Generator<JsonValue> {
  const all = [...place.accepting, ...place.rejecting];
  // Values just beyond the limits of the rejecting schema are the likeliest witnesses.
  const limits = [...place.rejecting, ...place.accepting];
  const sample = (parts: readonly SchemaPart[], turn: number): JsonValue =>
    sampleValue(parts, { turn, branches, path: [] });
  for (const part of all) yield* listLiterals(part);
  yield* proposeCounterexamples(place);
  yield* proposeNumbers(limits);
  if (haveType(place.accepting, "number") && haveType(place.rejecting, "integer")) yield 1.5;
  const samples = Array.from({ length: TURNS }, (_, turn) => sample(inside, turn));
  const [base = null] = samples;
  yield* samples;
  // Samples that also fit a branch, a condition or a `not`.
  for (const part of all.slice(0, 60)) {
    yield sample([...inside, part], 0);
    yield sample([part], 0);
    yield sample([part, ...inside], 1);
  }
  yield* proposeTexts(limits);
  yield* proposeLists(all, inside, sample);
  for (const object of samples.filter(isJsonObject).slice(0, 2))
    yield* proposeObjects(object, all, inside, sample);
  if (!isJsonObject(base)) yield* proposeObjects({}, all, inside, sample);
  yield* TYPICAL;
}

function haveType(parts: readonly SchemaPart[], type: string): boolean {
  return parts.some(({ rules }) => rules.types?.includes(type) === true);
}

function listLiterals({ rules }: SchemaPart): readonly JsonValue[] {
  const { default: standard, examples = [] } = rules.annotations ?? {};
  return [...rules.lists.flat(), ...(standard === undefined ? [] : [standard]), ...examples];
}

const BOUNDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] as const;

function proposeNumbers(parts: readonly SchemaPart[]): readonly number[] {
  const bounds = [...new Set(numbersOf(parts, ...BOUNDS))];
  const steps = [...new Set(numbersOf(parts, "multipleOf"))];
  const near = bounds.flatMap((bound) => [
    bound,
    bound + 1,
    bound - 1,
    bound + 0.5,
    bound - 0.5,
    ...steps.flatMap((step) => {
      const last = Math.floor(bound / step);
      const first = Math.ceil(bound / step);
      return [last, first, last - 1, first + 1].map((count) => multiple(step, count));
    }),
  ]);
  const middle = bounds.length > 1 ? [(Math.min(...bounds) + Math.max(...bounds)) / 2] : [];
  const multiples = steps.flatMap((step) => [step, 2 * step, multiple(step, 3), step / 2, step + 1, -step]);
  return [...near, ...middle, ...multiples].filter(Number.isFinite);
}

function proposeTexts(parts: readonly SchemaPart[]): readonly string[] {
  const { patterns, limits } = textRulesOf(parts);
  const lengths = [...numbersOf(parts, "minLength", "maxLength"), ...limits]
    .flatMap((length) => [length, length + 1, length - 1])
    .filter((length) => length >= 0 && length <= MAX_LENGTH);
  const hintLists = patterns.map(hintsOf);
  const hints = {
    characters: [...new Set(hintLists.flatMap(({ characters }) => characters))],
    counts: [...new Set([...hintLists.flatMap(({ counts }) => counts), ...lengths])],
  };
  const fitting = patterns.flatMap((pattern) => samplePattern(pattern, hints));
  // Near misses: one character too many, or too few.
  const missing = fitting
    .slice(0, 40)
    .flatMap((text) => [`${text}a`, `${text} `, ` ${text}`, `${text}!`, text.slice(1), text.slice(0, -1)]);
  const plain = lengths.flatMap((length) => ["a".repeat(length), "0".repeat(length)]);
  return [...fitting, ...plain, ...missing];
}

/** The most conditions of one schema that are compared. */
const MAX_PATTERNS = 4;
/** The longest limit of length that is compared as a pattern, which has a state for each character. */
const MAX_COUNTED = 500;
/** The states that a comparison of patterns visits in one step. */
const STATES_PER_STEP = 2;

/** The shortest texts that fit the patterns and lengths of the accepting schema but not a condition of the rejecting schema. */
function* proposeCounterexamples({ accepting, rejecting }: InstancePlace): Generator<string> {
  const accepted = conditionsOf(accepting);
  const rejected = conditionsOf(rejecting);
  if (![...accepted.required, ...rejected.required].some(isPattern)) return;
  const required = accepted.required.slice(0, MAX_PATTERNS);
  const excluded = accepted.excluded.slice(0, MAX_PATTERNS);
  const failed = without(rejected.required, accepted.required).map(
    (pattern) => [required, [...excluded, pattern]] as const,
  );
  const matched = without(rejected.excluded, accepted.excluded).map(
    (pattern) => [[...required, pattern], excluded] as const,
  );
  for (const [left, right] of [...failed, ...matched].slice(0, MAX_PATTERNS)) {
    const { answer, steps } = comparePatterns(left, right);
    accepting[0]?.spend(steps / STATES_PER_STEP);
    if (answer.kind === "found") yield answer.text;
  }
}

interface TextConditions {
  readonly required: readonly string[];
  readonly excluded: readonly string[];
}

/** The patterns that texts of all parts match or do not match. A limit of length is a pattern of any characters. */
function conditionsOf(parts: readonly SchemaPart[]): TextConditions {
  const conditions = textPatterns(parts).map(splitLookaheads);
  const isCounted = (length: number): boolean =>
    Number.isInteger(length) && length >= 0 && length <= MAX_COUNTED;
  const least = numbersOf(parts, "minLength")
    .filter(isCounted)
    .map((length) => `${ANY}{${length},}$`);
  const most = numbersOf(parts, "maxLength")
    .filter(isCounted)
    .map((length) => `${ANY}{0,${length}}$`);
  return {
    required: [...new Set([...conditions.flatMap(({ required }) => required), ...least, ...most])],
    excluded: [...new Set(conditions.flatMap(({ excluded }) => excluded))],
  };
}

const ANY = "^[^]";

function isPattern(condition: string): boolean {
  return !condition.startsWith(ANY);
}

function without(patterns: readonly string[], others: readonly string[]): readonly string[] {
  return patterns.filter((pattern) => !others.includes(pattern));
}

/** The patterns of parts, each once, and the limits of length that are split off from lookaheads. */
function textRulesOf(parts: readonly SchemaPart[]): {
  readonly patterns: readonly string[];
  readonly limits: readonly number[];
} {
  const splits = textPatterns(parts).map(
    (pattern) => splitLengthLookahead(pattern) ?? { patterns: [pattern] },
  );
  return {
    patterns: [...new Set(splits.flatMap((split) => split.patterns))],
    limits: splits
      .flatMap((split) => ("minLength" in split ? [split.minLength, split.maxLength] : []))
      .filter((limit) => limit !== undefined),
  };
}

type Sample = (parts: readonly SchemaPart[], turn: number) => JsonValue;

function proposeLists(
  parts: readonly SchemaPart[],
  inside: readonly SchemaPart[],
  sample: Sample,
): readonly JsonValue[] {
  const isAboutLists =
    haveType(parts, "array") ||
    parts.some(
      ({ rules }) =>
        (rules.array !== undefined && !hasOnlyTypes(rules.array)) || rules.unevaluated?.items !== undefined,
    );
  if (!isAboutLists) return [];
  const lengths = [0, 1, 2, ...numbersOf(parts, "minItems", "maxItems", "minContains", "maxContains")
    .flatMap((length) => [length, length + 1, length - 1])]
    .filter((length) => length >= 0 && length <= MAX_ITEMS); // prettier-ignore
  const contained = parts.flatMap(containsParts);
  return [...new Set(lengths)].flatMap((length) => {
    const at = (turnOf: (index: number) => number): JsonValue =>
      Array.from({ length }, (_, index) => sample(itemParts(inside, index), turnOf(index)));
    const containing = contained.map((part): JsonValue =>
      Array.from({ length }, (_, index) => sample([...itemParts(inside, index), part], 0)),
    );
    const distinct = Array.from({ length }, (_, index): JsonValue => index);
    return [at(() => 0), at((index) => index), at(() => 1), distinct, ...containing];
  });
}

function* proposeObjects(
  base: JsonObject,
  parts: readonly SchemaPart[],
  inside: readonly SchemaPart[],
  sample: Sample,
): Generator<JsonValue> {
  const entries = Object.entries(base);
  const declared = new Set(parts.flatMap((part) => [...declaredNames([part]), ...dependentNames([part])]));
  const extra = extraNames(parts, 1);
  const odd = parts.flatMap(nameParts).flatMap((part) => proposeTexts([part]));
  const withNames = (names: Iterable<string>, turn = 0): JsonObject =>
    Object.fromEntries(
      [...names].map((name) => [name, getOwn(base, name) ?? sample(propertyParts(inside, name), turn)]),
    );
  const withName = (name: string, turn: number): JsonObject => {
    const names = new Set([...Object.keys(base), name]);
    addDependents(inside, names);
    return withNames(names, turn);
  };
  const added = [...Array.from(declared).slice(0, 150), ...extra, ...odd.slice(0, 60), "", "a", "A"].filter(
    (name) => !Object.hasOwn(base, name),
  );
  const counts = numbersOf(parts, "minProperties", "maxProperties")
    .flatMap((count) => [count, count + 1, count - 1])
    .filter((count) => count >= 0 && count <= MAX_ITEMS);
  yield base;
  // Generated one by one: the size of all of them is the square of the object's size.
  for (const [name] of entries) yield Object.fromEntries(entries.filter(([key]) => key !== name));
  for (const name of added) yield withName(name, 0);
  for (const count of counts) {
    const names = [...new Set([...Object.keys(base), ...declared, ...extraNames(parts, count)])].slice(
      0,
      count,
    );
    yield withNames(names);
  }
  const all = withNames([...declared].slice(0, 150));
  yield all;
  // A property may depend on all others but one.
  const others = Object.entries(all);
  for (const [name] of others.slice(0, 40)) yield Object.fromEntries(others.filter(([key]) => key !== name));
  for (const name of added.slice(0, 40)) yield withName(name, 1);
}

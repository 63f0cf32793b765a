import {
  canonicalJson,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonValue,
  listOrEmpty,
  objectOrEmpty,
} from "../../core/json.js";
import { jsonTypeOf } from "../ir/node-types.js";
import { samplePattern } from "./sample-pattern.js";
import { sampleNumber, sampleText, typesOfParts } from "./sample-scalar.js";
import {
  type Branches,
  closeParts,
  findReferred,
  itemParts,
  keywordsOf,
  namesUnder,
  numbersOf,
  partsUnder,
  partUnder,
  propertyParts,
  requiredBy,
  stepParts,
  type DocumentPart,
  type InstanceStep,
} from "./schema-part.js";
import { joinPointer } from "../../core/json-pointer.js";

/** How to decide the choices that a schema leaves open. */
export interface SampleChoice {
  /** The number of the variant: each takes another branch, type or value. */
  readonly turn: number;
  /** The branches to take in unions. */
  readonly branches: Branches;
}

interface SampleOptions extends SampleChoice {
  /** A path that the value must have, even if the schema does not require it. */
  readonly path: readonly InstanceStep[];
}

/** Deeper values outside the path, and more values in all, become null: a schema may require itself. */
const MAX_DEPTH = 24;
const MAX_VALUES = 3_000;
/** A long text counts as several values: many of them would fill the memory. */
const CHARACTERS_PER_VALUE = 100;
const CHARACTERS_PER_STEP = 20;
/** The longest list that is generated. */
const MAX_ITEMS = 1_000;

/** Returns a small value that all parts are likely to accept. Ignores most rules under `not`, and some combinations of rules. */
export function sampleValue(parts: readonly DocumentPart[], options: SampleOptions): JsonValue {
  return sample(parts, options.path, { ...options, budget: { left: MAX_VALUES } }, 0);
}

interface Sampling extends SampleOptions {
  readonly budget: { left: number };
}

/** Returns the parts with references and `allOf` followed and one branch of each union. */
export function chooseParts(
  parts: readonly DocumentPart[],
  { turn, branches }: SampleChoice,
): readonly DocumentPart[] {
  // Odd variants meet the condition, even variants do not.
  const conditional = turn % 2 === 1 ? ["if", "then"] : ["else"];
  return closeParts(parts, (part) => {
    const taken = ["anyOf", "oneOf"].flatMap((keyword) => {
      const list = partsUnder(part, keyword);
      const index = branches.get(joinPointer(part.pointer, keyword)) ?? turn % Math.max(list.length, 1);
      return list[index] ?? [];
    });
    const hasCondition = Object.hasOwn(keywordsOf(part), "if");
    return [
      ...findReferred(part),
      ...partsUnder(part, "allOf"),
      ...taken,
      ...partUnder(part, "not").flatMap((negated) => takeOpposite(negated, turn)),
      ...(hasCondition ? conditional.flatMap((keyword) => partUnder(part, keyword)) : []),
      ...(hasCondition && turn % 2 === 0 ? partUnder(part, "if").map(withOtherValues) : []),
    ];
  });
}

/** For the keyword of a limit, the keyword and the limit of all values beyond it. */
const OPPOSITES: Readonly<Record<string, readonly [keyword: string, step: number]>> = {
  minimum: ["exclusiveMaximum", 0],
  exclusiveMinimum: ["maximum", 0],
  maximum: ["exclusiveMinimum", 0],
  exclusiveMaximum: ["minimum", 0],
  minLength: ["maxLength", -1],
  maxLength: ["minLength", 1],
  minItems: ["maxItems", -1],
  maxItems: ["minItems", 1],
  minProperties: ["maxProperties", -1],
  maxProperties: ["minProperties", 1],
};

/** Returns a part beyond one of the limits that a schema under `not` has. */
function takeOpposite(negated: DocumentPart, turn: number): readonly DocumentPart[] {
  const beyond = Object.entries(keywordsOf(negated)).flatMap(([keyword, limit]) => {
    const opposite = getOwn(OPPOSITES, keyword);
    return opposite === undefined || typeof limit !== "number"
      ? []
      : [{ ...negated, schema: { [opposite[0]]: limit + opposite[1] } }];
  });
  return beyond.slice(turn % Math.max(beyond.length, 1)).slice(0, 1);
}

/** Returns a part whose properties have none of the values that a condition requires, such as the tag of another branch. */
function withOtherValues(condition: DocumentPart): DocumentPart {
  const properties = Object.entries(objectOrEmpty(getOwn(keywordsOf(condition), "properties")));
  return {
    ...condition,
    schema: { properties: Object.fromEntries(properties.map(([name, not]) => [name, { not }])) },
  };
}

/** Returns the parts for a place on one way from the root. */
export function partsAt(
  root: DocumentPart,
  path: readonly InstanceStep[],
  choice: SampleChoice,
): readonly DocumentPart[] {
  let parts = chooseParts([root], choice);
  for (const step of path) parts = chooseParts(stepParts(parts, step), choice);
  return parts;
}

function sample(
  start: readonly DocumentPart[],
  path: readonly InstanceStep[],
  sampling: Sampling,
  depth: number,
): JsonValue {
  sampling.budget.left -= 1;
  if (depth > MAX_DEPTH || sampling.budget.left < 0) return null;
  const parts = chooseParts(start, sampling);
  const [step] = path;
  if (step === undefined) {
    const literal = pickLiteral(parts, sampling.turn);
    if (literal !== undefined) return literal;
  }
  switch (
    typeof step === "string" ? "object" : step === undefined ? pickType(parts, sampling.turn) : "array"
  ) {
    case "object":
      return sampleObject(parts, path, sampling, depth);
    case "array":
      return sampleArray(parts, path, sampling, depth);
    case "string": {
      const text = sampleText(parts, sampling.turn);
      parts[0]?.spend(text.length / CHARACTERS_PER_STEP);
      sampling.budget.left -= Math.floor(text.length / CHARACTERS_PER_VALUE);
      return text;
    }
    case "integer":
    case "number":
      return sampleNumber(parts);
    case "boolean":
      return sampling.turn % 2 === 0;
    default:
      return null;
  }
}

/** The literals of one list that are looked at in one step, and those of several lists that are compared in one. */
const LITERALS_PER_STEP = 40;
const COMPARED_PER_STEP = 2;

/** Returns one of the values that `enum` and `const` allow; undefined if no part has them. */
export function pickLiteral(parts: readonly DocumentPart[], turn: number): JsonValue | undefined {
  const lists = listsOf(parts);
  const [first, ...others] = lists;
  if (first === undefined) return undefined;
  const compared =
    others.length === 0
      ? first.length / LITERALS_PER_STEP
      : lists.reduce((total, list) => total + list.length, 0) / COMPARED_PER_STEP;
  parts[0]?.spend(compared);
  const types = typesOfParts(parts);
  const excluded = listsOf(parts.flatMap((part) => partUnder(part, "not")));
  const shared = [...byText(first)].filter(([text]) => others.every((list) => byText(list).has(text)));
  const common = (others.length === 0 ? first : shared.map(([, value]) => value)).filter(
    (value) =>
      types === undefined ||
      types.includes(jsonTypeOf(value)) ||
      (types.includes("number") && typeof value === "number"),
  );
  const free =
    excluded.length === 0
      ? common
      : common.filter((value) => !excluded.some((list) => byText(list).has(canonicalJson(value))));
  const values = free.length > 0 ? free : common;
  return values[turn % Math.max(values.length, 1)] ?? first[0];
}

/** Returns the values of each `enum` and `const` of some parts. */
function listsOf(parts: readonly DocumentPart[]): readonly (readonly JsonValue[])[] {
  return parts.flatMap((part): readonly (readonly JsonValue[])[] => {
    const keywords = keywordsOf(part);
    const values = getOwn(keywords, "enum");
    const constant = getOwn(keywords, "const");
    return [...(isJsonArray(values) ? [values] : []), ...(constant === undefined ? [] : [[constant]])];
  });
}

// A search compares the same lists many times.
const TEXTS = new WeakMap<readonly JsonValue[], ReadonlyMap<string, JsonValue>>();

/** Returns the values of a list by their canonical JSON. */
function byText(list: readonly JsonValue[]): ReadonlyMap<string, JsonValue> {
  const texts = TEXTS.get(list) ?? new Map(list.map((value) => [canonicalJson(value), value]));
  TEXTS.set(list, texts);
  return texts;
}

/** Keywords that imply the type of a schema without `type`. */
const TYPE_KEYWORDS: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  [
    "object",
    ["properties", "required", "additionalProperties", "patternProperties", "minProperties", "propertyNames"],
  ],
  ["array", ["items", "prefixItems", "minItems", "contains", "uniqueItems"]],
  ["string", ["pattern", "minLength", "maxLength", "format"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/** Returns one of the types that the parts allow or imply. */
export function pickType(parts: readonly DocumentPart[], turn: number): string {
  const types = typesOfParts(parts);
  if (types !== undefined) return types[turn % Math.max(types.length, 1)] ?? "null";
  const implied = TYPE_KEYWORDS.find(([, keywords]) =>
    parts.some((part) => keywords.some((keyword) => Object.hasOwn(keywordsOf(part), keyword))),
  );
  return implied?.[0] ?? ["string", "integer", "null", "object", "array", "boolean"][turn % 6] ?? "null";
}

function sampleObject(
  parts: readonly DocumentPart[],
  path: readonly InstanceStep[],
  sampling: Sampling,
  depth: number,
): JsonValue {
  const [step, ...rest] = path;
  const names = new Set(requiredBy(parts));
  if (typeof step === "string") names.add(step);
  addDependents(parts, names);
  const least = Math.min(Math.max(0, ...numbersOf(parts, "minProperties")), MAX_ITEMS);
  const known = namesUnder(parts, "properties");
  const extra = extraNames(parts, least);
  // A schema may declare a property only to forbid it, so odd variants try other names first.
  for (const name of sampling.turn % 2 === 0 ? [...known, ...extra] : [...extra, ...known]) {
    if (names.size >= least) break;
    names.add(name);
  }
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      name === step
        ? sample(propertyParts(parts, name), rest, sampling, depth)
        : sample(propertyParts(parts, name), [], sampling, depth + 1),
    ]),
  );
}

/** Adds the names that other names require. */
export function addDependents(parts: readonly DocumentPart[], names: Set<string>): void {
  const rules = parts.flatMap((part) =>
    DEPENDENT.flatMap((keyword) => {
      const rule = getOwn(keywordsOf(part), keyword);
      return isJsonObject(rule) ? [rule] : [];
    }),
  );
  if (rules.length === 0) return;
  for (const name of names) {
    for (const rule of rules) {
      const others = getOwn(rule, name);
      for (const other of [...listOrEmpty(others), ...listOrEmpty(getOwn(objectOrEmpty(others), "required"))])
        if (typeof other === "string") names.add(other);
    }
  }
}

const DEPENDENT = ["dependentRequired", "dependentSchemas", "dependencies"] as const;

/** Returns names that no part declares, and names that fit the patterns and names of the parts. */
export function extraNames(parts: readonly DocumentPart[], count: number): readonly string[] {
  const patterns = parts.flatMap((part) => {
    const keywords = keywordsOf(part);
    const names = objectOrEmpty(getOwn(keywords, "propertyNames"));
    const pattern = getOwn(names, "pattern");
    return [
      ...Object.keys(objectOrEmpty(getOwn(keywords, "patternProperties"))),
      ...(typeof pattern === "string" ? [pattern] : []),
      ...listOrEmpty(getOwn(names, "enum"))
        .filter((name) => typeof name === "string")
        .map(escapePattern),
    ];
  });
  const hints = {
    // More names than a pattern's edges give.
    characters: count > 2 ? Array.from("abcdefghijklmnopqrstuvwxyz0123456789") : [],
    counts: Array.from({ length: Math.min(count, 50) }, (_, index) => index + 1),
  };
  const fitting = patterns.flatMap((pattern) => samplePattern(pattern, hints).slice(0, count + 5));
  const plain = Array.from({ length: count + 1 }, (_, index) => (index === 0 ? "extra" : `extra${index}`));
  return [...fitting, ...plain];
}

function escapePattern(text: string): string {
  return `^${text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}$`;
}

function sampleArray(
  parts: readonly DocumentPart[],
  path: readonly InstanceStep[],
  sampling: Sampling,
  depth: number,
): JsonValue {
  const [step, ...rest] = path;
  const reach = typeof step === "number" ? step + 1 : 0;
  const contained = partsContained(parts);
  const least = Math.min(Math.max(0, reach, contained.length, ...numbersOf(parts, "minItems")), MAX_ITEMS);
  const isUnique = parts.some((part) => getOwn(keywordsOf(part), "uniqueItems") === true);
  const items: JsonValue[] = [];
  const seen = new Set<string>();
  for (let index = 0; index < least; index++) {
    const wanted = contained[index];
    const about = [...itemParts(parts, index), ...(wanted === undefined ? [] : [wanted])];
    const isOnPath = index === step;
    const item = sample(about, isOnPath ? rest : [], sampling, isOnPath ? depth : depth + 1);
    const distinct = isUnique && seen.has(canonicalJson(item)) ? findUnseen(about, sampling, seen) : item;
    seen.add(canonicalJson(distinct));
    items.push(distinct);
  }
  return items;
}

/** Returns the parts under `contains`, each as often as the array must contain it. */
export function partsContained(parts: readonly DocumentPart[]): readonly DocumentPart[] {
  return parts.flatMap((part) => {
    const [count = 1] = numbersOf([part], "minContains");
    return Array.from({ length: Math.min(count, 50) }, () => partUnder(part, "contains")).flat();
  });
}

function findUnseen(
  parts: readonly DocumentPart[],
  sampling: Sampling,
  seen: ReadonlySet<string>,
): JsonValue {
  for (let turn = sampling.turn + 1; turn < sampling.turn + 8; turn++) {
    const value = sampleValue(parts, { ...sampling, turn, path: [] });
    if (!seen.has(canonicalJson(value))) return value;
  }
  const base = sampleValue(parts, { ...sampling, path: [] });
  if (typeof base === "number") return base + seen.size;
  return typeof base === "string"
    ? `${base}${seen.size}`
    : isJsonObject(base)
      ? { ...base, extra: seen.size }
      : seen.size;
}

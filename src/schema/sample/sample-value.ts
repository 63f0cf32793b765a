import { groupBy } from "../../core/collections.js";
import { canonicalJson, isJsonObject, type JsonValue } from "../../core/json.js";
import { joinPointer } from "../../core/json-pointer.js";
import type { ArrayNode, Property } from "../../core/schema-ir.js";
import { anyObjectNode, jsonTypeOf } from "../ir/node-types.js";
import { samplePattern } from "./sample-pattern.js";
import { sampleNumber, sampleText, typesOfParts } from "./sample-scalar.js";
import {
  allOfParts,
  type Branches,
  chosenParts,
  closeParts,
  conditionParts,
  containsParts,
  declaredNames,
  type InstanceStep,
  itemParts,
  propertyPatterns,
  nameParts,
  negatedParts,
  noRules,
  numbersOf,
  declaredProperties,
  propertyParts,
  referredParts,
  requiredBy,
  schemaRules,
  type SchemaPart,
  type SchemaRules,
  stepParts,
  textPatterns,
} from "./schema-part.js";

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
export function sampleValue(parts: readonly SchemaPart[], options: SampleOptions): JsonValue {
  return sample(parts, options.path, { ...options, budget: { left: MAX_VALUES } }, 0);
}

interface Sampling extends SampleOptions {
  readonly budget: { left: number };
}

/** Returns the parts with references and `allOf` followed and one branch of each union. */
export function chooseParts(
  parts: readonly SchemaPart[],
  { turn, branches }: SampleChoice,
): readonly SchemaPart[] {
  // Odd variants meet the condition, even variants do not.
  const conditional = turn % 2 === 1 ? (["if", "then"] as const) : (["else"] as const);
  return closeParts(parts, (part) => {
    const chosen = chosenParts(
      part,
      ({ at, members }) => branches.get(at) ?? turn % Math.max(members.length, 1),
    );
    return [
      ...referredParts(part),
      ...allOfParts(part),
      ...chosen,
      ...negatedParts(part).flatMap((negated) => takeOpposite(negated, turn)),
      ...conditionParts(part, ...conditional),
      ...(turn % 2 === 0 ? conditionParts(part, "if").map(withOtherValues) : []),
    ];
  });
}

/** Returns a part beyond one of the limits that a schema under `not` has. */
function takeOpposite(negated: SchemaPart, turn: number): readonly SchemaPart[] {
  const beyond = oppositesOf(negated.rules);
  const rules = beyond[turn % Math.max(beyond.length, 1)];
  return rules === undefined ? [] : [{ ...negated, rules: { ...noRules(negated.pointer), ...rules } }];
}

/** Returns, for each limit of a schema, the limit of all values beyond it. */
function oppositesOf({ number, string, array, object }: SchemaRules): readonly Partial<SchemaRules>[] {
  const opposites: Partial<SchemaRules>[] = [];
  if (number?.minimum !== undefined) opposites.push({ number: { exclusiveMaximum: number.minimum } });
  if (number?.exclusiveMinimum !== undefined)
    opposites.push({ number: { maximum: number.exclusiveMinimum } });
  if (number?.maximum !== undefined) opposites.push({ number: { exclusiveMinimum: number.maximum } });
  if (number?.exclusiveMaximum !== undefined)
    opposites.push({ number: { minimum: number.exclusiveMaximum } });
  if (string?.minLength !== undefined) opposites.push({ string: { maxLength: string.minLength - 1 } });
  if (string?.maxLength !== undefined) opposites.push({ string: { minLength: string.maxLength + 1 } });
  if (array?.minItems !== undefined)
    opposites.push({ array: { ...anyArray(array.at), maxItems: array.minItems - 1 } });
  if (array?.maxItems !== undefined)
    opposites.push({ array: { ...anyArray(array.at), minItems: array.maxItems + 1 } });
  if (object?.minProperties !== undefined)
    opposites.push({ object: { ...anyObjectNode(object.at), maxProperties: object.minProperties - 1 } });
  if (object?.maxProperties !== undefined)
    opposites.push({ object: { ...anyObjectNode(object.at), minProperties: object.maxProperties + 1 } });
  return opposites;
}

function anyArray(at: string): ArrayNode {
  return { kind: "array", at, prefix: [], uniqueItems: false };
}

/** Returns a part whose properties have none of the values that a condition requires, such as the tag of another branch. */
function withOtherValues(condition: SchemaPart): SchemaPart {
  const { object } = condition.rules;
  if (object === undefined) return { ...condition, rules: noRules(condition.pointer) };
  const properties = [...declaredProperties(object)].map(([name, schema]): Property => ({
    name,
    isRequired: false,
    isDeclared: true,
    schema: { kind: "not", at: joinPointer(object.at, "properties", name, "not"), schema },
  }));
  return {
    ...condition,
    rules: { ...noRules(condition.pointer), object: { ...anyObjectNode(object.at), properties } },
  };
}

/** Returns the parts for a place on one way from the root. */
export function partsAt(
  root: SchemaPart,
  path: readonly InstanceStep[],
  choice: SampleChoice,
): readonly SchemaPart[] {
  let parts = chooseParts([root], choice);
  for (const step of path) parts = chooseParts(stepParts(parts, step), choice);
  return parts;
}

function sample(
  start: readonly SchemaPart[],
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
export function pickLiteral(parts: readonly SchemaPart[], turn: number): JsonValue | undefined {
  const lists = listsOf(parts);
  const [first, ...others] = lists;
  if (first === undefined) return undefined;
  const compared =
    others.length === 0
      ? first.length / LITERALS_PER_STEP
      : lists.reduce((total, list) => total + list.length, 0) / COMPARED_PER_STEP;
  parts[0]?.spend(compared);
  const types = typesOfParts(parts);
  const excluded = listsOf(parts.flatMap(negatedParts));
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
function listsOf(parts: readonly SchemaPart[]): readonly (readonly JsonValue[])[] {
  return parts.flatMap(({ rules }) => rules.lists);
}

// A search compares the same lists many times.
const TEXTS = new WeakMap<readonly JsonValue[], ReadonlyMap<string, JsonValue>>();

/** Returns the values of a list by their canonical JSON. */
function byText(list: readonly JsonValue[]): ReadonlyMap<string, JsonValue> {
  const texts = TEXTS.get(list) ?? new Map(list.map((value) => [canonicalJson(value), value]));
  TEXTS.set(list, texts);
  return texts;
}

/** Whether a schema without `type` has rules that imply a type. */
const IMPLIED: readonly (readonly [type: string, isImplied: (rules: SchemaRules) => boolean])[] = [
  [
    "object",
    ({ object }) =>
      object !== undefined &&
      (object.properties.length > 0 ||
        object.patterns.length > 0 ||
        [object.additional, object.names, object.minProperties].some((rule) => rule !== undefined)),
  ],
  [
    "array",
    ({ array }) =>
      array !== undefined &&
      (array.prefix.length > 0 ||
        array.uniqueItems ||
        [array.items, array.minItems, array.contains].some((rule) => rule !== undefined)),
  ],
  [
    "string",
    ({ string }) =>
      [string?.pattern, string?.minLength, string?.maxLength, string?.assertedFormat].some(
        (rule) => rule !== undefined,
      ),
  ],
  [
    "number",
    ({ number }) =>
      [
        number?.minimum,
        number?.maximum,
        number?.multipleOf,
        number?.exclusiveMinimum,
        number?.exclusiveMaximum,
      ].some((rule) => rule !== undefined),
  ],
];

/** Returns one of the types that the parts allow or imply. */
export function pickType(parts: readonly SchemaPart[], turn: number): string {
  const types = typesOfParts(parts);
  if (types !== undefined) return types[turn % Math.max(types.length, 1)] ?? "null";
  const implied = IMPLIED.find(([, isImplied]) => parts.some(({ rules }) => isImplied(rules)));
  return implied?.[0] ?? ["string", "integer", "null", "object", "array", "boolean"][turn % 6] ?? "null";
}

function sampleObject(
  parts: readonly SchemaPart[],
  path: readonly InstanceStep[],
  sampling: Sampling,
  depth: number,
): JsonValue {
  const [step, ...rest] = path;
  const names = new Set(requiredBy(parts));
  if (typeof step === "string") names.add(step);
  addDependents(parts, names);
  const least = Math.min(Math.max(0, ...numbersOf(parts, "minProperties")), MAX_ITEMS);
  const declared = declaredNames(parts);
  const extra = extraNames(parts, least);
  // A schema may declare a property only to forbid it, so odd variants try other names first.
  for (const name of sampling.turn % 2 === 0 ? [...declared, ...extra] : [...extra, ...declared]) {
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
export function addDependents(parts: readonly SchemaPart[], names: Set<string>): void {
  const dependents = parts.flatMap(({ rules }) => rules.object?.dependents ?? []);
  if (dependents.length === 0) return;
  parts[0]?.spend(dependents.length / COMPARED_PER_STEP);
  const byName = groupBy(dependents, ({ name }) => name);
  for (const name of names) {
    for (const { required, schema } of byName.get(name) ?? []) {
      const others = schema === undefined ? [] : (schemaRules(schema).object?.required ?? []);
      for (const other of [...required, ...others]) names.add(other);
    }
  }
}

/** Returns names that no part declares, and names that fit the patterns and names of the parts. */
export function extraNames(parts: readonly SchemaPart[], count: number): readonly string[] {
  const patterns = parts.flatMap((part) => [
    ...propertyPatterns([part]),
    ...nameParts(part).flatMap((names) => [
      ...textPatterns([names]),
      ...names.rules.lists
        .flat()
        .filter((name) => typeof name === "string")
        .map(escapePattern),
    ]),
  ]);
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
  parts: readonly SchemaPart[],
  path: readonly InstanceStep[],
  sampling: Sampling,
  depth: number,
): JsonValue {
  const [step, ...rest] = path;
  const reach = typeof step === "number" ? step + 1 : 0;
  const contained = partsContained(parts);
  const least = Math.min(Math.max(0, reach, contained.length, ...numbersOf(parts, "minItems")), MAX_ITEMS);
  const isUnique = parts.some(({ rules }) => rules.array?.uniqueItems === true);
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
export function partsContained(parts: readonly SchemaPart[]): readonly SchemaPart[] {
  return parts.flatMap((part) => {
    const [count = 1] = numbersOf([part], "minContains");
    return Array.from({ length: Math.min(count, 50) }, () => containsParts(part)).flat();
  });
}

function findUnseen(parts: readonly SchemaPart[], sampling: Sampling, seen: ReadonlySet<string>): JsonValue {
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

import { generateSync, type JsonSchema } from "json-schema-faker";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.js";

export const SEED = 20_261_122;

/** The probability of optional properties, one sample each. */
const PROBABILITIES = [0, 0.5, 0.5, 1, 1];
const MAX_MUTANTS = 4_000;

/** Returns instances from json-schema-faker, and mutants of each. Not all of them are valid. */
export function* sampleInstances(schema: JsonValue, other: JsonValue): Generator<JsonValue> {
  const values = collectValues([schema, other]);
  const samples = PROBABILITIES.flatMap((optionalsProbability, index): readonly JsonValue[] => {
    const options = { seed: SEED + index, optionalsProbability, maxDefaultItems: 2, maxDepth: 6 };
    try {
      return [asJson(generateSync(schema as JsonSchema, options))];
    } catch {
      return [];
    }
  });
  for (const sample of samples) {
    yield sample;
    let count = 0;
    for (const mutant of mutate(sample, "", values)) {
      if (count++ >= MAX_MUTANTS) break;
      yield mutant;
    }
  }
}

function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

/** Returns copies of a value with one change each: a replaced, removed or added part. */
function* mutate(value: JsonValue, name: string, values: Values): Generator<JsonValue> {
  for (const other of [...(values.byName.get(name) ?? []), ...values.common]) yield other;
  if (Array.isArray(value)) {
    const list: readonly JsonValue[] = value;
    for (const size of values.sizes) yield resize(list, size);
    for (const [index, item] of list.entries())
      for (const other of mutate(item, name, values)) yield list.with(index, other);
  } else if (isJsonObject(value)) {
    yield { ...value, unmentioned: 1 };
    for (const [key, item] of Object.entries(value)) {
      yield Object.fromEntries(Object.entries(value).filter(([each]) => each !== key));
      for (const other of mutate(item, key, values)) yield { ...value, [key]: other };
    }
  }
}

function resize(list: readonly JsonValue[], size: number): readonly JsonValue[] {
  return Array.from({ length: size }, (_, index) => list[index % list.length] ?? index);
}

interface Values {
  /** Values in schemas, by their property. */
  readonly byName: ReadonlyMap<string, readonly JsonValue[]>;
  readonly common: readonly JsonValue[];
  readonly sizes: readonly number[];
}

const COMMON: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e9,
  "",
  "a",
  "a b/c",
  "2026-01-01",
  [],
  ["a"],
  [1],
  {},
];
const MAX_LENGTH = 3_000;

function collectValues(schemas: readonly JsonValue[]): Values {
  const byName = new Map<string, JsonValue[]>();
  const [numbers, sizes] = [new Set<number>(), new Set<number>()];
  const visit = (schema: JsonValue, name: string): void => {
    if (Array.isArray(schema)) for (const item of schema as readonly JsonValue[]) visit(item, name);
    if (!isJsonObject(schema)) return;
    const mentioned = ["enum", "examples"].flatMap((key) =>
      Array.isArray(schema[key]) ? (schema[key] as readonly JsonValue[]) : [],
    );
    const single = ["const", "default"].flatMap((key) => schema[key] ?? []);
    byName.set(name, [...(byName.get(name) ?? []), ...mentioned, ...single]);
    for (const [key, item] of Object.entries(schema)) {
      if (typeof item === "number" && /^(m|exclusiveM)(in|ax)imum$/.test(key)) numbers.add(item);
      if (typeof item === "number" && /^(min|max)(Length|Items)$/.test(key)) sizes.add(item);
      if (isJsonObject(item) && HOLDERS.has(key))
        for (const [each, part] of Object.entries(item)) visit(part, each);
      else if (!HOLDERS.has(key)) visit(item, name);
    }
  };
  for (const schema of schemas) visit(schema, "");
  const near = (all: ReadonlySet<number>): readonly number[] => [
    ...new Set([...all].flatMap((each) => [each - 1, each, each + 1])),
  ];
  const lengths = near(sizes).filter((size) => size >= 0 && size <= MAX_LENGTH);
  return {
    byName: new Map([...byName].map(([name, list]) => [name, distinct(list)])),
    // JSON numbers beyond the safe integers are not exact, so they are not used (docs/drift.md).
    common: [
      ...COMMON,
      ...near(numbers).filter((number) => Math.abs(number) <= Number.MAX_SAFE_INTEGER),
      ...lengths.map((size) => "a".repeat(size)),
    ],
    sizes: [0, 1, 2, ...lengths.filter((size) => size <= 100)],
  };
}

/** Keywords whose value maps names to schemas. */
const HOLDERS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

function distinct(list: readonly JsonValue[]): readonly JsonValue[] {
  return [...new Map(list.map((item) => [JSON.stringify(item), item])).values()];
}

/** Whether an instance passes only properties that are mentioned anywhere in a schema. */
export function isMentioned(instance: JsonValue, schema: JsonObject): boolean {
  const names = new Set(JSON.stringify(schema).match(/"(?:[^"\\]|\\.)*"(?=:)/g) ?? []);
  const visit = (value: JsonValue): boolean => {
    if (Array.isArray(value)) return (value as readonly JsonValue[]).every(visit);
    if (!isJsonObject(value)) return true;
    return Object.entries(value).every(([key, item]) => names.has(JSON.stringify(key)) && visit(item));
  };
  return visit(instance);
}

import fc from "fast-check";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.js";
import { findAt } from "../../../src/core/json-pointer.js";

/** Returns a generator of numbers in [0, 1) that depends only on the seed (mulberry32). */
export type Random = () => number;

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const SCALARS: readonly JsonValue[] = [null, true, false, 0, 1, -1, 1.5, 1e300, "", "a", "2024-01-01", "https://example.com", "toString", "😀"]; // prettier-ignore

function pick<T>(values: readonly T[], random: Random): T | undefined {
  return values[Math.floor(random() * values.length)];
}

/** Returns a value that often fits the schema. A validator must decide whether it does. */
export function generateInstance(schema: JsonValue, root: JsonValue, random: Random, depth = 0): JsonValue {
  if (!isJsonObject(schema) || depth > 12) return pick(SCALARS, random) ?? null;
  const ref = getOwn(schema, "$ref");
  if (typeof ref === "string" && ref.startsWith("#"))
    return generateInstance(findAt(root, ref.slice(1)) ?? true, root, random, depth + 1);
  if (Object.hasOwn(schema, "const")) return schema["const"] ?? null;
  const values = getOwn(schema, "enum");
  if (Array.isArray(values)) return pick(values as readonly JsonValue[], random) ?? null;
  const base = generateTyped(schema, root, random, depth);
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = getOwn(schema, keyword);
    if (!Array.isArray(branches)) continue;
    const part = generateInstance(
      pick(branches as readonly JsonValue[], random) ?? true,
      root,
      random,
      depth + 1,
    );
    return isJsonObject(base) && isJsonObject(part) ? { ...base, ...part } : part;
  }
  return base;
}

function generateTyped(schema: JsonObject, root: JsonValue, random: Random, depth: number): JsonValue {
  const declared = getOwn(schema, "type");
  const type = Array.isArray(declared) ? pick(declared as readonly JsonValue[], random) : (declared ?? (Object.hasOwn(schema, "properties") ? "object" : undefined)); // prettier-ignore
  const number = (keyword: string): number | undefined => {
    const value = getOwn(schema, keyword);
    return typeof value === "number" ? value : undefined;
  };
  if (type === "null") return null;
  if (type === "boolean") return random() < 0.5;
  if (type === "integer" || type === "number") {
    const low = number("minimum") ?? number("exclusiveMinimum") ?? -5;
    const high = number("maximum") ?? number("exclusiveMaximum") ?? low + 10;
    const value = pick([low, high, low + (high - low) * random()], random) ?? low;
    return type === "integer" ? Math.round(value) : value;
  }
  if (type === "string")
    return generateString(schema, number("minLength") ?? 0, number("maxLength") ?? 20, random);
  if (type === "array") {
    const items = getOwn(schema, "items");
    const length = Math.min(
      (number("minItems") ?? 0) + Math.floor(random() * 3),
      number("maxItems") ?? Infinity,
      20,
    );
    return Array.from({ length }, (_, index) => {
      const item = Array.isArray(items) ? (items as readonly JsonValue[])[index] : items;
      return generateInstance(item ?? true, root, random, depth + 1);
    });
  }
  if (type === "object") return generateObject(schema, root, random, depth);
  return pick(SCALARS, random) ?? null;
}

/** Samplers by pattern: parsing a pattern takes longer than many samples. */
const matching = new Map<string, fc.Arbitrary<string>>();

function stringsOf(pattern: string): fc.Arbitrary<string> {
  const strings = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern, "u"));
  matching.set(pattern, strings);
  return strings;
}

function generateString(schema: JsonObject, min: number, max: number, random: Random): string {
  const pattern = getOwn(schema, "pattern");
  if (typeof pattern === "string") {
    try {
      return fc.sample(stringsOf(pattern), { numRuns: 1, seed: Math.floor(random() * 1e9) })[0] ?? "";
    } catch {
      return "a"; // Past what the sampler knows: the judge decides.
    }
  }
  const length = Math.max(min, Math.min(max, Math.floor(random() * 6)));
  return random() < 0.2 ? "😀".repeat(Math.min(length, 300)) : "x".repeat(Math.min(length, 50_000));
}

function generateObject(schema: JsonObject, root: JsonValue, random: Random, depth: number): JsonValue {
  const properties = getOwn(schema, "properties");
  const required = getOwn(schema, "required");
  const names = Array.isArray(required) ? (required as readonly JsonValue[]) : [];
  const entries: (readonly [string, JsonValue])[] = [];
  for (const [name, property] of Object.entries(isJsonObject(properties) ? properties : {})) {
    if (!names.includes(name) && random() < 0.6) continue;
    entries.push([name, generateInstance(property, root, random, depth + 1)]);
  }
  const additional = getOwn(schema, "additionalProperties");
  if (isJsonObject(additional) && random() < 0.7)
    entries.push(["k1", generateInstance(additional, root, random, depth + 1)]);
  return Object.fromEntries(entries);
}

/** Returns the value with one change: a part replaced, a key removed, added or emptied, or an item doubled. */
export function mutateInstance(value: JsonValue, random: Random): JsonValue {
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    const index = Math.floor(random() * items.length);
    if (items.length === 0 || random() < 0.3)
      return (
        pick<JsonValue>([...SCALARS, [...items, ...items.slice(0, 1)], [...items, null], {}], random) ?? null
      );
    return items.map((item, position) => (position === index ? mutateInstance(item, random) : item));
  }
  if (isJsonObject(value)) {
    const keys = Object.keys(value);
    const key = pick(keys, random);
    const choice = random();
    if (choice < 0.15 || key === undefined) return { ...value, unknownKey: pick(SCALARS, random) ?? null };
    if (choice < 0.35) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
    if (choice < 0.4) return pick<JsonValue>([...SCALARS, [], {}], random) ?? null;
    return { ...value, [key]: mutateInstance(value[key] ?? null, random) };
  }
  if (typeof value === "number" && random() < 0.6)
    return (
      pick([value + 1, value - 1, value + 0.5, value * 2 ** 53, -value].filter(Number.isFinite), random) ?? 0
    );
  if (typeof value === "string" && random() < 0.6)
    return pick([`${value}!`, value.slice(1), value.toUpperCase(), value.repeat(40)], random) ?? "";
  return pick<JsonValue>([...SCALARS, [], {}, [null], { a: 1 }], random) ?? null;
}

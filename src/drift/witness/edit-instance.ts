import { findOwn, getOwn, isJsonArray, isJsonObject, type JsonValue } from "../../core/json.js";
import {
  findReferred,
  itemParts,
  keywordsOf,
  asList,
  partBelow,
  propertyParts,
  type DocumentPart,
  type InstanceStep,
} from "./schema-part.js";
import { sampleValue } from "./sample-value.js";

/** Returns the value at a path; undefined if there is no value. */
export function findValue(value: JsonValue, path: readonly InstanceStep[]): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const step of path) {
    if (typeof step === "string") found = findOwn(found, step);
    else found = isJsonArray(found) ? found[step] : undefined;
  }
  return found;
}

/** Returns a copy with another value at a path, or with that value removed. Returns the value itself if the path is invalid. */
export function editInstance(
  value: JsonValue,
  [step, ...rest]: readonly InstanceStep[],
  edit: (old: JsonValue | undefined) => JsonValue | undefined,
): JsonValue {
  if (step === undefined) return edit(value) ?? value;
  if (typeof step === "string") {
    if (!isJsonObject(value)) return value;
    const old = getOwn(value, step);
    const now = rest.length === 0 ? edit(old) : old === undefined ? undefined : editInstance(old, rest, edit);
    if (old !== undefined && now !== undefined)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, key === step ? now : item]));
    const others = Object.entries(value).filter(([key]) => key !== step);
    return Object.fromEntries(now === undefined ? others : [...others, [step, now]]);
  }
  if (!Array.isArray(value)) return value;
  const list: readonly JsonValue[] = value;
  const old = list[step];
  const now = rest.length === 0 ? edit(old) : old === undefined ? undefined : editInstance(old, rest, edit);
  return [...list.slice(0, step), ...(now === undefined ? [] : [now]), ...list.slice(step + 1)];
}

const PLAIN = { turn: 0, branches: new Map<string, number>(), path: [] } as const;
/** The most schemas for one value. */
const MAX_PARTS = 200;

/** Adds samples of the properties that a schema requires outside unions and that the instance lacks. */
export function fillRequired(schema: DocumentPart, instance: JsonValue): JsonValue {
  return fill([schema], instance);
}

/** Returns the names that a schema requires at a path outside unions. */
export function requiredAt(schema: DocumentPart, path: readonly InstanceStep[]): ReadonlySet<string> {
  let parts = withoutBranches([schema]);
  for (const step of path)
    parts = withoutBranches(typeof step === "string" ? propertyParts(parts, step) : itemParts(parts, step));
  return new Set(requiredBy(parts));
}

function requiredBy(parts: readonly DocumentPart[]): readonly string[] {
  return parts
    .flatMap((part) => asList(getOwn(keywordsOf(part), "required")))
    .filter((name) => typeof name === "string");
}

function fill(start: readonly DocumentPart[], value: JsonValue): JsonValue {
  const parts = withoutBranches(start);
  if (parts.length === 0) return value;
  if (isJsonArray(value)) return value.map((item, index) => fill(itemParts(parts, index), item));
  if (!isJsonObject(value)) return value;
  const missing = new Set(requiredBy(parts).filter((name) => !Object.hasOwn(value, name)));
  return Object.fromEntries([
    ...Object.entries(value).map(([name, item]) => [name, fill(propertyParts(parts, name), item)] as const),
    ...[...missing].map((name) => [name, sampleValue(propertyParts(parts, name), PLAIN)] as const),
  ]);
}

/** Returns the parts with references and `allOf` followed, without the branches of unions. */
function withoutBranches(start: readonly DocumentPart[]): readonly DocumentPart[] {
  const found: DocumentPart[] = [];
  const seen = new Set<JsonValue>();
  const queue = [...start];
  for (let part = queue.shift(); part !== undefined && found.length < MAX_PARTS; part = queue.shift()) {
    if (!isJsonObject(part.schema) || seen.has(part.schema)) continue;
    seen.add(part.schema);
    found.push(part);
    const all = asList(getOwn(part.schema, "allOf"));
    for (const [index, schema] of all.entries()) queue.push(partBelow(part, schema, "allOf", index));
    queue.push(...findReferred(part));
  }
  return found;
}

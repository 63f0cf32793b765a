import { canonicalJson } from "../contract/canonical-json.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import { joinPointer } from "./make-change.js";

/** Where a normalised schema stands in the raw definition. */
export interface Origin {
  readonly pointer: string;
  readonly raw: JsonObject;
}

export interface NormalizedSchema {
  readonly schema: JsonValue;
  /** By schema object; every object that stands for a schema is in it. */
  readonly origins: ReadonlyMap<JsonValue, Origin>;
}

/**
 * A schema without the differences in writing that mean nothing: two schemas that accept the same for one of the
 * reasons below have equal canonical JSON. Each step keeps exactly the instances that the schema accepts; what cannot
 * be rewritten safely is left alone.
 */
export function normalizeSchema(schema: JsonValue, pointer: string): NormalizedSchema {
  const scope: Scope = {
    origins: new Map(),
    hasReferences: mentions(schema, REFERENCES),
    // These see which properties and items other keywords have judged, so no other keyword may be dropped.
    hasUnevaluated: mentions(schema, UNEVALUATED),
    isOldDialect:
      isJsonObject(schema) && /draft-0?[34]/.test(canonicalJson(getOwn(schema, "$schema") ?? null)),
  };
  const normalized = normalize(schema, pointer, scope, true);
  return { schema: normalized, origins: scope.origins };
}

interface Scope {
  readonly origins: Map<JsonValue, Origin>;
  readonly hasReferences: boolean;
  readonly hasUnevaluated: boolean;
  /** Drafts 3 and 4: no `const`, and boolean `exclusiveMinimum`. */
  readonly isOldDialect: boolean;
}

const REFERENCES = new Set([
  "$ref",
  "$dynamicRef",
  "$recursiveRef",
  "$id",
  "id",
  "$anchor",
  "$dynamicAnchor",
]);
const UNEVALUATED = new Set(["unevaluatedProperties", "unevaluatedItems"]);

/** Keywords whose value is a schema, a list of them, or an object of them. */
export const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  ...[
    "items",
    "additionalItems",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
  ],
  ...["unevaluatedItems", "unevaluatedProperties", "contentSchema"],
]);
export const SCHEMA_LIST_KEYWORDS: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
export const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set([
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"],
]);

/** Keywords that say something and accept everything. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"],
]);

/** Values that say what leaving the keyword out says as well. */
const IMPLIED: Readonly<Record<string, readonly string[]>> = {
  required: ["[]"],
  properties: ["{}"],
  patternProperties: ["{}"],
  $defs: ["{}"],
  definitions: ["{}"],
  dependentSchemas: ["{}"],
  dependentRequired: ["{}"],
  minLength: ["0"],
  minItems: ["0"],
  minProperties: ["0"],
  uniqueItems: ["false"],
  deprecated: ["false"],
  readOnly: ["false"],
  writeOnly: ["false"],
  description: ['""'],
  title: ['""'],
};

const DEFAULT_DIALECT = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

function normalize(value: JsonValue, pointer: string, scope: Scope, isRoot: boolean): JsonValue {
  // PHP writes an empty object as an empty list, and `true` is the schema that says nothing.
  const raw = value === true || (Array.isArray(value) && value.length === 0) ? {} : value;
  if (!isJsonObject(raw)) return raw;
  const keys = new Map<string, JsonValue>();
  for (const [key, item] of Object.entries(raw)) {
    keys.set(key, normalizeKeyword(key, item, joinPointer(pointer, key), scope));
  }
  if (isRoot) dropUnusedParts(keys, scope);
  rewriteValues(keys, scope);
  dropImplied(keys, scope);
  unwrapSingle(keys);
  mergeNull(keys);
  const normalized = Object.fromEntries(keys);
  scope.origins.set(normalized, { pointer, raw });
  return normalized;
}

function normalizeKeyword(key: string, value: JsonValue, pointer: string, scope: Scope): JsonValue {
  if (SCHEMA_KEYWORDS.has(key)) {
    // Before 2020-12, `items` may be a list of schemas, by position.
    return Array.isArray(value) && value.length > 0
      ? normalizeList(value, pointer, scope)
      : normalize(value, pointer, scope, false);
  }
  if (SCHEMA_LIST_KEYWORDS.has(key) && Array.isArray(value)) return normalizeList(value, pointer, scope);
  if (SCHEMA_MAP_KEYWORDS.has(key)) {
    if (Array.isArray(value) && value.length === 0) return {};
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, schema]) => [
        name,
        normalize(schema, joinPointer(pointer, name), scope, false),
      ]),
    );
  }
  if ((key === "description" || key === "title") && typeof value === "string") return value.trim();
  return value;
}

function normalizeList(list: readonly JsonValue[], pointer: string, scope: Scope): readonly JsonValue[] {
  return list.map((schema, index) => normalize(schema, joinPointer(pointer, index), scope, false));
}

function dropUnusedParts(keys: Map<string, JsonValue>, scope: Scope): void {
  const dialect = keys.get("$schema");
  if (typeof dialect === "string" && DEFAULT_DIALECT.test(dialect)) keys.delete("$schema");
  if (scope.hasReferences) return;
  keys.delete("$defs");
  keys.delete("definitions");
}

function rewriteValues(keys: Map<string, JsonValue>, scope: Scope): void {
  const type = keys.get("type");
  if (Array.isArray(type)) keys.set("type", normalizeTypes(type));
  const required = keys.get("required");
  if (Array.isArray(required)) keys.set("required", sortValues(required));
  const constant = keys.get("const");
  if (constant !== undefined && !keys.has("enum") && !scope.isOldDialect) {
    keys.delete("const");
    keys.set("enum", [constant]);
  }
  const values = keys.get("enum");
  if (Array.isArray(values)) keys.set("enum", sortValues(values));
  const fallback = keys.get("default");
  if (type === "object" && Array.isArray(fallback) && fallback.length === 0) keys.set("default", {});
  if (isIntegerType(keys.get("type"))) {
    replaceExclusive(keys, "exclusiveMinimum", "minimum", 1);
    replaceExclusive(keys, "exclusiveMaximum", "maximum", -1);
  }
}

/** Every integer is a number, and a list of one type is that type. */
function normalizeTypes(types: readonly JsonValue[]): JsonValue {
  const sorted = sortValues(types.filter((type) => type !== "integer" || !types.includes("number")));
  const [only] = sorted;
  return sorted.length === 1 && only !== undefined ? only : sorted;
}

function isIntegerType(type: JsonValue | undefined): boolean {
  const types: readonly (JsonValue | undefined)[] = Array.isArray(type) ? type : [type];
  return types.includes("integer") && !types.includes("number");
}

/** Of whole numbers, more than 0 is at least 1. */
function replaceExclusive(
  keys: Map<string, JsonValue>,
  exclusive: string,
  inclusive: string,
  step: 1 | -1,
): void {
  const bound = keys.get(exclusive);
  if (typeof bound !== "number" || !Number.isSafeInteger(bound + step) || keys.has(inclusive)) return;
  keys.delete(exclusive);
  keys.set(inclusive, bound + step);
}

function dropImplied(keys: Map<string, JsonValue>, scope: Scope): void {
  for (const [key, value] of keys) {
    if (Object.hasOwn(IMPLIED, key) && IMPLIED[key]?.includes(canonicalJson(value)) === true)
      keys.delete(key);
  }
  if (scope.hasUnevaluated) return;
  if (isEmptyObject(keys.get("additionalProperties"))) keys.delete("additionalProperties");
  if (isEmptyObject(keys.get("items")) && !keys.has("additionalItems")) keys.delete("items");
}

/** `allOf`, `anyOf` and `oneOf` of one schema are that schema, where nothing stands beside them but annotations. */
function unwrapSingle(keys: Map<string, JsonValue>): void {
  for (const key of ["allOf", "anyOf", "oneOf"]) {
    const list = keys.get(key);
    if (!Array.isArray(list) || list.length !== 1) continue;
    const [only] = list as readonly JsonValue[];
    if (!isJsonObject(only) || !canMerge(keys, key, only)) continue;
    keys.delete(key);
    for (const [name, value] of Object.entries(only)) keys.set(name, value);
  }
}

/** Keywords that accept null whatever they say, because they judge other types only. */
const DEAF_TO_NULL: ReadonlySet<string> = new Set([
  ...ANNOTATIONS,
  ...["type", "enum", "properties", "patternProperties", "additionalProperties", "required", "propertyNames"],
  ...["minProperties", "maxProperties", "items", "prefixItems", "minItems", "maxItems", "uniqueItems"],
  ...[
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
  ],
  "multipleOf",
]);

/** "A schema, or null" is that schema with null among its types, where nothing stands beside it but annotations. */
function mergeNull(keys: Map<string, JsonValue>): void {
  for (const key of ["anyOf", "oneOf"]) {
    const list = keys.get(key);
    if (!Array.isArray(list) || list.length !== 2) continue;
    const branches: readonly JsonValue[] = list;
    const other = branches.find((branch) => canonicalJson(branch) !== '{"type":"null"}');
    if (!isJsonObject(other) || branches.every((branch) => canonicalJson(branch) !== '{"type":"null"}'))
      continue;
    const types = typesOf(getOwn(other, "type"));
    const values = getOwn(other, "enum");
    const isDeaf = Object.keys(other).every((name) => DEAF_TO_NULL.has(name));
    if (types === undefined || types.includes("null") || !isDeaf || !canMerge(keys, key, other)) continue;
    keys.delete(key);
    for (const [name, value] of Object.entries(other)) keys.set(name, value);
    keys.set("type", sortValues([...types, "null"]));
    if (Array.isArray(values))
      keys.set(
        "enum",
        sortValues([...(values as readonly JsonValue[]).filter((value) => value !== null), null]),
      );
  }
}

function typesOf(type: JsonValue | undefined): readonly JsonValue[] | undefined {
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type : undefined;
}

function canMerge(keys: ReadonlyMap<string, JsonValue>, wrapper: string, inner: JsonObject): boolean {
  const beside = [...keys.keys()].filter((name) => name !== wrapper);
  return beside.every((name) => ANNOTATIONS.has(name) && !Object.hasOwn(inner, name));
}

function isEmptyObject(value: JsonValue | undefined): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function sortValues(values: readonly JsonValue[]): readonly JsonValue[] {
  const texts = new Map(values.map((value) => [canonicalJson(value), value]));
  // Equal values say the same once.
  return [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}

function mentions(value: JsonValue, names: ReadonlySet<string>): boolean {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).some((item) => mentions(item, names));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, item]) => names.has(key) || mentions(item, names));
}

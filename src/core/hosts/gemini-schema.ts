/** Gemini's Schema, a part of OpenAPI 3.0: the form of `parameters`, which frameworks send instead of `parametersJsonSchema`. */
import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOrEmpty,
  mapEntries,
  objectOrEmpty,
  withoutKeys,
} from "../json.js";
import { findKeyword } from "../keywords.js";
import { DEEPEST_USABLE } from "../limits.js";
import { mergeBranches } from "../model-schema.js";
import { followReferences, mapKeyword, mapSubschemas, referredBy } from "../subschemas.js";
import { GEMINI_FIELDS, isObjectSchema, schemaTypes } from "./conditions.js";
import type { HostRuleName } from "./host-rules.js";

/** Whether the schemas that a keyword holds reach the model. */
export function isSent(key: string): boolean {
  return GEMINI_FIELDS.includes(key) || key === "prefixItems" || key === "$defs";
}

type Losses = Set<HostRuleName>;

/** The most references that are written out in a schema, since each target may have several more. */
const MOST_INLINED = 100;

/** Writes definitions in place of references. A circle ends in the type of its target. */
export function inlineReferences(root: JsonObject, losses: Losses): JsonObject {
  let left = MOST_INLINED;
  const visit = (schema: JsonObject, trail: readonly JsonValue[]): JsonObject => {
    if (!Object.hasOwn(schema, "$ref")) return mapSubschemas(schema, (inner) => visit(inner, trail));
    const target = referredBy(schema, root);
    const rest = withoutKeys(schema, "$ref");
    left -= 1;
    if (isJsonObject(target) && !trail.includes(target) && left >= 0)
      return visit({ ...target, ...rest }, [...trail, target]);
    losses.add("gemini-parameters-keyword");
    const type = findType(target);
    return mapSubschemas({ ...(type !== undefined && { type }), ...rest }, (inner) => visit(inner, trail));
  };
  return visit(withoutKeys(root, "$defs", "definitions"), []);
}

function findType(schema: JsonValue | undefined): JsonValue | undefined {
  return getOwn(objectOrEmpty(schema), "type");
}

const UNIONS = ["allOf", "anyOf", "oneOf"];

/**
 * Merges the alternatives of objects as at the root, and writes others as `anyOf`, the only union of Gemini's Schema. Its members
 * get the type that is beside it.
 */
export function flattenUnions(schema: JsonObject, losses: Losses, root = schema, depth = 0): JsonObject {
  const again = (flat: JsonObject): JsonObject => flattenUnions(flat, losses, root, depth + 1);
  if (depth > DEEPEST_USABLE || UNIONS.every((key) => !Object.hasOwn(schema, key)))
    return mapSubschemas(schema, again);
  const { allOf, oneOf, ...rest } = schema;
  const parts = listOrEmpty(allOf).map((part) => objectOrEmpty(followReferences(part, root)));
  const isObject = isObjectSchema(schema) || (parts.length > 0 && parts.every(isObjectSchema));
  if (parts.length !== 1 && (isObject || parts.length > 0 || oneOf !== undefined))
    losses.add("gemini-parameters-keyword");
  if (parts.length !== 1 && isObject) {
    const members = withoutKeys(rest, "anyOf", "required");
    return again({ type: "object", ...members, ...Object.fromEntries(mergeBranches(schema, root)) });
  }
  const { anyOf = oneOf, type, ...flat } = Object.assign({}, ...parts, rest) as JsonObject;
  const typed = { ...flat, ...(type !== undefined && { type }) };
  if (parts.length > 0) return again({ ...typed, ...(anyOf !== undefined && { anyOf }) });
  const branches = listOrEmpty(anyOf).map((branch) => ({
    ...(type !== undefined && { type }),
    ...objectOrEmpty(branch),
  }));
  return mapSubschemas(branches.length > 0 ? { ...flat, anyOf: branches } : typed, again);
}

/** Types for a value of any type: Gemini requires one, and for an array also its items. */
const ANY: readonly JsonValue[] = ["string", "number", "boolean", "object"];

/** Writes the types that the values or keywords of a schema without a type are about. */
export function addTypes(schema: JsonObject, losses: Losses): JsonObject {
  if (["type", "anyOf", "$ref"].some((key) => Object.hasOwn(schema, key))) return schema;
  const ofValues = constantsOf(schema).map((value) =>
    value === null ? "null" : isJsonArray(value) ? "array" : typeof value,
  );
  const ofKeywords = Object.keys(schema).flatMap((key) => findKeyword(key)?.of ?? []);
  const [type, ...others] = new Set(ofValues.length > 0 ? ofValues : ofKeywords);
  if (type !== undefined) return { ...schema, type: others.length > 0 ? [type, ...others] : type };
  losses.add("gemini-parameters-type-missing");
  return { ...schema, type: ANY };
}

function constantsOf(schema: JsonObject): readonly JsonValue[] {
  const constant = getOwn(schema, "const");
  return constant === undefined ? listOrEmpty(getOwn(schema, "enum")) : [constant];
}

/** Returns a schema with types, without references, and without unions but `anyOf`, in the fields that Gemini has. */
export function toGeminiSchema(schema: JsonObject, losses: Losses): JsonObject {
  const convert = (inner: JsonValue): JsonObject => toGeminiSchema(objectOrEmpty(inner), losses);
  const typed = writeTypes(schema, losses);
  const fields = mapEntries(typed, (value, key) =>
    isSent(key) ? mapKeyword(key, value, "", convert) : value,
  );
  for (const [key, value] of Object.entries(typed))
    if (isLimit(key, value)) losses.add("gemini-parameters-keyword");
  const tuple = listOrEmpty(getOwn(fields, "prefixItems"));
  const items = tuple.length > 1 ? { anyOf: tuple } : (tuple[0] ?? getOwn(fields, "items"));
  const isArray = getOwn(typed, "type") === "array";
  const sent = Object.entries({ ...fields, ...writeBounds(typed, losses) }).filter(([key]) =>
    GEMINI_FIELDS.includes(key),
  );
  return {
    ...withoutKeys(Object.fromEntries(sent), "enum", "items"),
    ...writeEnum(constantsOf(typed), losses),
    ...(isArray && { items: items ?? convert({}) }),
  };
}

/** Returns a schema with one type, or with `anyOf` of schemas. */
function writeTypes(raw: JsonObject, losses: Losses): JsonObject {
  const schema = addTypes(raw, losses);
  const anyOf = getOwn(schema, "anyOf");
  const rest = withoutKeys(schema, "anyOf", "type");
  if (isJsonArray(anyOf)) {
    const branches = anyOf.map(objectOrEmpty).filter((branch) => findType(branch) !== "null");
    const [branch, ...others] = branches;
    if (branch === undefined) return { ...rest, type: "null" };
    const nullable = branches.length < anyOf.length && { nullable: true };
    if (others.length > 0) return { ...rest, anyOf: branches, ...nullable };
    return writeTypes({ ...branch, ...rest, ...nullable }, losses);
  }
  const types = schemaTypes(schema);
  const values = constantsOf(schema);
  const [name, ...others] = types.filter((each) => each !== "null");
  if (name === undefined) return { ...withoutKeys(rest, "const", "enum"), type: "null" };
  const isNullable = types.includes("null") && (values.length === 0 || values.includes(null));
  const nullable = isNullable && { nullable: true };
  if (others.length === 0) return { ...rest, type: name, ...nullable };
  const ofType = (key: string): string | undefined => findKeyword(key)?.of;
  const shared = Object.entries(rest).filter(([key]) => ofType(key) === undefined);
  const branches = [name, ...others].map((each) => {
    const keywords = Object.entries(rest).filter(
      ([key]) => ofType(key) === (each === "integer" ? "number" : each),
    );
    return { type: each, ...Object.fromEntries(keywords) };
  });
  return { ...Object.fromEntries(shared), anyOf: branches, ...nullable };
}

/** Values that are not strings are written as strings, and keep their type. */
function writeEnum(values: readonly JsonValue[], losses: Losses): JsonObject {
  const constants = values.filter((value) => value !== null);
  if (constants.length === 0) return {};
  if (constants.every((value) => typeof value === "string")) return { enum: constants };
  if (constants.every((value) => typeof value !== "object"))
    return { enum: constants.map(String), format: "enum" };
  losses.add("gemini-parameters-enum");
  return {};
}

const BOUNDS = [
  ["exclusiveMinimum", "minimum", 1],
  ["exclusiveMaximum", "maximum", -1],
] as const;

function writeBounds(schema: JsonObject, losses: Losses): JsonObject {
  const bounds = BOUNDS.flatMap(([exclusive, bound, step]): readonly (readonly [string, JsonValue])[] => {
    const value = getOwn(schema, exclusive);
    if (typeof value !== "number") return [];
    const isInteger = getOwn(schema, "type") === "integer" && Number.isInteger(value);
    if (!isInteger) losses.add("gemini-parameters-keyword");
    const limit = isInteger ? value + step : value;
    const other = getOwn(schema, bound);
    // The stricter of both.
    return [[bound, typeof other === "number" && (other - limit) * step > 0 ? other : limit]];
  });
  return Object.fromEntries(bounds);
}

/** Whether a keyword that Gemini lacks limits the value, and is not written in another way. Models seldom add properties. */
function isLimit(key: string, value: JsonValue): boolean {
  if (GEMINI_FIELDS.includes(key) || key === "const" || key.startsWith("exclusive")) return false;
  if (key === "additionalProperties") return isJsonObject(value) && Object.keys(value).length > 0;
  if (key === "prefixItems") return listOrEmpty(value).length > 1;
  return findKeyword(key)?.vocabulary !== undefined || key === "dependencies";
}

import { getOwn, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import type { Dialect, FormatRule } from "../../core/schema-ir.js";
import { isKnown, isSince, languageOf } from "../../schema/raw/dialect.js";
import { flagsOf } from "../../schema/pattern/pattern-tree.js";
import { mapKeyword } from "../../core/subschemas.js";

interface KnownReading {
  readonly dialect: Dialect;
  /** `assert`: a string must match its format. */
  readonly formats?: FormatRule | undefined;
}

/** A schema that Ajv can compile, and its dialect. */
export interface NormalizedSchema extends KnownReading {
  readonly schema: JsonValue;
}

/**
 * Rewrites a schema so that Ajv reads it as the rest of the program does: PHP's empty lists become objects, and keywords
 * that are unknown to the dialect, have an invalid value, or have a meaning only to Ajv are removed. JSON Pointers stay the
 * same, except for the items of a tuple in the old spelling.
 */
export function normalizeForAjv(
  schema: JsonValue,
  inherited: Dialect,
  formats?: FormatRule,
): NormalizedSchema {
  const { dialect } = languageOf(schema, { dialect: inherited }, () => undefined);
  const cleaned = clean(schema, "", { dialect, formats });
  return { schema: cleaned, dialect, formats };
}

function clean(value: JsonValue, pointer: string, reading: KnownReading): JsonValue {
  const { dialect, formats } = reading;
  if (typeof value === "boolean") return value;
  const raw = isJsonObject(value) ? value : {};
  const isAlone = Object.hasOwn(raw, "$ref") && !isSince(dialect, "2019-09");
  const entries = Object.entries(raw).flatMap(([keyword, original]): readonly [string, JsonValue][] => {
    if (AJV_ALONE.has(keyword) || !isKnown(keyword, { dialect })) return [];
    if (keyword === "format" && formats !== "assert") return [];
    if (keyword === "id" && isSince(dialect, "draft-06")) return [];
    // Until draft 7, other keywords beside `$ref` have no effect, except that definitions can still be referred to.
    if (isAlone && keyword !== "$ref" && keyword !== "$defs" && keyword !== "definitions") return [];
    const isPhpMap = MAPS.has(keyword) && Array.isArray(original) && original.length === 0;
    const item = mapKeyword(keyword, isPhpMap ? {} : original, pointer, (schema, at) =>
      clean(schema, at, reading),
    );
    const isRight = keyword === "required" ? isNames : FORMS.get(keyword);
    return isRight === undefined || isRight(item, dialect) ? [[keyword, item]] : [];
  });
  const keywords = new Map(entries);
  // An empty `enum` accepts nothing, but Ajv does not compile it.
  const values = keywords.get("enum");
  if (Array.isArray(values) && values.length === 0) return false;
  if (!isAlone) requireByProperties(keywords, raw, dialect);
  if (dialect === "2020-12") nameTuple(keywords);
  return Object.fromEntries(keywords);
}

/** Keywords with a meaning to Ajv and none to JSON Schema. */
const AJV_ALONE = new Set(["$async", "nullable", "discriminator", "$data", "$schema", "$vocabulary"]);

const MAPS = new Set([
  ...["properties", "patternProperties", "dependencies", "dependentRequired", "dependentSchemas"],
]);

type IsRight = (value: JsonValue, dialect: Dialect) => boolean;

const isNumber: IsRight = (value) => typeof value === "number";
const isText: IsRight = (value) => typeof value === "string";
const isList: IsRight = (value) => Array.isArray(value);
const isFilledList: IsRight = (value) => Array.isArray(value) && value.length > 0;
const isMap: IsRight = (value) => isJsonObject(value);
const isNames: IsRight = (value) => Array.isArray(value) && value.every((name) => typeof name === "string");
const isPattern: IsRight = (value) => typeof value === "string" && flagsOf(value) !== undefined;
const isBound: IsRight = (value, dialect) =>
  typeof value === (isSince(dialect, "draft-06") ? "number" : "boolean");
const isType: IsRight = (value) => {
  const types: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  return types.length > 0 && types.every((type) => typeof type === "string" && TYPES.has(type));
};

const TYPES = new Set(["null", "boolean", "integer", "number", "string", "array", "object"]);

const FORMS: ReadonlyMap<string, IsRight> = new Map<string, IsRight>([
  ...["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
    "minContains", "maxContains"].map((keyword): [string, IsRight] => [keyword, isNumber]),
  ...["$ref", "$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "format"].map(
    (keyword): [string, IsRight] => [keyword, isText],
  ),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map((keyword): [string, IsRight] => [keyword, isFilledList]),
  ...["properties", "dependentSchemas", "$defs", "definitions"].map((keyword): [string, IsRight] => [keyword, isMap]),
  ["exclusiveMinimum", isBound],
  ["exclusiveMaximum", isBound],
  ["multipleOf", (value) => typeof value === "number" && value > 0],
  ["pattern", isPattern],
  ["uniqueItems", (value) => typeof value === "boolean"],
  ["enum", isList],
  ["type", isType],
  ["patternProperties", (value) => isJsonObject(value) && Object.keys(value).every((name) => flagsOf(name) !== undefined)],
  ["dependentRequired", (value, dialect) => isJsonObject(value) && Object.values(value).every((names) => isNames(names, dialect))],
  ["dependencies", isMap],
]); // prettier-ignore

/** Before draft 6, and in WordPress, a property may have `required: true`. */
function requireByProperties(keywords: Map<string, JsonValue>, raw: JsonObject, dialect: Dialect): void {
  const properties = getOwn(raw, "properties");
  if (isSince(dialect, "draft-06") || !isJsonObject(properties)) return;
  const names = Object.entries(properties).flatMap(([name, schema]) =>
    isJsonObject(schema) && getOwn(schema, "required") === true ? [name] : [],
  );
  const listed = keywords.get("required");
  const all = [...(isJsonArray(listed) ? listed : []), ...names];
  if (names.length > 0) keywords.set("required", [...new Set(all)]);
}

/** A list under `items` comes from an older dialect without `$schema`: 2020-12 calls it `prefixItems`. */
function nameTuple(keywords: Map<string, JsonValue>): void {
  const items = keywords.get("items");
  if (!isJsonArray(items)) return;
  keywords.set("prefixItems", items);
  const rest = keywords.get("additionalItems");
  if (rest === undefined) keywords.delete("items");
  else keywords.set("items", rest);
}

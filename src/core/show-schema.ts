import {
  findOwn,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  mapEntries,
  withoutKeys,
} from "./json.js";
import { DEEPEST_USABLE } from "./limits.js";
import { hasNumberText } from "./number-text.js";
import { holderOf, isSchema, mapSubschemas, subschemasOf } from "./subschemas.js";
import { splitPointer } from "./json-pointer.js";

/** Below `not` and `if` a missing keyword would make the schema accept less, not more. */
const NEGATED = ["not", "if"];
const BOUNDS: ReadonlySet<string> = new Set(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]);
const NUMBERS: ReadonlySet<string> = new Set([
  ...BOUNDS,
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minContains",
  "maxContains",
  "minProperties",
  "maxProperties",
]);

/**
 * Returns a schema as models see it, without parts that cost tokens and add nothing: `$schema`, unused definitions, additions of
 * libraries (Zod's bounds, patterns that repeat a `format`, Pydantic's titles), and invalid values, for which
 * providers refuse the whole request. Calls are checked against the whole schema.
 */
export function showSchema(schema: JsonObject): JsonObject {
  const entries = Object.entries(dropAdded(schema, 0)).filter(
    ([key, value]) => key !== "$schema" && !(key === "title" && isArgumentsTitle(value)),
  );
  return dropUnusedDefinitions(Object.fromEntries(entries));
}

function dropAdded(schema: JsonObject, depth: number): JsonObject {
  if (depth > DEEPEST_USABLE) return schema;
  const mapped = mapSubschemas(dropInvalid(schema, depth), (subschema, keyword) =>
    NEGATED.includes(keyword) ? subschema : dropAdded(subschema, depth + 1),
  );
  const shown = Object.entries(mapped).flatMap(([key, value]): [string, JsonValue][] => {
    if (key === "properties" && isJsonObject(value)) return [[key, mapEntries(value, dropTitle)]];
    if (key === "pattern") return shortenPattern(value, schema).map((pattern) => [key, pattern]);
    return saysNothing(key, value, schema) ? [] : [[key, value]];
  });
  return Object.fromEntries(shown);
}

/** Without keywords and entries that generated code ignores as invalid. */
function dropInvalid(schema: JsonObject, depth: number): JsonObject {
  const isDropped = (keyword: "not" | "if"): boolean => {
    const negated = getOwn(schema, keyword);
    return negated !== undefined && !isValid(negated, depth);
  };
  const dropsNot = isDropped("not");
  const dropsIf = isDropped("if");
  const kept = Object.entries(schema).flatMap(([key, value]): [string, JsonValue][] => {
    if (isInvalidNumber(key, value) || (key === "default" && hasNumberText(value, schema))) return [];
    if (key === "examples" && isJsonArray(value)) {
      const examples = value.filter((example) => !hasNumberText(example, schema));
      return value.length > 0 && examples.length === 0 ? [] : [[key, examples]];
    }
    if (key === "not") return dropsNot ? [] : [[key, value]];
    if (["if", "then", "else"].includes(key)) return dropsIf ? [] : [[key, value]];
    const holder = holderOf(key);
    if (holder === "map" && isJsonObject(value)) return [[key, keepSchemas(key, value)]];
    if (holder === undefined || holder === "map") return [[key, value]];
    const schemas: readonly JsonValue[] = Array.isArray(value) ? value : [value];
    return schemas.every(isSchema) ? [[key, value]] : [];
  });
  return Object.fromEntries(kept);
}

function keepSchemas(keyword: string, map: JsonObject): JsonObject {
  const isKept = (value: JsonValue): boolean =>
    isSchema(value) || (keyword === "dependencies" && Array.isArray(value));
  return Object.fromEntries(Object.entries(map).filter(([, value]) => isKept(value)));
}

function isValid(schema: JsonValue, depth: number): boolean {
  if (!isJsonObject(schema)) return isSchema(schema);
  if (depth > DEEPEST_USABLE || Object.entries(schema).some(([key, value]) => isInvalidNumber(key, value)))
    return false;
  return subschemasOf(schema, "").every(
    ([subschema]) => Array.isArray(subschema) || isValid(subschema, depth + 1),
  );
}

function isInvalidNumber(key: string, value: JsonValue): boolean {
  if (!NUMBERS.has(key)) return false;
  // In draft 4, `exclusiveMinimum: true` makes `minimum` exclusive.
  if (typeof value !== "number") return !(key.startsWith("exclusive") && typeof value === "boolean");
  return BOUNDS.has(key) && Number.isInteger(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

function saysNothing(key: string, value: JsonValue, schema: JsonObject): boolean {
  switch (key) {
    case "minimum":
      return value === Number.MIN_SAFE_INTEGER && isInteger(getOwn(schema, "type"));
    case "maximum":
      return value === Number.MAX_SAFE_INTEGER && isInteger(getOwn(schema, "type"));
    case "propertyNames":
      return isJsonObject(value) && Object.keys(value).length === 1 && value["type"] === "string";
    default:
      return false;
  }
}

function isInteger(type: JsonValue | undefined): boolean {
  if (!Array.isArray(type)) return type === "integer";
  return type.includes("integer") && !type.includes("number");
}

/** A property without a title that has the same letters and digits as its name. */
function dropTitle(property: JsonValue, name: string): JsonValue {
  const title = findOwn(property, "title");
  if (!isJsonObject(property) || typeof title !== "string" || lettersOf(title) !== lettersOf(name))
    return property;
  return withoutKeys(property, "title");
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

function isArgumentsTitle(title: JsonValue): boolean {
  return typeof title === "string" && /^\w+Arguments$/u.test(title);
}

// The patterns that Zod 4 adds to `z.iso.date()`, `z.iso.datetime()` and `z.uuid()`.
const DATE = String.raw`(?:(?:\d\d[2468][048]|\d\d[13579][26]|\d\d0[48]|[02468][048]00|[13579][26]00)-02-29|\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|(?:02)-(?:0[1-9]|1\d|2[0-8])))`;
const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?`;
const UUID = String.raw`([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff)`;

/** The part of a pattern that its format does not state, by both; undefined where there is none. */
const ADDED_BY_PATTERN: ReadonlyMap<string, string | undefined> = new Map([
  [`date ^${DATE}$`, undefined],
  [`uuid ^${UUID}$`, undefined],
  [String.raw`date-time ^${DATE}T(?:${TIME}(?:Z|([+-](?:[01]\d|2[0-3]):[0-5]\d)))$`, undefined],
  // Without `offset: true`: times in UTC.
  [`date-time ^${DATE}T(?:${TIME}(?:Z))$`, "Z$"],
]);

function shortenPattern(pattern: JsonValue, schema: JsonObject): readonly JsonValue[] {
  const format = getOwn(schema, "format");
  if (typeof pattern !== "string" || typeof format !== "string") return [pattern];
  const combination = `${format} ${pattern}`;
  if (!ADDED_BY_PATTERN.has(combination)) return [pattern];
  const added = ADDED_BY_PATTERN.get(combination);
  return added === undefined ? [] : [added];
}

const CONTAINERS = ["$defs", "definitions"] as const;

/**
 * A schema without unused `$defs` and `definitions`: servers often send all shared types with every tool. The same schema where it
 * refers to definitions by anything but a JSON Pointer.
 */
export function dropUnusedDefinitions(schema: JsonObject): JsonObject {
  if (!CONTAINERS.some((key) => Object.hasOwn(schema, key))) return schema;
  const used = findUsed(schema);
  if (used === undefined) return schema;
  const entries = Object.entries(schema).flatMap(
    ([key, value]): readonly (readonly [string, JsonValue])[] => {
      if (!isContainer(key) || !isJsonObject(value)) return [[key, value]];
      const kept = Object.entries(value).filter(([name]) => used.has(placeOf(key, name)));
      return kept.length === 0 ? [] : [[key, Object.fromEntries(kept)]];
    },
  );
  return Object.fromEntries(entries);
}

/** The definitions that the schema needs, as {@link placeOf} names them; undefined when that cannot be known. */
function findUsed(schema: JsonObject): ReadonlySet<string> | undefined {
  const used = new Set<string>();
  // An address of the whole schema changes no JSON Pointer.
  const entries = Object.entries(schema).filter(
    ([key]) => !isContainer(key) && key !== "$id" && key !== "id",
  );
  const open: JsonValue[] = [Object.fromEntries(entries)];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      open.push(inner);
      // A property may happen to be called `$ref`.
      if (typeof inner !== "string") continue;
      const steps = key === "$ref" ? stepsOf(inner) : [];
      if (MOVES_REFERENCES.has(key) || steps === undefined) return undefined;
      const [container = "", name] = steps;
      if (!isContainer(container)) continue;
      // A reference to the container itself, and so to none of its definitions.
      if (name === undefined) return undefined;
      const definition = findOwn(getOwn(schema, container), name);
      if (definition !== undefined && !used.has(placeOf(container, name))) open.push(definition);
      used.add(placeOf(container, name));
    }
  }
  return used;
}

/** Keywords by which a reference means another place than its JSON Pointer says. `id` is that of draft 4. */
const MOVES_REFERENCES: ReadonlySet<string> = new Set(["$id", "id", "$dynamicRef", "$recursiveRef"]);

/** The steps of a reference within the document; undefined for another one. */
function stepsOf(reference: string): readonly string[] | undefined {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  try {
    return splitPointer(decodeURIComponent(reference));
  } catch {
    return undefined;
  }
}

function isContainer(key: string): key is (typeof CONTAINERS)[number] {
  return key === "$defs" || key === "definitions";
}

function placeOf(container: string, name: string): string {
  return `${container}/${name}`;
}

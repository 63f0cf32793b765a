import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOrEmpty,
  objectOrEmpty,
} from "../../core/json.js";
import type { Dialect, FormatRule } from "../../core/schema-ir.js";
import { parseSchema } from "../../schema/ir/parse-schema.js";
import { isKnown, isSince, languageOf } from "../../schema/raw/dialect.js";
import { flagsOf } from "../../schema/pattern/pattern-tree.js";
import { followReferences, mapKeyword, referencesIn } from "../../core/subschemas.js";
import { decodeFragment, joinPointer } from "../../core/json-pointer.js";
import { matchPattern } from "../../schema/pattern/match-pattern.js";

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
  const targets = isAddressed(schema) ? parseSchema(schema, { dialect }).targets : undefined;
  const cleaned = clean(schema, "", { dialect, formats, targets });
  return { schema: cleaned, dialect, formats };
}

/** Whether references may lead to an address, and none depends on the references that led to it. */
function isAddressed(schema: JsonValue): boolean {
  const hasText = (keywords: ReadonlySet<string>): boolean =>
    hasAny(schema, (key, item) => keywords.has(key) && typeof item === "string");
  return hasText(ADDRESSES) && !hasText(DYNAMIC);
}

interface Cleaning extends KnownReading {
  /** The JSON Pointer that each reference leads to, by the schema with the reference. Addresses are then not needed. */
  readonly targets: ReadonlyMap<string, string> | undefined;
}

function clean(value: JsonValue, pointer: string, reading: Cleaning): JsonValue {
  const { dialect, formats, targets } = reading;
  if (typeof value === "boolean") return value;
  const raw = isJsonObject(value) ? value : {};
  const isAlone = Object.hasOwn(raw, "$ref") && !isSince(dialect, "2019-09");
  const entries = Object.entries(raw).flatMap(([keyword, original]): readonly [string, JsonValue][] => {
    if (AJV_ALONE.has(keyword) || !isKnown(keyword, { dialect })) return [];
    if (keyword === "format" && formats !== "assert") return [];
    if (keyword === "id" && isSince(dialect, "draft-06")) return [];
    if (targets !== undefined && ADDRESSES.has(keyword)) return [];
    const target = keyword === "$ref" ? targets?.get(pointer) : undefined;
    if (target !== undefined) return [[keyword, `#${target.replaceAll("%", "%25")}`]];
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

/**
 * Removes the parts of a schema that do not matter to instances with only the keys and texts of a vocabulary: properties
 * with other names, branches that require them, and unused definitions. The result accepts the same of these instances,
 * and Ajv compiles it in a fraction of the time.
 */
export function pruneSchema(schema: JsonValue, words: Vocabulary): JsonValue {
  // A reference by name or address may lead anywhere.
  if (hasAddresses(schema)) return schema;
  let pruned = schema;
  for (;;) {
    const references = new Set(referencesIn(pruned).map((ref) => decodeFragment(ref.replace(/^#/, ""))));
    const next = prune(pruned, "", { words, referred: withAncestors(references), document: pruned });
    // A removed part may have had the last reference to another part.
    if (references.size === 0 || JSON.stringify(next).length === JSON.stringify(pruned).length) return next;
    pruned = next;
  }
}

interface Pruning {
  readonly words: Vocabulary;
  /** The JSON Pointers of the targets of references, and of all schemas around them. */
  readonly referred: ReadonlySet<string>;
  /** The schema that contains the targets of references. */
  readonly document: JsonValue;
}

function withAncestors(pointers: ReadonlySet<string>): ReadonlySet<string> {
  const all = new Set<string>();
  for (const pointer of pointers) {
    for (let at = pointer; at !== "" && !all.has(at); at = at.slice(0, at.lastIndexOf("/"))) all.add(at);
  }
  return all;
}

function prune(schema: JsonValue, pointer: string, pruning: Pruning): JsonValue {
  const { words, referred, document } = pruning;
  if (!isJsonObject(schema)) return schema;
  const entries = Object.entries(schema).map(([keyword, value]): [string, JsonValue] => {
    const isUnion = keyword === "anyOf" || keyword === "oneOf";
    if (keyword === "dependentRequired") return [keyword, withNames(value, words)];
    const mapped = mapKeyword(keyword, value, pointer, (below, at, name) => {
      if (!isNeeded(keyword, name, words) && !referred.has(at)) return undefined;
      if (isUnion && !referred.has(at) && !isPossible(below, document, words)) return false;
      return prune(below, at, pruning);
    });
    const isNumbered = isUnion && referred.has(joinPointer(pointer, keyword));
    return [keyword, isUnion && !isNumbered ? withoutNever(mapped) : mapped];
  });
  return Object.fromEntries(entries);
}

/** Whether the schema that a keyword holds under a name can matter to an instance with these words. */
function isNeeded(keyword: string, name: string | undefined, { keys }: Vocabulary): boolean {
  switch (keyword) {
    case "properties":
    case "dependentSchemas":
      return name !== undefined && keys.has(name);
    case "patternProperties":
      return name === undefined || [...keys].some((key) => matchPattern(name, key) !== false);
    case "$defs":
    case "definitions":
      return false;
    default:
      return true;
  }
}

function withNames(value: JsonValue, { keys }: Vocabulary): JsonValue {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => keys.has(name)));
}

/** Removes the branches of a union that accept nothing; keeps one if all accept nothing. */
function withoutNever(branches: JsonValue): JsonValue {
  if (!isJsonArray(branches)) return branches;
  const possible = branches.filter((branch) => branch !== false);
  return possible.length === 0 ? [false] : possible;
}

const ADDRESSES: ReadonlySet<string> = new Set(["$id", "id", "$anchor"]);
const DYNAMIC: ReadonlySet<string> = new Set([
  ...["$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor"],
]);

function hasAddresses(schema: JsonValue): boolean {
  return hasAny(
    schema,
    (key, item) =>
      ((ADDRESSES.has(key) || DYNAMIC.has(key)) && typeof item === "string") ||
      (key === "$ref" && typeof item === "string" && !item.startsWith("#")),
  );
}

/** Whether an object at any depth has an entry. */
function hasAny(value: JsonValue, isMeant: (key: string, item: JsonValue) => boolean): boolean {
  if (isJsonArray(value)) return value.some((item) => hasAny(item, isMeant));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, item]) => isMeant(key, item) || hasAny(item, isMeant));
}

/** The keys and strings of instances. Shrinking may remove characters from the strings. */
export interface Vocabulary {
  readonly keys: ReadonlySet<string>;
  readonly texts: ReadonlySet<string>;
}

/** With more texts, or longer texts, every value counts as possible. */
const MAX_TEXTS = 200;
const MAX_LENGTH = 200;

export function vocabularyOf(instances: readonly JsonValue[]): Vocabulary {
  const words = { keys: new Set<string>(), texts: new Set<string>() };
  const open = [...instances];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === "string") words.texts.add(value);
    if (typeof value !== "object" || value === null) continue;
    if (!isJsonArray(value)) for (const key of Object.keys(value)) words.keys.add(key);
    for (const item of Object.values(value) as readonly JsonValue[]) open.push(item);
  }
  return words;
}

/**
 * Whether a branch may accept a value with these words. False only if the branch certainly requires an object with another
 * key, or with a string that no text can shrink to.
 */
function isPossible(branch: JsonValue, document: JsonValue, words: Vocabulary): boolean {
  const schema = followReferences(branch, document);
  // A reference to nothing.
  if (isJsonObject(schema) && Object.hasOwn(schema, "$ref")) return true;
  if (!isJsonObject(schema) || getOwn(schema, "type") !== "object") return true;
  const properties = objectOrEmpty(getOwn(schema, "properties"));
  return listOrEmpty(getOwn(schema, "required")).every((name) => {
    if (typeof name !== "string") return true;
    return words.keys.has(name) && canHold(getOwn(properties, name), words);
  });
}

function canHold(schema: JsonValue | undefined, { texts }: Vocabulary): boolean {
  const keywords = objectOrEmpty(schema);
  const constant = getOwn(keywords, "const");
  const values = constant === undefined ? getOwn(keywords, "enum") : [constant];
  if (!isJsonArray(values) || texts.size > MAX_TEXTS) return true;
  return values.some(
    (value) =>
      typeof value !== "string" ||
      texts.has(value) ||
      [...texts].some((text) => text.length > MAX_LENGTH || isWithin(value, text)),
  );
}

/** Whether removing characters from a text can result in another text. */
function isWithin(short: string, long: string): boolean {
  let at = 0;
  for (const character of long) if (short.startsWith(character, at)) at += character.length;
  return at === short.length;
}

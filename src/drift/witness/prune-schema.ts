import { decodeFragment, findAt, joinPointer } from "../../contract/json-pointer.js";
import { getOwn, isJsonArray, isJsonObject, type JsonValue } from "../../contract/json.js";
import { mapKeyword } from "../../contract/subschemas.js";
import { matchPattern } from "../inclusion/match-pattern.js";
import { listOf, mapOf } from "./schema-part.js";

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
    const references = collectReferences(pruned);
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

/** Returns the JSON Pointers of all references in a schema. */
function collectReferences(value: JsonValue, found = new Set<string>()): ReadonlySet<string> {
  if (isJsonArray(value)) for (const item of value) collectReferences(item, found);
  if (!isJsonObject(value)) return found;
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === "string" && key === "$ref") found.add(decodeFragment(item.replace(/^#/, "")));
    else collectReferences(item, found);
  }
  return found;
}

const ADDRESSES = [
  ...["$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor"],
];

function hasAddresses(value: JsonValue): boolean {
  if (isJsonArray(value)) return value.some(hasAddresses);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([key, item]) =>
      (ADDRESSES.includes(key) && typeof item === "string") ||
      (key === "$ref" && typeof item === "string" && !item.startsWith("#")) ||
      hasAddresses(item),
  );
}

/** The keys and strings of instances. Shrinking may remove characters from the strings. */
export interface Vocabulary {
  readonly keys: ReadonlySet<string>;
  readonly texts: ReadonlySet<string>;
}

const MAX_HOPS = 8;
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
  let schema = branch;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    if (!isJsonObject(schema)) return true;
    const reference = getOwn(schema, "$ref");
    if (typeof reference !== "string") break;
    schema = (reference.startsWith("#") ? findAt(document, reference.slice(1)) : undefined) ?? true;
  }
  if (!isJsonObject(schema) || getOwn(schema, "type") !== "object") return true;
  const properties = mapOf(getOwn(schema, "properties"));
  return listOf(getOwn(schema, "required")).every((name) => {
    if (typeof name !== "string") return true;
    return words.keys.has(name) && canHold(getOwn(properties, name), words);
  });
}

function canHold(schema: JsonValue | undefined, { texts }: Vocabulary): boolean {
  const keywords = mapOf(schema);
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

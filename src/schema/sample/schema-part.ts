import { decodeFragment, findAt, joinPointer } from "../../core/json-pointer.js";
import {
  findOwn,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listOrEmpty,
  objectOrEmpty,
} from "../../core/json.js";
import type { Spend } from "../pattern/pattern-tree.js";
import { matchPattern } from "../pattern/match-pattern.js";

/** A schema inside a document, reached on one way from the root. */
export interface DocumentPart {
  readonly schema: JsonValue;
  /** JSON Pointer into the document. */
  readonly pointer: string;
  readonly document: JsonValue;
  /** The branch of each union on the way, by the pointer of the union's list. */
  readonly branches: Branches;
  /** Counts the steps of the search. */
  readonly spend: Spend;
}

export type Branches = ReadonlyMap<string, number>;

/** One step from an instance to a value in it. */
export type InstanceStep = string | number;

/** The most schemas that are followed from one place: nested unions may have any number. */
const MAX_PARTS = 300;

/** A name that schemas are unlikely to declare. */
export const EXTRA_NAME = "extra";

const NO_BRANCHES: Branches = new Map();

export function rootPart(document: JsonValue, spend: Spend = () => undefined): DocumentPart {
  return { schema: document, pointer: "", document, branches: NO_BRANCHES, spend };
}

/** Returns the part below a keyword of another part. */
export function partBelow(
  part: DocumentPart,
  schema: JsonValue,
  ...steps: readonly InstanceStep[]
): DocumentPart {
  return { ...part, schema, pointer: joinPointer(part.pointer, ...steps) };
}

export function keywordsOf({ schema }: DocumentPart): JsonObject {
  return objectOrEmpty(schema);
}

/** Returns the part under a keyword with one schema; none without the keyword. */
export function partUnder(part: DocumentPart, keyword: string): readonly DocumentPart[] {
  const schema = getOwn(keywordsOf(part), keyword);
  return schema === undefined ? [] : [partBelow(part, schema, keyword)];
}

/** Returns the parts under a keyword with a list of schemas. */
export function partsUnder(part: DocumentPart, keyword: string): readonly DocumentPart[] {
  return listOrEmpty(getOwn(keywordsOf(part), keyword)).map((schema, at) =>
    partBelow(part, schema, keyword, at),
  );
}

/** Returns the names under keywords with a map. */
export function namesUnder(
  parts: readonly DocumentPart[],
  ...keywords: readonly string[]
): readonly string[] {
  return parts.flatMap((part) =>
    keywords.flatMap((keyword) => Object.keys(objectOrEmpty(getOwn(keywordsOf(part), keyword)))),
  );
}

/** Returns the names that parts require. */
export function requiredBy(parts: readonly DocumentPart[]): readonly string[] {
  return parts
    .flatMap((part) => listOrEmpty(getOwn(keywordsOf(part), "required")))
    .filter((name) => typeof name === "string");
}

/** Returns the numbers under keywords. */
export function numbersOf(parts: readonly DocumentPart[], ...keywords: readonly string[]): readonly number[] {
  const found: number[] = [];
  // A union of hundreds of branches asks for the numbers of each, thousands of times.
  for (const part of parts) {
    const own = keywordsOf(part);
    for (const keyword of keywords) {
      const value = getOwn(own, keyword);
      if (typeof value === "number") found.push(value);
    }
  }
  return found;
}

const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"];

/** Returns the targets of a part's references within its document. A dynamic reference counts as a plain one. */
export function findReferred(part: DocumentPart): readonly DocumentPart[] {
  const keywords = keywordsOf(part);
  return REFERENCES.flatMap((keyword): readonly DocumentPart[] => {
    const reference = getOwn(keywords, keyword);
    if (typeof reference !== "string" || !reference.startsWith("#")) return [];
    const pointer = decodeFragment(reference.slice(1));
    if (pointer !== "" && !pointer.startsWith("/")) return findAnchor(part, pointer);
    const schema = findAt(part.document, pointer);
    return schema === undefined ? [] : [{ ...part, schema, pointer }];
  });
}

function findAnchor(part: DocumentPart, name: string): readonly DocumentPart[] {
  return ["$defs", "definitions"].flatMap((store) =>
    Object.entries(objectOrEmpty(getOwn(objectOrEmpty(part.document), store))).flatMap(
      ([key, schema]): readonly DocumentPart[] => {
        const isNamed = ["$anchor", "$dynamicAnchor"].some(
          (keyword) => getOwn(objectOrEmpty(schema), keyword) === name,
        );
        return isNamed ? [{ ...part, schema, pointer: joinPointer("", store, key) }] : [];
      },
    ),
  );
}

/** Returns parts and all further parts for the same value that they lead to, each schema once. */
export function closeParts(
  parts: readonly DocumentPart[],
  next: (part: DocumentPart) => readonly DocumentPart[],
): readonly DocumentPart[] {
  const found: DocumentPart[] = [];
  const seen = new Set<JsonValue>();
  const queue = [...parts];
  for (let part = queue.shift(); part !== undefined && found.length < MAX_PARTS; part = queue.shift()) {
    if (isJsonObject(part.schema) && seen.has(part.schema)) continue;
    seen.add(part.schema);
    found.push(part);
    queue.push(...next(part));
  }
  return found;
}

/** Returns all schemas for the same value: the parts, the targets of their references, all branches and conditions. */
export function expandParts(parts: readonly DocumentPart[]): readonly DocumentPart[] {
  return closeParts(parts, (part) => [...findReferred(part), ...partsBeside(part)]);
}

const BESIDE: ReadonlySet<string> = new Set(
  ["allOf", "anyOf", "oneOf", "if", "then", "else", "not", "dependentSchemas", "dependencies"], // prettier-ignore
);

function partsBeside(part: DocumentPart): readonly DocumentPart[] {
  const keywords = keywordsOf(part);
  if (!Object.keys(keywords).some((keyword) => BESIDE.has(keyword))) return [];
  const branches = ["anyOf", "oneOf"].flatMap((keyword) =>
    partsUnder(part, keyword).map((below, index): DocumentPart => ({
      ...below,
      branches: new Map([...part.branches, [joinPointer(part.pointer, keyword), index]]),
    })),
  );
  const dependent = ["dependentSchemas", "dependencies"].flatMap((keyword) =>
    Object.entries(objectOrEmpty(getOwn(keywords, keyword))).flatMap(([name, schema]) =>
      Array.isArray(schema) ? [] : [partBelow(part, schema, keyword, name)],
    ),
  );
  const single = ["if", "then", "else", "not"].flatMap((keyword) => partUnder(part, keyword));
  return [...partsUnder(part, "allOf"), ...branches, ...single, ...dependent];
}

/** Returns the parts for one property or item of the value. */
export function stepParts(parts: readonly DocumentPart[], step: InstanceStep): readonly DocumentPart[] {
  return typeof step === "string" ? propertyParts(parts, step) : itemParts(parts, step);
}

/** Returns the parts for one property of the value. */
export function propertyParts(parts: readonly DocumentPart[], name: string): readonly DocumentPart[] {
  parts[0]?.spend(parts.length / PARTS_PER_STEP);
  const found: DocumentPart[] = [];
  // Runs millions of times in one search, so it makes no lists on the way.
  for (const part of parts) {
    const keywords = keywordsOf(part);
    const before = found.length;
    const own = findOwn(getOwn(keywords, "properties"), name);
    if (own !== undefined) found.push(partBelow(part, own, "properties", name));
    const patterns = getOwn(keywords, "patternProperties");
    if (isJsonObject(patterns))
      for (const [pattern, schema] of Object.entries(patterns))
        if (matchPattern(pattern, name) === true)
          found.push(partBelow(part, schema, "patternProperties", pattern));
    if (found.length > before) continue;
    for (const keyword of REST_OF_PROPERTIES) found.push(...partUnder(part, keyword));
  }
  return found;
}

/** The schemas that are searched for a name or an index in one step. */
const PARTS_PER_STEP = 2;
const REST_OF_PROPERTIES = ["additionalProperties", "unevaluatedProperties"] as const;

/** Returns the parts for one item of the value. */
export function itemParts(parts: readonly DocumentPart[], index: number): readonly DocumentPart[] {
  parts[0]?.spend(parts.length / PARTS_PER_STEP);
  return parts.flatMap((part): readonly DocumentPart[] => {
    const keywords = keywordsOf(part);
    const items = getOwn(keywords, "items");
    const [tuple, tupleKeyword] = isJsonArray(items)
      ? [items, "items"]
      : [listOrEmpty(getOwn(keywords, "prefixItems")), "prefixItems"];
    const own = tuple[index];
    if (own !== undefined) return [partBelow(part, own, tupleKeyword, index)];
    const restKeyword = isJsonArray(items) ? "additionalItems" : "items";
    return [restKeyword, "unevaluatedItems"]
      .flatMap((keyword) => partUnder(part, keyword))
      .filter(({ schema }) => !isJsonArray(schema));
  });
}

/** The lines of schemas, and the lines of a schema before and after, without elements. */
import { findOwn, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../core/json.js";
import { joinPointer } from "../../../core/json-pointer.js";
import { followReferences, followToPlace, type PlacedSchema } from "../../../core/subschemas.js";
import { count } from "../../layout.js";

/** Deeper types are shortened; opening the tree shows them. */
const DEEPEST_TYPE = 3;
const MOST_VALUES = 8;
const ANYTHING = "anything";

/** A property, the items or an alternative of a schema. */
export interface Member extends PlacedSchema {
  readonly name: string;
  /** The name is a note, not the name of a property. */
  readonly isNote: boolean;
  readonly isRequired: boolean;
  /** One of several alternatives, which have no names. */
  readonly isChoice?: boolean;
}

interface Expansion {
  readonly members: readonly Member[];
  /** JSON Pointers to the schemas that these lines come from. */
  readonly from: readonly string[];
}

/** A line for each property of a schema, of its items, or for each alternative. */
export function expand(given: PlacedSchema, root: JsonValue, depth = 0): Expansion {
  const place = followToPlace(given, root);
  if (place === undefined || depth > DEEPEST_TYPE) return { members: [], from: [] };
  const { schema } = place;
  const at = (...steps: readonly (string | number)[]): string => joinPointer(place.pointer, ...steps);
  const parts = [place, ...placesIn(place, ["allOf"]).map((part) => followToPlace(part, root) ?? NOWHERE)];
  const named = new Map<string, Member>();
  for (const part of parts) {
    const required = new Set(listOf(part.schema, "required"));
    for (const [name, property] of Object.entries(objectOf(part.schema, "properties"))) {
      const pointer = joinPointer(part.pointer, "properties", name);
      named.set(name, { name, isNote: false, isRequired: required.has(name), schema: property, pointer });
    }
  }
  const others = findOwn(schema, "additionalProperties");
  const members = [
    ...named.values(),
    ...(isJsonObject(others) && Object.keys(others).length > 0
      ? [noteOf("[other keys]", others, at("additionalProperties"))]
      : []),
    ...Object.entries(objectOf(schema, "patternProperties")).map(([pattern, property]) =>
      noteOf(`[keys like ${pattern}]`, property, at("patternProperties", pattern)),
    ),
  ];
  const from = [given.pointer, ...parts.map((part) => part.pointer)];
  if (members.length > 0) return { members, from };
  const { first, rest, keyword } = itemsOf(schema);
  if (first.length > 0) {
    const items = first.map((item, index) => noteOf(`[item ${index + 1}]`, item, at(keyword, index)));
    const restAt = at(keyword === "items" ? "additionalItems" : "items");
    const members = isJsonObject(rest) ? [...items, noteOf("[other items]", rest, restAt)] : items;
    return { members, from };
  }
  if (isJsonObject(rest)) {
    const items = expand({ schema: rest, pointer: at("items") }, root, depth + 1);
    return { members: items.members, from: [...from, ...items.from] };
  }
  const choices = placesIn(place, ["anyOf", "oneOf"]);
  const objects = choices
    .map((choice) => ({ choice, below: expand(choice, root, depth + 1) }))
    .filter(({ below }) => below.members.length > 0);
  const [only] = objects;
  // Usually an object or null.
  if (only !== undefined && objects.length === 1)
    return { members: only.below.members, from: [...from, ...only.below.from] };
  return {
    members: objects.map(({ choice }, index) => ({
      ...noteOf(`[${index + 1} of ${objects.length}]`, choice.schema, choice.pointer),
      isChoice: true,
    })),
    from,
  };
}

const NOWHERE: PlacedSchema = { schema: {}, pointer: "" };

function noteOf(name: string, schema: JsonValue, pointer: string): Member {
  return { name, isNote: true, isRequired: false, schema, pointer };
}

function placesIn({ schema, pointer }: PlacedSchema, keywords: readonly string[]): readonly PlacedSchema[] {
  return keywords.flatMap((keyword) =>
    listOf(schema, keyword).map((each, at) => ({ schema: each, pointer: joinPointer(pointer, keyword, at) })),
  );
}

/** The items of a tuple, and the schema of those after them. */
function itemsOf(schema: JsonValue): {
  readonly first: readonly JsonValue[];
  readonly rest: JsonValue | undefined;
  /** The keyword of the tuple. */
  readonly keyword: string;
} {
  const items = findOwn(schema, "items");
  // Tuples before `prefixItems`.
  if (isJsonArray(items)) return { first: items, rest: findOwn(schema, "additionalItems"), keyword: "items" };
  return { first: listOf(schema, "prefixItems"), rest: items, keyword: "prefixItems" };
}

/** The texts of a line. */
export interface LineTexts {
  readonly type: string;
  readonly isRequired: boolean;
  readonly limits: readonly string[];
  /** Whether the schema restricts values in ways that the line does not show. */
  readonly hides: boolean;
  readonly description?: string | undefined;
}

/** Returns the texts of a line. */
export function lineTexts(
  { schema: given, isRequired, isNote }: Pick<Member, "schema" | "isRequired" | "isNote">,
  root: JsonValue,
): LineTexts {
  const schema = resolve(given, root);
  const description = findOwn(given, "description") ?? findOwn(schema, "description");
  return {
    type: typeOf(given, root),
    isRequired: isRequired && !isNote,
    limits: limitsOf(schema),
    hides: hasMore(given, root),
    description: typeof description === "string" ? description : undefined,
  };
}

/** A type as TypeScript would print it, shortened. */
function typeOf(given: JsonValue, root: JsonValue, depth = 0): string {
  if (given === true) return ANYTHING;
  if (given === false) return "nothing";
  const schema = resolve(given, root);
  const fixed = findOwn(schema, "const");
  if (fixed !== undefined) return JSON.stringify(fixed);
  const values = listOf(schema, "enum");
  if (values.length > 0) {
    const shown = values.slice(0, MOST_VALUES).map((value) => JSON.stringify(value));
    const rest = values.length - shown.length;
    return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(" | ");
  }
  if (depth > DEEPEST_TYPE) return "…";
  const choices = [...listOf(schema, "anyOf"), ...listOf(schema, "oneOf")];
  if (choices.length > 0) {
    const types = new Set(choices.slice(0, MOST_VALUES).map((choice) => typeOf(choice, root, depth + 1)));
    // Alternatives may only list required properties.
    if ([...types].some((type) => type !== ANYTHING)) return [...types].join(" | ");
  }
  const type = findOwn(schema, "type");
  const names = (isJsonArray(type) ? type : [type]).filter((name) => typeof name === "string");
  if (names.length === 0) {
    if (isJsonObject(findOwn(schema, "properties")) || listOf(schema, "allOf").length > 0) return "object";
    return ANYTHING;
  }
  return names
    .map((name) => {
      const { first, rest } = itemsOf(schema);
      if (name !== "array" || (first.length === 0 && rest === undefined)) return name;
      const list = rest === false && first.length > 0 ? [] : [listTypeOf(rest ?? true, root, depth)];
      if (first.length === 0) return list.join("");
      const shown = first.slice(0, MOST_VALUES).map((item) => typeOf(item, root, depth + 1));
      const more = first.length > shown.length ? ["…"] : list.map((type) => `...${type}`);
      return `[${[...shown, ...more].join(", ")}]`;
    })
    .join(" | ");
}

function listTypeOf(item: JsonValue, root: JsonValue, depth: number): string {
  const type = typeOf(item, root, depth + 1);
  return type.includes(" | ") ? `(${type})[]` : `${type}[]`;
}

/** Keywords that restrict values, and that the tree does not show. */
const NOT_SHOWN = [
  "not",
  "if",
  "contains",
  "minProperties",
  "maxProperties",
  "propertyNames",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "unevaluatedProperties",
  "unevaluatedItems",
];

function hasMore(given: JsonValue, root: JsonValue): boolean {
  const schema = resolve(given, root);
  const parts = [given, schema, ...listOf(schema, "allOf").map((part) => resolve(part, root))];
  const choices = [...listOf(schema, "anyOf"), ...listOf(schema, "oneOf")];
  return (
    parts.some((part) => NOT_SHOWN.some((keyword) => findOwn(part, keyword) !== undefined)) ||
    // The lines below are those of the properties.
    (choices.length > 0 && Object.keys(objectOf(schema, "properties")).length > 0)
  );
}

const LIMITS: readonly (readonly [keyword: string, words: string])[] = [
  ["format", ""],
  ["minimum", "≥ "],
  ["exclusiveMinimum", "> "],
  ["maximum", "≤ "],
  ["exclusiveMaximum", "< "],
  ["multipleOf", "multiple of "],
  ["minLength", "length ≥ "],
  ["maxLength", "length ≤ "],
  ["pattern", "pattern "],
  ["minItems", "items ≥ "],
  ["maxItems", "items ≤ "],
  ["default", "default "],
];

/** Keywords whose value a line always shows. */
const SHOWN: ReadonlySet<string> = new Set([
  ...LIMITS.map(([keyword]) => keyword),
  "type",
  "required",
  "uniqueItems",
  "deprecated",
  "description",
]);

/** Whether a line shows a value of a keyword, as JSON. */
export function showsKeyword(keyword: string, value: string): boolean {
  return (
    SHOWN.has(keyword) || (keyword === "additionalProperties" && (value === "true" || value === "false"))
  );
}

function limitsOf(schema: JsonValue): readonly string[] {
  const limits = LIMITS.flatMap(([keyword, words]) => {
    const value = findOwn(schema, keyword);
    if (value === undefined) return [];
    const isBare = keyword === "format" || keyword === "pattern";
    const text = isBare && typeof value === "string" ? value : JSON.stringify(value);
    return [`${words}${text.length > 80 ? `${text.slice(0, 79)}…` : text}`];
  });
  const rest = [
    ...(findOwn(schema, "uniqueItems") === true ? ["unique items"] : []),
    ...(findOwn(schema, "additionalProperties") === false ? ["no other keys"] : []),
    ...(findOwn(schema, "deprecated") === true ? ["deprecated"] : []),
  ];
  const values = listOf(schema, "enum").length;
  return [...limits, ...rest, ...(values > MOST_VALUES ? [count(values, "value")] : [])];
}

/** A schema that only refers to itself accepts any value. */
function resolve(schema: JsonValue, root: JsonValue): JsonValue {
  return followReferences(schema, root) ?? {};
}

function objectOf(value: JsonValue, key: string): JsonObject {
  const found = findOwn(value, key);
  return isJsonObject(found) ? found : {};
}

function listOf(value: JsonValue, key: string): readonly JsonValue[] {
  const found = findOwn(value, key);
  return isJsonArray(found) ? found : [];
}

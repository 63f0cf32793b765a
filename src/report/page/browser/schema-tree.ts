import { findOwn, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../core/json.js";
import { followReferences } from "../../../core/subschemas.js";
import { h, lazyDetails } from "./dom.js";
import { count } from "../../layout.js";

/** Deeper types are shortened; opening the tree shows them. */
const DEEPEST_TYPE = 3;
const MOST_VALUES = 8;
const ANYTHING = "anything";
/** Objects with at most this many properties are open at first. */
const MOST_OPEN = 14;

/** Returns a schema as a tree: a line for each property, with its type, limits and description. */
export function schemaTree(schema: JsonValue): HTMLElement {
  const lines = childrenCount(schema, schema) === 0 ? [] : childrenOf(schema, schema, []);
  const type = typeOf(schema, schema);
  return h(
    "div",
    {},
    lines.length > 0
      ? h("ul", { class: "tree" }, ...lines)
      : h("p", { class: "quiet" }, type === "object" ? "No properties." : type),
    hasMore(schema, schema) && h("p", { class: "quiet small hides" }, MORE),
  );
}

/** A line for each property of a schema, of its items, or for each alternative. */
function childrenOf(given: JsonValue, root: JsonValue, above: readonly JsonValue[]): readonly HTMLElement[] {
  const schema = resolve(given, root);
  const members = new Map<string, HTMLElement>();
  for (const part of [schema, ...partsOf(schema, root)]) {
    const required = new Set(listOf(part, "required"));
    for (const [name, property] of Object.entries(objectOf(part, "properties"))) {
      members.set(name, lineOf(name, property, { isRequired: required.has(name), root, above }));
    }
  }
  const lines = [...members.values()];
  const others = findOwn(schema, "additionalProperties");
  if (isJsonObject(others) && Object.keys(others).length > 0) {
    lines.push(lineOf("[other keys]", others, { isRequired: false, root, above, isNote: true }));
  }
  for (const [pattern, property] of Object.entries(objectOf(schema, "patternProperties"))) {
    lines.push(lineOf(`[keys like ${pattern}]`, property, { isRequired: false, root, above, isNote: true }));
  }
  if (lines.length > 0) return lines;
  const { first, rest } = itemsOf(schema);
  if (first.length > 0) {
    const others = isJsonObject(rest) ? [["[other items]", rest] as const] : [];
    return [...first.map((item, at) => [`[item ${at + 1}]`, item] as const), ...others].map(([name, item]) =>
      lineOf(name, item, { isRequired: false, root, above, isNote: true }),
    );
  }
  if (isJsonObject(rest)) return childrenOf(rest, root, above);
  const choices = [...listOf(schema, "anyOf"), ...listOf(schema, "oneOf")];
  const objects = choices.filter((choice) => childrenCount(choice, root) > 0);
  // Usually an object or null.
  if (objects.length === 1) return objects.flatMap((choice) => childrenOf(choice, root, above));
  return objects.map((choice, at) =>
    lineOf(`[${at + 1} of ${objects.length}]`, choice, { isRequired: true, root, above, isNote: true }),
  );
}

/** The items of a tuple, and the schema of those after them. */
function itemsOf(schema: JsonValue): {
  readonly first: readonly JsonValue[];
  readonly rest: JsonValue | undefined;
} {
  const items = findOwn(schema, "items");
  // Tuples before `prefixItems`.
  if (isJsonArray(items)) return { first: items, rest: findOwn(schema, "additionalItems") };
  return { first: listOf(schema, "prefixItems"), rest: items };
}

function partsOf(schema: JsonValue, root: JsonValue): readonly JsonValue[] {
  return listOf(schema, "allOf").map((part) => resolve(part, root));
}

function childrenCount(given: JsonValue, root: JsonValue, depth = 0): number {
  const schema = resolve(given, root);
  if (depth > DEEPEST_TYPE) return 0;
  const own = [schema, ...partsOf(schema, root)].reduce<number>(
    (sum, part) => sum + Object.keys(objectOf(part, "properties")).length,
    0,
  );
  const others = findOwn(schema, "additionalProperties");
  const keyed = Object.keys(objectOf(schema, "patternProperties")).length;
  const named = own + keyed + (isJsonObject(others) && Object.keys(others).length > 0 ? 1 : 0);
  if (named > 0) return named;
  const { first, rest } = itemsOf(schema);
  if (first.length > 0) return first.length + (isJsonObject(rest) ? 1 : 0);
  if (isJsonObject(rest)) return childrenCount(rest, root, depth + 1);
  const choices = [...listOf(schema, "anyOf"), ...listOf(schema, "oneOf")];
  return choices.filter((choice) => childrenCount(choice, root, depth + 1) > 0).length;
}

interface Line {
  readonly isRequired: boolean;
  readonly root: JsonValue;
  /** The schemas of the lines that hold this one. */
  readonly above: readonly JsonValue[];
  /** The name is a note, not the name of a property. */
  readonly isNote?: boolean;
}

function lineOf(
  name: string,
  given: JsonValue,
  { isRequired, root, above, isNote = false }: Line,
): HTMLElement {
  const schema = resolve(given, root);
  const description = findOwn(given, "description") ?? findOwn(schema, "description");
  const head = [
    h("span", { class: isNote ? "key note" : "key" }, name),
    h("span", { class: "type" }, typeOf(given, root)),
    isRequired && !isNote && h("span", { class: "required" }, "required"),
    ...limitsOf(schema).map((limit) => h("span", { class: "limit" }, limit)),
    hasMore(given, root) && h("span", { class: "limit hides" }, MORE),
    typeof description === "string" && h("span", { class: "about" }, description),
  ];
  const children = childrenCount(given, root);
  if (children === 0) return h("li", {}, h("div", { class: "leaf" }, ...head));
  const isOpen = above.length === 0 && children <= MOST_OPEN;
  return h(
    "li",
    {},
    lazyDetails(head, () => [h("ul", {}, ...childrenOf(given, root, [...above, schema]))], {
      isOpen,
      className: above.includes(schema) ? "again" : "",
    }),
  );
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
  ...["not", "if", "contains", "minProperties", "maxProperties", "propertyNames"],
  ...["dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties", "unevaluatedItems"],
];
const MORE = "more: see JSON Schema";

/** Whether a schema restricts values in ways that the tree does not show. */
function hasMore(given: JsonValue, root: JsonValue): boolean {
  const schema = resolve(given, root);
  const parts = [given, schema, ...partsOf(schema, root)];
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

/** A schema as a tree: a line for each property, with its type, limits and description. */
import { type JsonValue, findOwn, isJsonArray, isJsonObject, type JsonObject } from "../../../core/json.js";
import { type PlacedSchema, followReferences, followToPlace } from "../../../core/subschemas.js";
import type { PageFinding } from "../page-data.js";
import { CLASSES } from "./changes.js";
import { Lazy } from "./parts.js";
import { joinPointer } from "../../../core/json-pointer.js";
import { count } from "../../layout.js";

/** Objects with at most this many properties are open at first. */
const MOST_OPEN = 14;

interface Mark extends Pick<PageFinding, "class"> {
  /** JSON Pointer into the schema. */
  readonly pointer: string;
}

interface TreeContext {
  readonly root: JsonValue;
  readonly marks: readonly Mark[];
  readonly depth: number;
}

interface SchemaProps {
  readonly schema: JsonValue;
  readonly marks: readonly Mark[];
}

export function SchemaTree({ schema, marks }: SchemaProps) {
  const { type, limits } = lineTexts({ schema, isRequired: false, isNote: true }, schema);
  const members = expand({ schema, pointer: "" }, schema);
  return (
    <>
      {members.length > 0 ? (
        <ul class="tree">{linesOf(members, { root: schema, marks, depth: 0 })}</ul>
      ) : (
        <p class="quiet">{type === "object" ? "No properties." : type}</p>
      )}
      {limits.length > 0 && <p class="quiet">{limits.join(", ")}</p>}
    </>
  );
}

function linesOf(members: readonly Member[], context: TreeContext) {
  return members.map((member) => <Line key={member.pointer} member={member} context={context} />);
}

function Line({ member, context }: { readonly member: Member; readonly context: TreeContext }) {
  const { root, marks, depth } = context;
  const { name, isNote } = member;
  const { type, isRequired, limits, description } = lineTexts(member, root);
  const members = expand(member, root);
  const inside = marks.filter(({ pointer }) => isWithin(pointer, member));
  const isBelow = ({ pointer }: Mark): boolean => members.some((below) => isWithin(pointer, below));
  const mark = Object.keys(CLASSES).find((worst) =>
    inside.some((each) => each.class === worst && !isBelow(each)),
  );
  const head = (
    <>
      <code class={isNote ? "quiet" : "key"}>{name}</code> <code class="type">{type}</code>{" "}
      {isRequired && <span class="required">required </span>}
      {mark !== undefined && <span class={`badge ${mark}`}>changed</span>}{" "}
      {limits.map((limit) => (
        <code class="limit" key={limit}>
          {limit}
        </code>
      ))}
      {description !== undefined && <span class="about">{description}</span>}
    </>
  );
  const isOpen = depth === 0 ? members.length <= MOST_OPEN : depth < 9 && inside.some(isBelow);
  return (
    <li class={mark}>
      {members.length === 0 ? (
        head
      ) : (
        <Lazy summary={head} isOpen={isOpen}>
          {() => <ul>{linesOf(members, { root, marks, depth: depth + 1 })}</ul>}
        </Lazy>
      )}
    </li>
  );
}

function isWithin(pointer: string, { pointer: outer }: PlacedSchema): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`);
}

/** Deeper types are shortened; opening the tree shows them. */
const DEEPEST_TYPE = 3;
const MOST_VALUES = 8;
const ANYTHING = "anything";

/** A property, the items or an alternative of a schema. */
interface Member extends PlacedSchema {
  readonly name: string;
  /** The name is a note, not the name of a property. */
  readonly isNote: boolean;
  readonly isRequired: boolean;
}

/** A line for each property of a schema, of its items, or for each alternative. */
function expand(given: PlacedSchema, root: JsonValue, depth = 0): readonly Member[] {
  const place = followToPlace(given, root);
  if (place === undefined || depth > DEEPEST_TYPE) return [];
  const { schema } = place;
  const at = (...steps: readonly (string | number)[]): string => joinPointer(place.pointer, ...steps);
  const parts = [place, ...placesIn(place, ["allOf"]).flatMap((part) => followToPlace(part, root) ?? [])];
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
  if (members.length > 0) return members;
  const items = findOwn(schema, "items");
  if (isJsonObject(items)) return expand({ schema: items, pointer: at("items") }, root, depth + 1);
  const objects = placesIn(place, ["anyOf", "oneOf"])
    .map((choice) => ({ choice, below: expand(choice, root, depth + 1) }))
    .filter(({ below }) => below.length > 0);
  const [only] = objects;
  // Usually an object or null.
  if (only !== undefined && objects.length === 1) return only.below;
  return objects.map(({ choice }, index) =>
    noteOf(`[${index + 1} of ${objects.length}]`, choice.schema, choice.pointer),
  );
}

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
} {
  const items = findOwn(schema, "items");
  // Tuples before `prefixItems`.
  if (isJsonArray(items)) return { first: items, rest: findOwn(schema, "additionalItems") };
  return { first: listOf(schema, "prefixItems"), rest: items };
}

function lineTexts(
  { schema: given, isRequired, isNote }: Pick<Member, "schema" | "isRequired" | "isNote">,
  root: JsonValue,
) {
  const schema = resolve(given, root);
  const description = findOwn(given, "description") ?? findOwn(schema, "description");
  return {
    type: typeOf(given, root),
    isRequired: isRequired && !isNote,
    limits: [...new Set([given, schema, ...listOf(schema, "allOf")])].flatMap(limitsOf),
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

/** Keywords that the tree shows as names, types, lines and descriptions, and those that say nothing about values. */
const IN_TREE = new Set(
  (
    "type enum const required properties patternProperties items prefixItems additionalItems anyOf oneOf allOf " +
    "description title examples $ref $defs definitions $schema $id $comment"
  ).split(" "),
);
const LONGEST_LIMIT = 80;

/** The other keywords of a schema with their values, as in `maxLength 40`. */
function limitsOf(schema: JsonValue): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const limits = Object.entries(schema).flatMap(([keyword, value]) => {
    if (IN_TREE.has(keyword) || (keyword === "additionalProperties" && isJsonObject(value))) return [];
    const text = `${keyword} ${JSON.stringify(value)}`;
    return [text.length > LONGEST_LIMIT ? `${text.slice(0, LONGEST_LIMIT)}…` : text];
  });
  const values = listOf(schema, "enum").length;
  return [...limits, ...(values > MOST_VALUES ? [count(values, "value")] : [])];
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

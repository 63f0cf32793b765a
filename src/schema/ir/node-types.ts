import { isJsonObject, type JsonValue } from "../../core/json.js";
import type {
  Definitions,
  JsonType,
  ObjectNode,
  Property,
  SchemaIR,
  TypedNode,
  Annotations,
} from "../../core/schema-ir.js";

/** A set of JSON types, one bit each. */
export type TypeSet = number;

const BITS: { readonly [T in JsonType]: TypeSet } = {
  null: 1,
  boolean: 2,
  number: 4,
  string: 8,
  array: 16,
  object: 32,
};
export const ALL_TYPES: TypeSet = 63;

export function bitOf(type: JsonType): TypeSet {
  return BITS[type];
}

/** Whether a schema accepts values of one JSON type alone. */
export function isTyped(node: SchemaIR): node is TypedNode {
  return Object.hasOwn(BITS, node.kind);
}

export function typeOfValue(value: JsonValue): JsonType {
  if (value === null) return "null";
  if (isJsonObject(value)) return "object";
  if (typeof value === "object") return "array";
  return typeof value as "boolean" | "number" | "string";
}

/** As {@link typeOfValue}, and `integer` for whole numbers. */
export function jsonTypeOf(value: JsonValue): JsonType | "integer" {
  return Number.isInteger(value) ? "integer" : typeOfValue(value);
}

// A cache, since very many paths may lead to the same definition.
const KNOWN = new WeakMap<Definitions, Map<string, TypeSet>>();

function typesOfTarget(target: string, definitions: Definitions): TypeSet {
  const cached = KNOWN.get(definitions) ?? new Map<string, TypeSet>();
  KNOWN.set(definitions, cached);
  const node = definitions.get(target);
  const types = cached.get(target) ?? (node === undefined ? ALL_TYPES : typesOf(node, definitions));
  cached.set(target, types);
  return types;
}

/** Returns the types that a schema may accept. An upper bound: some restrictions are not analysed. */
export function typesOf(node: SchemaIR, definitions: Definitions): TypeSet {
  switch (node.kind) {
    case "any":
    case "not":
    case "if":
      return ALL_TYPES;
    case "never":
      return 0;
    case "literal":
      return node.values.reduce<TypeSet>((types, value) => types | BITS[typeOfValue(value)], 0);
    case "types":
    case "anyOf":
    case "oneOf":
      return node.members.reduce<TypeSet>((types, member) => types | typesOf(member, definitions), 0);
    case "allOf":
      return node.members.reduce<TypeSet>((types, member) => types & typesOf(member, definitions), ALL_TYPES);
    case "unevaluated":
    case "interpreted":
      return typesOf(node.schema, definitions);
    case "ref":
      return typesOfTarget(node.target, definitions);
    case "null":
    case "boolean":
    case "number":
    case "string":
    case "array":
    case "object":
      return BITS[node.kind];
    default:
      return node satisfies never;
  }
}

/**
 * Whether no value fits two of these schemas, as far as types, enumerated values and required tags show. In linear time, so
 * one tag must separate all objects.
 */
export function areAllDisjoint(members: readonly SchemaIR[], definitions: Definitions): boolean {
  const nodes = members
    .map((member) => follow(member, definitions))
    .filter((node) => typesOf(node, definitions) !== 0);
  if (new Set(nodes).size < nodes.length) return false;
  const outlines = nodes.map((node) => ({
    node,
    types: typesOf(node, definitions),
    values: valuesOf(node, definitions),
  }));
  const sharing = Object.values(BITS)
    .map((bit) => ({ bit, group: outlines.filter(({ types }) => (types & bit) !== 0) }))
    .filter(({ group }) => group.length > 1);
  // Schemas that share a type can be separated only if they are all enumerations or all objects.
  const isAlike = sharing.every(({ bit, group }) => {
    const listed = group.filter(({ values }) => values !== undefined).length;
    return listed === group.length || (listed === 0 && bit === BITS.object);
  });
  if (!isAlike) return false;
  const rivals = [...new Set(sharing.flatMap(({ group }) => group))];
  return (
    haveNoneInCommon(rivals.flatMap(({ values }) => (values === undefined ? [] : [values]))) &&
    areSeparated(
      rivals.flatMap(({ node, values }) => (values === undefined ? [node] : [])),
      definitions,
    )
  );
}

function areSeparated(objects: readonly SchemaIR[], definitions: Definitions): boolean {
  const tags = objects.map((node) => tagsOf(node, definitions));
  const [first, ...others] = tags;
  if (first === undefined) return true;
  for (const [name, values] of first) {
    const all = others.map((each) => each.get(name));
    const stated = all.filter((tag) => tag !== undefined);
    if (stated.length === all.length && haveNoneInCommon([values, ...stated])) return true;
  }
  return false;
}

type Values = readonly JsonValue[];
type Tags = ReadonlyMap<string, Values>;

function tagsOf(node: SchemaIR, definitions: Definitions): Tags {
  const properties = propertiesOf(node, definitions);
  const required = new Set(properties.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])));
  return new Map(
    properties.flatMap(({ name, schema }) => {
      const values = required.has(name) ? valuesOf(schema, definitions) : undefined;
      return values === undefined ? [] : [[name, values] as const];
    }),
  );
}

/** Returns the properties of an object. Parts of an `allOf` may declare a property and require it separately. */
function propertiesOf(start: SchemaIR, definitions: Definitions): readonly Property[] {
  const node = follow(start, definitions);
  if (node.kind === "object") return node.properties;
  if (node.kind === "allOf" || node.kind === "types")
    return node.members.flatMap((member) => propertiesOf(member, definitions));
  const isWrapper = node.kind === "unevaluated" || node.kind === "interpreted";
  return isWrapper ? propertiesOf(node.schema, definitions) : [];
}

/** Returns the values that a schema enumerates, which include all that it accepts; undefined if it has no enumeration. */
function valuesOf(start: SchemaIR, definitions: Definitions): Values | undefined {
  const node = follow(start, definitions);
  if (node.kind === "literal") return node.values;
  if (node.kind === "null") return [null];
  if (node.kind === "never") return [];
  if (node.kind === "unevaluated" || node.kind === "interpreted") return valuesOf(node.schema, definitions);
  if (node.kind !== "allOf" && node.kind !== "anyOf" && node.kind !== "oneOf" && node.kind !== "types")
    return undefined;
  const lists = node.members.map((member) => valuesOf(member, definitions));
  const stated = lists.filter((values) => values !== undefined);
  if (node.kind !== "allOf") return stated.length < lists.length ? undefined : [...new Set(stated.flat())];
  const types = typesOf(node, definitions);
  // The shortest list: each of them includes all values that the schema accepts.
  const [values] = stated.sort((a, b) => a.length - b.length);
  return values?.filter((value) => (types & BITS[typeOfValue(value)]) !== 0);
}

/** Returns the end of a chain of references, or its last reference if the chain has no end. */
function follow(node: SchemaIR, definitions: Definitions): SchemaIR {
  let current = node;
  for (let steps = 0; current.kind === "ref" && steps < 32; steps += 1) {
    current = definitions.get(current.target) ?? current;
  }
  return current;
}

/** Whether no value is in two of the enumerations. False if one has lists or objects, which are not compared. */
function haveNoneInCommon(enumerations: readonly Values[]): boolean {
  const seen = new Set<JsonValue>();
  return enumerations.every((values) => {
    const distinct = new Set(values);
    for (const value of distinct) {
      if (seen.has(value) || (typeof value === "object" && value !== null)) return false;
      seen.add(value);
    }
    return true;
  });
}

/** Adds annotations to a schema. They override its own. */
export function annotate(node: SchemaIR, annotations: Annotations | undefined): SchemaIR {
  return annotations ? { ...node, annotations: { ...node.annotations, ...annotations } } : node;
}

/** A node that accepts every object, and no other value. */
export function anyObjectNode(at: string): ObjectNode {
  return { kind: "object", at, properties: [], required: [], patterns: [], dependents: [] };
}

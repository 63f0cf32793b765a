import { isJsonObject, type JsonValue } from "../contract/json.js";
import type { Definitions, JsonType, LiteralNode, ObjectNode, SchemaIR } from "../contract/schema-ir.js";

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

export function typeOfValue(value: JsonValue): JsonType {
  if (value === null) return "null";
  if (isJsonObject(value)) return "object";
  if (typeof value === "object") return "array";
  return typeof value as "boolean" | "number" | "string";
}

// Kept, since the same definition may be reached in very many ways.
const KNOWN = new WeakMap<Definitions, Map<string, TypeSet>>();

function typesOfTarget(target: string, definitions: Definitions): TypeSet {
  const known = KNOWN.get(definitions) ?? new Map<string, TypeSet>();
  KNOWN.set(definitions, known);
  const node = definitions.get(target);
  const types = known.get(target) ?? (node === undefined ? ALL_TYPES : typesOf(node, definitions));
  known.set(target, types);
  return types;
}

/** Types outside which a schema accepts nothing: an upper bound, since not every schema shows its own. */
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

/** Whether no value is accepted by both, as far as types, enumerated values and required tags show it. */
export function isDisjoint(a: SchemaIR, b: SchemaIR, definitions: Definitions): boolean {
  const left = follow(a, definitions);
  const right = follow(b, definitions);
  if ((typesOf(left, definitions) & typesOf(right, definitions)) === 0) return true;
  if (left.kind === "literal" && right.kind === "literal") return haveNoneInCommon(left, right);
  if (left.kind !== "object" || right.kind !== "object") return false;
  return left.properties.some((tag) => {
    const other = findTag(right, tag.name, definitions);
    const own = findTag(left, tag.name, definitions);
    return own !== undefined && other !== undefined && haveNoneInCommon(own, other);
  });
}

/** The enumerated values of a required property; undefined when it has none. */
function findTag(node: ObjectNode, name: string, definitions: Definitions): LiteralNode | undefined {
  const property = node.properties.find((candidate) => candidate.name === name && candidate.isRequired);
  const schema = property && follow(property.schema, definitions);
  return schema?.kind === "literal" ? schema : undefined;
}

/** What a chain of references ends at, or the last reference of it when there is no end. */
export function follow(node: SchemaIR, definitions: Definitions): SchemaIR {
  let current = node;
  for (let steps = 0; current.kind === "ref" && steps < 32; steps += 1) {
    current = definitions.get(current.target) ?? current;
  }
  return current;
}

function haveNoneInCommon(a: LiteralNode, b: LiteralNode): boolean {
  const isScalar = (value: JsonValue): boolean => typeof value !== "object" || value === null;
  if (!a.values.every(isScalar) || !b.values.every(isScalar)) return false;
  const values = new Set(a.values);
  return !b.values.some((value) => values.has(value));
}

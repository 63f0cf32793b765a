import { isJsonObject, type JsonValue } from "../contract/json.js";
import type {
  Definitions,
  JsonType,
  LiteralNode,
  ObjectNode,
  SchemaIR,
  Annotations,
} from "../contract/schema-ir.js";

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
  return areAllDisjoint([a, b], definitions);
}

/** Pairs that are compared one by one where no one tag separates all members: enough for 400 of them. */
const MAX_PAIRS = 80_000;

/**
 * Whether no value is accepted by two of these schemas, as far as {@link isDisjoint} shows it for each pair. Takes linear
 * time where one tag separates all members; where it would take more than `MAX_PAIRS` comparisons, the answer is no.
 */
export function areAllDisjoint(members: readonly SchemaIR[], definitions: Definitions): boolean {
  const nodes = members
    .map((member) => follow(member, definitions))
    .filter((node) => typesOf(node, definitions) !== 0);
  if (new Set(nodes).size < nodes.length) return false;
  const sharing = Object.values(BITS)
    .map((bit) => nodes.filter((node) => (typesOf(node, definitions) & bit) !== 0))
    .filter((group) => group.length > 1);
  // What shares a type with another one is only known to differ between two enumerations, or two objects.
  const isAlike = sharing.every(
    ([first, ...others]) =>
      (first?.kind === "literal" || first?.kind === "object") &&
      others.every(({ kind }) => kind === first.kind),
  );
  if (!isAlike) return false;
  const rivals = [...new Set(sharing.flat())];
  return (
    haveNoneInCommon(rivals.filter((node) => node.kind === "literal")) &&
    areSeparated(
      rivals.filter((node) => node.kind === "object"),
      definitions,
    )
  );
}

/** Whether required tags tell each of these objects from every other one. */
function areSeparated(objects: readonly ObjectNode[], definitions: Definitions): boolean {
  const tags = objects.map((node) => tagsOf(node, definitions));
  const [first, ...others] = tags;
  if (first === undefined) return true;
  for (const [name, own] of first) {
    const all = others.map((each) => each.get(name));
    const known = all.filter((tag) => tag !== undefined);
    if (known.length === all.length && haveNoneInCommon([own, ...known])) return true;
  }
  if ((tags.length * (tags.length - 1)) / 2 > MAX_PAIRS) return false;
  const areApart = (left: Tags, right: Tags): boolean =>
    [...left].some(([name, own]) => {
      const other = right.get(name);
      return other !== undefined && haveNoneInCommon([own, other]);
    });
  return tags.every((left, index) => tags.slice(index + 1).every((right) => areApart(left, right)));
}

type Tags = ReadonlyMap<string, LiteralNode>;

/** The enumerated values of required properties, by name. */
function tagsOf(node: ObjectNode, definitions: Definitions): Tags {
  const tags = new Map<string, LiteralNode>();
  for (const { name, isRequired, schema } of node.properties) {
    const tag = isRequired ? follow(schema, definitions) : undefined;
    if (tag?.kind === "literal") tags.set(name, tag);
  }
  return tags;
}

/** What a chain of references ends at, or the last reference of it when there is no end. */
export function follow(node: SchemaIR, definitions: Definitions): SchemaIR {
  let current = node;
  for (let steps = 0; current.kind === "ref" && steps < 32; steps += 1) {
    current = definitions.get(current.target) ?? current;
  }
  return current;
}

/** Whether no value is in two of the enumerations; lists and objects are not compared. */
function haveNoneInCommon(literals: readonly LiteralNode[]): boolean {
  const seen = new Set<JsonValue>();
  return literals.every(({ values }) => {
    const own = new Set(values);
    for (const value of own) {
      if (seen.has(value) || (typeof value === "object" && value !== null)) return false;
      seen.add(value);
    }
    return true;
  });
}

/** What the outer schema says to people wins over what the inner one says. */
export function annotate(node: SchemaIR, annotations: Annotations | undefined): SchemaIR {
  return annotations ? { ...node, annotations: { ...node.annotations, ...annotations } } : node;
}

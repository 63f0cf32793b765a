import { canonicalJson } from "../../core/json.js";
import type {
  AllOfNode,
  Definitions,
  ObjectNode,
  Property,
  SchemaIR,
  TypedNode,
  UnevaluatedNode,
} from "../../core/schema-ir.js";
import { ALL_TYPES, annotate, bitOf, isTyped, typeOfValue, type TypeSet, typesOf } from "./node-types.js";
import { sameValueParts } from "./subschemas.js";

/** What combining schemas needs of the simplifier of the whole schema. */
export interface Combining {
  readonly definitions: Definitions;
  /** Returns the result of `make`; undefined if the references would not end, or beyond the limit of merges. */
  merge(a: SchemaIR, b: SchemaIR, make: () => SchemaIR | undefined): SchemaIR | undefined;
  /** Returns a simplified definition; undefined while it is being simplified. */
  definition(pointer: string): SchemaIR | undefined;
  /** Returns `anyOf` or `oneOf` of simplified members. */
  union(kind: "anyOf" | "oneOf", members: readonly SchemaIR[], node: SchemaIR): SchemaIR;
}

/** The most properties times branches for which a base is repeated in every branch. */
const MAX_DISTRIBUTED = 200;

/** Simplifies a conjunction of simplified members: see `Simplifier`. */
export function simplifyAllOf(node: AllOfNode, parts: readonly SchemaIR[], simplifier: Combining): SchemaIR {
  const { definitions } = simplifier;
  const flat = parts.flatMap((part) => (part.kind === "allOf" ? part.members : [part]));
  const types = flat.reduce((all, member) => all & typesOf(member, definitions), ALL_TYPES);
  if (types === 0) return { kind: "never", at: node.at };
  const narrow = flat.map((member) => {
    const narrowed = narrowTypes(member, types, definitions);
    if (narrowed.kind !== "anyOf" && narrowed.kind !== "oneOf") return narrowed;
    return simplifier.union(narrowed.kind, narrowed.members, narrowed);
  });
  if (narrow.some((member) => member.kind === "never")) return { kind: "never", at: node.at };
  const needed = dropImplied(narrow.filter((member) => member.kind !== "any"), simplifier); // prettier-ignore
  const merged = distributeBase(mergeMembers(needed, simplifier), simplifier);
  const [first, ...rest] = [...merged].sort((a, b) => rank(a) - rank(b));
  if (first === undefined) return annotate({ kind: "any", at: node.at }, node.annotations);
  const base = withNames(first, rest, simplifier);
  const annotations = { ...flat.find((member) => member.annotations)?.annotations, ...node.annotations };
  const whole: SchemaIR =
    rest.length === 0 && first.kind !== "not" && first.kind !== "if" ? base : conjunction(node, base, rest);
  return annotate(whole, Object.keys(annotations).length > 0 ? annotations : undefined);
}

// A `not` and an `if` are checks, which need a base.
function conjunction(node: AllOfNode, base: SchemaIR, rest: readonly SchemaIR[]): SchemaIR {
  const members =
    base.kind === "not" || base.kind === "if"
      ? [{ kind: "any", at: node.at } as const, base, ...rest]
      : [base, ...rest];
  return { kind: "allOf", at: node.at, members };
}

/** The ranks of members: the lowest is printed as the base with the most precise type, the others as checks. */
const RANK: Readonly<Record<SchemaIR["kind"], number>> = {
  object: 0,
  array: 0,
  literal: 1,
  anyOf: 2,
  oneOf: 2,
  ref: 3,
  unevaluated: 3,
  interpreted: 3,
  null: 4,
  boolean: 4,
  number: 4,
  string: 4,
  types: 6,
  any: 7,
  never: 7,
  allOf: 7,
  not: 8,
  if: 8,
};

function rank(node: SchemaIR): number {
  const isContainer = node.kind === "object" || node.kind === "array";
  return isContainer && hasOnlyTypes(node) ? 5 : RANK[node.kind];
}

function dropImplied(members: readonly SchemaIR[], { definitions }: Combining): readonly SchemaIR[] {
  const kept = [...members];
  for (let index = kept.length - 1; index >= 0; index -= 1) {
    const member = kept[index];
    if (member === undefined || !hasOnlyTypes(member)) continue;
    const others = kept.filter((_, position) => position !== index);
    const types = others.reduce((all, other) => all & typesOf(other, definitions), ALL_TYPES);
    if ((types & ~typesOf(member, definitions)) === 0) kept.splice(index, 1);
  }
  return kept;
}

function findObject(node: SchemaIR, simplifier: Combining): ObjectNode | undefined {
  if (node.kind !== "ref") return node.kind === "object" ? node : undefined;
  const target = simplifier.definition(node.target);
  if (target?.kind === "ref") return findObject(target, simplifier);
  return target?.kind === "object" ? target : undefined;
}

function mergeMembers(members: readonly SchemaIR[], simplifier: Combining): readonly SchemaIR[] {
  const merged: SchemaIR[] = [];
  for (const member of members) {
    let both: SchemaIR | undefined;
    for (let index = 0; both === undefined && index < merged.length; index += 1) {
      const current = merged[index];
      both = current && mergeTwo(current, member, simplifier);
      if (both) merged[index] = both;
    }
    if (both === undefined) merged.push(member);
  }
  return merged;
}

function mergeTwo(a: SchemaIR, b: SchemaIR, simplifier: Combining): SchemaIR | undefined {
  if (a.kind === "literal" && b.kind === "literal") {
    const values = new Set(b.values.map(canonicalJson));
    return { ...a, values: a.values.filter((value) => values.has(canonicalJson(value))) };
  }
  const left = findObject(a, simplifier);
  const right = findObject(b, simplifier);
  if (left === undefined || right === undefined) return undefined;
  return simplifier.merge(a, b, () =>
    mergeObjects(left, right, (first, other) => conjoin(first, other, simplifier)),
  );
}

function conjoin(a: SchemaIR, b: SchemaIR, simplifier: Combining): SchemaIR {
  return simplifyAllOf({ kind: "allOf", at: a.at, members: [a, b] }, [a, b], simplifier);
}

/**
 * Moves a base into each branch, so that the branches are part of the type: `{ properties: { id }, oneOf: […] }` becomes two
 * object schemas with an `id` each.
 */
function distributeBase(members: readonly SchemaIR[], simplifier: Combining): readonly SchemaIR[] {
  const base = members.find((member) => member.kind === "object");
  const union = members.find((member) => member.kind === "anyOf" || member.kind === "oneOf");
  if (base === undefined || union === undefined) return members;
  const branches = union.members.map((branch) => findObject(branch, simplifier));
  if (branches.length * base.properties.length > MAX_DISTRIBUTED) return members;
  const names = new Set(base.properties.map(({ name }) => name));
  if (!branches.some((branch) => branch?.properties.some(({ name }) => !names.has(name)))) return members;
  const merged = branches.map(
    (branch) =>
      branch &&
      simplifier.merge(base, branch, () => mergeObjects(base, branch, (a, b) => conjoin(a, b, simplifier))),
  );
  const whole = merged.filter((branch) => branch !== undefined);
  if (whole.length !== branches.length) return members;
  // The annotations of the base belong to the whole schema, not to each branch.
  const described = whole.map((branch, index) =>
    annotate({ ...branch, annotations: {} }, union.members[index]?.annotations),
  );
  const rest = members.filter((member) => member !== base && member !== union);
  return [simplifier.union(union.kind, described, union), ...rest];
}

// Checks may require properties that the base does not name. The type must include them.
function withNames(base: SchemaIR, checks: readonly SchemaIR[], { definitions }: Combining): SchemaIR {
  if (base.kind !== "object" || base.additional !== undefined) return base;
  const names = new Set(base.properties.map(({ name }) => name));
  const named = new Set(checks.flatMap((check) => [...findNames(check, definitions)]));
  const extra = [...named].filter((name) => !names.has(name));
  if (extra.length === 0) return base;
  const properties = extra.map((name) => ({
    name,
    isRequired: false,
    isDeclared: true,
    schema: { kind: "any", at: base.at } as const,
  }));
  return { ...base, properties: [...base.properties, ...properties] };
}

function findNames(node: SchemaIR, definitions: Definitions): ReadonlySet<string> {
  // The type need not include properties that are only forbidden.
  if (node.kind === "not") return new Set();
  const names = node.kind === "object" ? node.properties.map(({ name }) => name) : [];
  const target = node.kind === "ref" ? definitions.get(node.target) : undefined;
  const parts = target === undefined ? sameValueParts(node) : [target];
  return new Set([...names, ...parts.flatMap((part) => [...findNames(part, definitions)])]);
}

/** A node in which no rule may be forgotten. */
type WithAllRules<Node> = { readonly [Rule in keyof Node]-?: Node[Rule] | undefined } & Node;

type Conjoin = (a: SchemaIR, b: SchemaIR) => SchemaIR;

/** Returns one object schema that accepts exactly what both accept; undefined if there is none. */
export function mergeObjects(
  a: ObjectNode,
  b: ObjectNode,
  conjoin: Conjoin,
): WithAllRules<ObjectNode> | undefined {
  if (!allowsNames(a, b) || !allowsNames(b, a)) return undefined;
  const both = (left: SchemaIR | undefined, right: SchemaIR | undefined): SchemaIR | undefined =>
    left && right ? conjoin(left, right) : (left ?? right);
  const additional = both(a.additional, b.additional);
  const names = both(a.names, b.names);
  const minProperties = Math.max(a.minProperties ?? 0, b.minProperties ?? 0);
  const maxProperties = Math.min(a.maxProperties ?? Infinity, b.maxProperties ?? Infinity);
  return {
    kind: "object",
    at: a.at,
    annotations: a.annotations,
    properties: mergeProperties(a.properties, b.properties, conjoin),
    required: [...new Set([...a.required, ...b.required])],
    patterns: [...a.patterns, ...b.patterns],
    additional,
    names,
    minProperties: minProperties > 0 ? minProperties : undefined,
    maxProperties: maxProperties < Infinity ? maxProperties : undefined,
    dependents: [...a.dependents, ...b.dependents],
  };
}

// `additionalProperties` depends only on the names in its own schema. So it may be merged only with a schema that has no
// other names.
function allowsNames(a: ObjectNode, b: ObjectNode): boolean {
  if (a.additional === undefined || a.additional.kind === "any") return true;
  const names = new Set(a.properties.filter(({ isDeclared }) => isDeclared).map(({ name }) => name));
  return (
    b.patterns.length === 0 && b.properties.every(({ name, isDeclared }) => !isDeclared || names.has(name))
  );
}

function mergeProperties(
  a: readonly Property[],
  b: readonly Property[],
  conjoin: Conjoin,
): readonly Property[] {
  const merged = new Map(a.map((property) => [property.name, property]));
  for (const property of b) {
    const cached = merged.get(property.name);
    merged.set(property.name, cached === undefined ? property : {
      name: property.name,
      isRequired: cached.isRequired || property.isRequired,
      isDeclared: cached.isDeclared || property.isDeclared,
      schema: conjoin(cached.schema, property.schema),
    }); // prettier-ignore
  }
  return [...merged.values()];
}

/** Returns a schema without its rules for types that cannot occur. Accepts the same values of all other types. */
export function narrowTypes(node: SchemaIR, types: TypeSet, definitions: Definitions): SchemaIR {
  switch (node.kind) {
    case "types": {
      const members = node.members.filter((member) => (bitOf(member.kind) & types) !== 0);
      const [only] = members;
      if (members.length !== 1 || only === undefined)
        return members.length === 0 ? never(node) : { ...node, members };
      return node.annotations ? { ...only, annotations: node.annotations } : only;
    }
    case "literal":
      return { ...node, values: node.values.filter((value) => (bitOf(typeOfValue(value)) & types) !== 0) };
    case "anyOf":
    case "oneOf": {
      const members = node.members
        .map((member) => narrowTypes(member, types, definitions))
        .filter((member) => member.kind !== "never");
      return members.length === 0 ? never(node) : { ...node, members };
    }
    case "null":
    case "boolean":
    case "number":
    case "string":
    case "array":
    case "object":
      return (bitOf(node.kind) & types) === 0 ? never(node) : node;
    case "ref":
      return (typesOf(node, definitions) & types) === 0 ? never(node) : node;
    case "any":
    case "never":
    case "allOf":
    case "not":
    case "if":
    case "unevaluated":
    case "interpreted":
      return node;
    default:
      return node satisfies never;
  }
}

function never(node: SchemaIR): SchemaIR {
  return { kind: "never", at: node.at };
}

/** Whether a schema restricts only the types of a value. */
export function hasOnlyTypes(node: SchemaIR): boolean {
  return node.kind === "types" ? node.members.every(isPlain) : isTyped(node) && isPlain(node);
}

/** The members of a node that are not rules. */
const WITHOUT_RULE: ReadonlySet<string> = new Set(["kind", "at", "annotations", "format"]);

function isPlain(node: TypedNode): boolean {
  return Object.entries(node).every(([member, rule]: readonly [string, unknown]) => {
    const isAbsent = rule === undefined || rule === false || (Array.isArray(rule) && rule.length === 0);
    return isAbsent || WITHOUT_RULE.has(member);
  });
}

/** Replaces `unevaluated…` of a plain object or array, where it means the parts not named or matched. Else undefined. */
export function closeUnevaluated(node: UnevaluatedNode): SchemaIR | undefined {
  const { schema } = node;
  if (schema.kind === "any") return closeAny(node);
  const members = schema.kind === "types" ? schema.members : isTyped(schema) ? [schema] : [];
  const [first] = members;
  if (first === undefined) return undefined;
  const closed = members.map((member) => close(member, node));
  const whole: SchemaIR = schema.kind === "types" ? { ...schema, members: closed } : (closed[0] ?? first);
  return annotate(whole, node.annotations);
}

function close(member: TypedNode, { properties, items }: UnevaluatedNode): TypedNode {
  if (member.kind === "object" && properties)
    return { ...member, additional: member.additional ?? properties };
  return member.kind === "array" && items ? { ...member, items: member.items ?? items } : member;
}

function closeAny({ at, properties, items, annotations }: UnevaluatedNode): SchemaIR {
  const members: readonly TypedNode[] = [
    {
      kind: "object",
      at,
      properties: [],
      required: [],
      patterns: [],
      dependents: [],
      additional: properties,
    },
    { kind: "array", at, prefix: [], uniqueItems: false, items },
    { kind: "string", at },
    { kind: "number", at, isInteger: false },
    { kind: "boolean", at },
    { kind: "null", at },
  ];
  return annotate({ kind: "types", at, members }, annotations);
}

import { isEqual, type JsonValue } from "../../core/json.js";
import type { ArrayNode, Definitions, ObjectNode, SchemaIR, UnevaluatedNode } from "../../core/schema-ir.js";
import { isChecked } from "../pattern/pattern.js";

/** Returns the definitions that a schema refers to, in the order of the references. */
export function targetsOf(node: SchemaIR): ReadonlySet<string> {
  const targets = new Set<string>();
  const visit = (part: SchemaIR): void => {
    if (part.kind === "ref") targets.add(part.target);
    else childrenOf(part).forEach(visit);
  };
  visit(node);
  return targets;
}

/** Returns the definitions that a schema refers to, also through others, from the nearest to the farthest. */
export function reachTargets(node: SchemaIR, definitions: Definitions): ReadonlySet<string> {
  const reached = new Set(targetsOf(node));
  // The set grows during the loop.
  for (const target of reached) {
    const definition = definitions.get(target);
    if (definition === undefined) reached.delete(target);
    else for (const next of targetsOf(definition)) reached.add(next);
  }
  return reached;
}

/** Returns the subschemas of a schema, without the targets of references. */
export function childrenOf(node: SchemaIR): readonly SchemaIR[] {
  const some = (...nodes: readonly (SchemaIR | undefined)[]): readonly SchemaIR[] =>
    nodes.filter((part) => part !== undefined);
  switch (node.kind) {
    case "any":
    case "never":
    case "null":
    case "boolean":
    case "number":
    case "string":
    case "literal":
    case "ref":
      return [];
    case "array":
      return [...node.prefix, ...some(node.items, node.contains?.schema)];
    case "object":
      return [
        ...node.properties.map(({ schema }) => schema),
        ...node.patterns.map(({ schema }) => schema),
        ...some(node.additional, node.names, ...node.dependents.map(({ schema }) => schema)),
      ];
    case "types":
    case "anyOf":
    case "oneOf":
    case "allOf":
      return node.members;
    case "not":
      return [node.schema];
    case "if":
      return some(node.if, node.then, node.else);
    case "interpreted":
      return [node.schema];
    case "unevaluated":
      return some(node.schema, node.properties, node.items);
    default:
      return node satisfies never;
  }
}

interface WithDefinitions {
  readonly definitions: Definitions;
}

/**
 * Whether the printed code accepts more than the schema. Where a value must *not* fit, such code would reject valid values, so the
 * whole keyword is omitted.
 */
export function isApproximate(
  node: SchemaIR,
  { definitions }: WithDefinitions,
  seen: Set<string> = new Set(),
): boolean {
  if (node.kind === "string") return node.pattern !== undefined && !isChecked(node.pattern);
  if (node.kind === "object" && node.patterns.some(({ pattern }) => !isChecked(pattern))) return true;
  if (node.kind === "ref") {
    const target = seen.has(node.target) ? undefined : definitions.get(node.target);
    seen.add(node.target);
    return target !== undefined && isApproximate(target, { definitions }, seen);
  }
  return childrenOf(node).some((child) => isApproximate(child, { definitions }, seen));
}

/** Kinds of schemas that evaluate other parts for other values. */
const BRANCHING: ReadonlySet<SchemaIR["kind"]> = new Set([
  "anyOf",
  "oneOf",
  "if",
  "unevaluated",
  "interpreted",
]);

/** Whether a schema evaluates the same properties and items for every value, since it has no branches. */
export function isFlat(
  node: SchemaIR,
  { definitions }: WithDefinitions,
  seen: Set<string> = new Set(),
): boolean {
  if (node.kind === "ref") {
    // Already visited; a target that is not flat would have ended the search.
    if (seen.has(node.target)) return true;
    seen.add(node.target);
    const target = definitions.get(node.target);
    return target !== undefined && isFlat(target, { definitions }, seen);
  }
  if (BRANCHING.has(node.kind)) return false;
  if (node.kind === "object") return node.dependents.every(({ schema }) => schema === undefined);
  if (node.kind === "array") return node.contains?.isEvaluated !== true;
  return node.kind === "not" || childrenOf(node).every((member) => isFlat(member, { definitions }, seen));
}

/** The parts of a schema that may contain defaults for a value. */
interface Parts {
  readonly objects: readonly ObjectNode[];
  readonly arrays: readonly ArrayNode[];
  readonly choices: readonly Choice[];
  /** Schemas with an `unevaluated…` keyword, whose subschema is not one of the parts. */
  readonly unevaluated: readonly UnevaluatedNode[];
}

/** Schemas that apply to a value only sometimes. They are not among the parts. */
export type Choice =
  /** The branches of `anyOf` and `oneOf`: those that the value fits apply. */
  | { readonly kind: "fitting"; readonly branches: readonly SchemaIR[]; readonly isExclusive: boolean }
  /** The first branch, which includes the condition, applies if the value fits the condition; otherwise the second. */
  | { readonly kind: "condition"; readonly condition: SchemaIR; readonly branches: readonly SchemaIR[] }
  /** The branch applies if the value has the key. */
  | { readonly kind: "present"; readonly key: string; readonly branches: readonly SchemaIR[] };

/** Returns the parts of a schema, including those behind references and in `allOf`, for values of every type. */
export function collectParts(node: SchemaIR, definitions: Definitions): Parts {
  const objects: ObjectNode[] = [];
  const arrays: ArrayNode[] = [];
  const choices: Choice[] = [];
  const unevaluated: UnevaluatedNode[] = [];
  const parts = new Set([node]);
  // The set grows during the loop.
  for (const part of parts) {
    for (const inner of inPlace(part, definitions)) parts.add(inner);
    if (part.kind === "array") arrays.push(part);
    if (part.kind === "object") objects.push(part);
    if (part.kind === "unevaluated") unevaluated.push(part);
    choices.push(...choicesOf(part));
  }
  return { objects, arrays, choices, unevaluated };
}

/** Returns the default of a schema: its own, that of a reference or a member of `allOf`, or one that branches share. */
export function findDefault(node: SchemaIR, definitions: Definitions): JsonValue | undefined {
  if (node.annotations?.default !== undefined) return node.annotations.default;
  for (const part of inPlace(node, definitions)) {
    const stated = findDefault(part, definitions);
    if (stated !== undefined) return stated;
  }
  for (const { branches } of choicesOf(node).filter(({ kind }) => kind !== "present")) {
    const [first, ...others] = branches.map((branch) => findDefault(branch, definitions));
    if (first !== undefined && others.every((other) => isEqual(first, other))) return first;
  }
  return undefined;
}

function inPlace(node: SchemaIR, definitions: Definitions): readonly SchemaIR[] {
  if (node.kind === "allOf" || node.kind === "types") return node.members;
  if (node.kind === "unevaluated") return [node.schema];
  const target = node.kind === "ref" ? definitions.get(node.target) : undefined;
  return target === undefined ? [] : [target];
}

/** Returns the choices of a schema itself, without those of its parts. */
export function choicesOf(node: SchemaIR): readonly Choice[] {
  const { at } = node;
  if (node.kind === "anyOf" || node.kind === "oneOf")
    return [{ kind: "fitting", branches: node.members, isExclusive: node.kind === "oneOf" }];
  if (node.kind === "if") {
    const { then = { kind: "any", at }, else: otherwise = { kind: "any", at } } = node;
    const both = { kind: "allOf", at, members: [node.if, then] } as const;
    return [{ kind: "condition", condition: node.if, branches: [both, otherwise] }];
  }
  if (node.kind !== "object") return [];
  return node.dependents.flatMap(({ name, schema }) =>
    schema === undefined ? [] : [{ kind: "present", key: name, branches: [schema] } as const],
  );
}

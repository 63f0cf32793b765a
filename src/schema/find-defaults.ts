import { canonicalJson } from "../contract/canonical-json.js";
import type { JsonValue } from "../contract/json.js";
import type { ArrayNode, Definitions, ObjectNode, SchemaIR, UnevaluatedNode } from "../contract/schema-ir.js";

/** What a schema says of a value itself, as far as defaults are concerned. */
export interface Parts {
  readonly objects: readonly ObjectNode[];
  readonly arrays: readonly ArrayNode[];
  readonly choices: readonly Choice[];
  /** Schemas with an `unevaluated…` keyword, whose subschema is not one of the parts. */
  readonly leavers: readonly UnevaluatedNode[];
}

/** Schemas that bear on the value only sometimes, none of which is among the parts. */
export type Choice =
  /** Those of `anyOf` and `oneOf` that the value fits. */
  | { readonly kind: "fitting"; readonly branches: readonly SchemaIR[]; readonly isExclusive: boolean }
  /** The first where the value fits the condition, which is part of it, and the second where it does not. */
  | { readonly kind: "condition"; readonly condition: SchemaIR; readonly branches: readonly SchemaIR[] }
  /** The one, where the value has the key. */
  | { readonly kind: "present"; readonly key: string; readonly branches: readonly SchemaIR[] };

/** The parts of a schema: behind references, in `allOf`, and for whatever type the value is of. */
export function collectParts(node: SchemaIR, definitions: Definitions): Parts {
  const objects: ObjectNode[] = [];
  const arrays: ArrayNode[] = [];
  const choices: Choice[] = [];
  const leavers: UnevaluatedNode[] = [];
  const parts = new Set([node]);
  // What is added on the way is visited as well.
  for (const part of parts) {
    for (const inner of inPlace(part, definitions)) parts.add(inner);
    if (part.kind === "array") arrays.push(part);
    if (part.kind === "object") objects.push(part);
    if (part.kind === "unevaluated") leavers.push(part);
    choices.push(...choicesOf(part));
  }
  return { objects, arrays, choices, leavers };
}

/**
 * The default of a schema: its own, or else what a reference or a member of `allOf` states, or all branches that may bear
 * on the value alike.
 */
export function findDefault(node: SchemaIR, definitions: Definitions): JsonValue | undefined {
  if (node.annotations?.default !== undefined) return node.annotations.default;
  for (const part of inPlace(node, definitions)) {
    const stated = findDefault(part, definitions);
    if (stated !== undefined) return stated;
  }
  for (const { branches } of choicesOf(node).filter(({ kind }) => kind !== "present")) {
    const [first, ...others] = branches.map((branch) => findDefault(branch, definitions));
    if (first !== undefined && others.every((other) => isSame(first, other))) return first;
  }
  return undefined;
}

/** Whether two defaults are equal as JSON. */
export function isSame(a: JsonValue, b: JsonValue | undefined): boolean {
  return a === b || (b !== undefined && canonicalJson(a) === canonicalJson(b));
}

/** Other schemas that every value of a schema fits. */
function inPlace(node: SchemaIR, definitions: Definitions): readonly SchemaIR[] {
  if (node.kind === "allOf" || node.kind === "types") return node.members;
  if (node.kind === "unevaluated") return [node.schema];
  const target = node.kind === "ref" ? definitions.get(node.target) : undefined;
  return target === undefined ? [] : [target];
}

/** The choices that a schema makes itself. */
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

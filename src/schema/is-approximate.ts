import type { Definitions, SchemaIR } from "../contract/schema-ir.js";
import { childrenOf } from "./name-definitions.js";
import { isChecked } from "./pattern.js";

/** An object with the targets of references. */
interface WithDefinitions {
  readonly definitions: Definitions;
}

/**
 * Whether the printed code of a schema accepts more than the schema. Where a value must *not* fit (`not`, a condition, all
 * branches of `oneOf` but one), such code would reject valid values, so the whole keyword is omitted.
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

/** Whether a schema evaluates the same properties and items for every value, since it has no branches. */
export function isFlat(
  node: SchemaIR,
  { definitions }: WithDefinitions,
  seen: Set<string> = new Set(),
): boolean {
  switch (node.kind) {
    case "allOf":
      return node.members.every((member) => isFlat(member, { definitions }, seen));
    case "ref": {
      // Already visited; a target that is not flat would have ended the search.
      if (seen.has(node.target)) return true;
      seen.add(node.target);
      const target = definitions.get(node.target);
      return target !== undefined && isFlat(target, { definitions }, seen);
    }
    case "anyOf":
    case "oneOf":
    case "if":
    case "unevaluated":
    case "interpreted":
      return false;
    case "object":
      return node.dependents.every(({ schema }) => schema === undefined);
    case "array":
      return node.contains?.isEvaluated !== true;
    case "types":
      return node.members.every((member) => isFlat(member, { definitions }, seen));
    case "any":
    case "never":
    case "null":
    case "boolean":
    case "number":
    case "string":
    case "literal":
    case "not":
      return true;
    default:
      return node satisfies never;
  }
}

import type { Definitions, SchemaIR } from "../contract/schema-ir.js";
import { childrenOf } from "./name-definitions.js";
import { isChecked } from "./pattern.js";

/** Whatever knows what references point at. */
interface Referring {
  readonly definitions: Definitions;
}

/**
 * Whether what is printed for a schema accepts more than the schema does. Where a value must *not* fit (`not`, a
 * condition, all branches of `oneOf` but one), that would refuse too much, and the keyword has to be given up whole.
 */
export function isApproximate(
  node: SchemaIR,
  { definitions }: Referring,
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

/** Whether a schema evaluates the same properties and items whatever the value: no branch decides. */
export function isFlat(node: SchemaIR, { definitions }: Referring, seen: Set<string> = new Set()): boolean {
  switch (node.kind) {
    case "allOf":
      return node.members.every((member) => isFlat(member, { definitions }, seen));
    case "ref": {
      // One that was not flat would have ended it.
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

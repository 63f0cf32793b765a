import type { Definitions, ObjectNode, SchemaIR } from "../contract/schema-ir.js";

/**
 * Whether a schema may have rules for keys that it does not name. Zod's objects drop an own `__proto__` before later checks,
 * so such a check would miss it.
 */
export function constrainsAllKeys(
  node: SchemaIR,
  constrainsObject: (node: ObjectNode) => boolean,
  definitions: Definitions,
  seen: ReadonlySet<string> = new Set(),
): boolean {
  const constrains = (inner: SchemaIR): boolean =>
    constrainsAllKeys(inner, constrainsObject, definitions, seen);
  switch (node.kind) {
    case "any":
    case "never":
    case "null":
    case "boolean":
    case "number":
    case "string":
    case "array":
      return false;
    case "object":
      return node.additional?.kind === "never" || constrainsObject(node);
    case "literal":
      return node.values.some((value) => typeof value === "object" && value !== null);
    case "types":
    case "anyOf":
    case "oneOf":
    case "allOf":
      return node.members.some(constrains);
    case "not":
      return constrains(node.schema);
    case "if":
      return [node.if, node.then, node.else].some((branch) => branch !== undefined && constrains(branch));
    case "ref": {
      const target = definitions.get(node.target);
      if (target === undefined || seen.has(node.target)) return false;
      return constrainsAllKeys(target, constrainsObject, definitions, new Set([...seen, node.target]));
    }
    case "unevaluated":
      return node.properties !== undefined || constrains(node.schema);
    case "interpreted":
      return true;
    default:
      return node satisfies never;
  }
}

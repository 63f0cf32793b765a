import type { Definitions, ObjectNode, SchemaIR } from "../contract/schema-ir.js";

/**
 * Whether a schema may say something about keys of an object that it does not name. Zod's own objects drop an own `__proto__`
 * before the checks that follow, and such a check would miss it.
 */
export function judgesAllKeys(
  node: SchemaIR,
  judgesObject: (node: ObjectNode) => boolean,
  definitions: Definitions,
  seen: ReadonlySet<string> = new Set(),
): boolean {
  const judges = (inner: SchemaIR): boolean => judgesAllKeys(inner, judgesObject, definitions, seen);
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
      return node.additional?.kind === "never" || judgesObject(node);
    case "literal":
      return node.values.some((value) => typeof value === "object" && value !== null);
    case "types":
    case "anyOf":
    case "oneOf":
    case "allOf":
      return node.members.some(judges);
    case "not":
      return judges(node.schema);
    case "if":
      return [node.if, node.then, node.else].some((branch) => branch !== undefined && judges(branch));
    case "ref": {
      const target = definitions.get(node.target);
      if (target === undefined || seen.has(node.target)) return false;
      return judgesAllKeys(target, judgesObject, definitions, new Set([...seen, node.target]));
    }
    case "unevaluated":
      return node.properties !== undefined || judges(node.schema);
    case "interpreted":
      return true;
    default:
      return node satisfies never;
  }
}

import { quoteKey, quoteLiteral } from "./identifiers.js";
import type { Declaration } from "./plan-module.js";
import type { PrintContext } from "./print-context.js";
import { isPlainObject } from "./print-zod-object.js";

/**
 * The static type of a schema as a Zod object, for `schemas: "open"`. Undefined where the schema is printed as anything
 * else, such as a union or a record, and for an object that refers to itself, which has to be lazy.
 *
 * Properties have the types that the interface of the same name gives them, so that Zod infers exactly this interface. That
 * an object takes other keys is left out, as in the interface, unless its schema says so itself.
 */
export function printOpenType(
  { name, node, isRoot, isRecursive }: Declaration,
  context: PrintContext,
): string | undefined {
  if (!isRoot || isRecursive || node.kind !== "object" || !isPlainObject(node, context)) return undefined;
  const optional = context.side === "input" ? "z.ZodOptional" : "z.ZodExactOptional";
  const shape = node.properties.map((property) => {
    const key = quoteLiteral(property.name);
    const value = property.isRequired ? `${name}[${key}]` : `Required<${name}>[${key}]`;
    const type = `z.ZodType<${value}, ${value}>`;
    return `${quoteKey(property.name)}: ${property.isRequired ? type : `${optional}<${type}>`};`;
  });
  const others = node.additional?.kind === "any" ? "$loose" : "$strict";
  return `z.ZodObject<{ ${shape.join(" ")} }, z.core.${others}>`;
}

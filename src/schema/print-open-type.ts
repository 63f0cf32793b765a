import { findComponents } from "./find-components.js";
import { quoteKey, quoteLiteral } from "./identifiers.js";
import { targetsOf } from "./name-definitions.js";
import type { Declaration, SchemaPlan } from "./plan-module.js";
import { isPlainObject } from "./print-zod-object.js";

/**
 * The static type of a schema as a Zod object, for `schemas: "open"`. Undefined where the schema is printed as anything
 * else, such as a union or a record, and for an object that refers to itself, which has to be lazy. The type of a tool's
 * schema that only refers to a definition is the type of that definition.
 *
 * Properties have the types that the interface of the same name gives them, so that Zod infers exactly this interface. That
 * an object takes other keys is left out, as in the interface, unless its schema says so itself.
 */
export function printOpenType(declaration: Declaration, plan: SchemaPlan): string | undefined {
  const { name, node, isRecursive, isRoot } = declaration;
  const { context } = plan;
  if (isRecursive) return undefined;
  if (isRoot && node.kind === "ref" && !context.checksReferences) {
    const target = plan.declarations.find((other) => other.name === context.names.get(node.target));
    const isOpen = target !== undefined && printOpenType(target, plan) !== undefined;
    return isOpen ? `typeof ${target.name}` : undefined;
  }
  if (node.kind !== "object" || !isPlainObject(node, context)) return undefined;
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

/** The declarations of a plan, each after those that it refers to: open schemas are created when their module loads. */
export function sortReferencesFirst({ declarations, context }: SchemaPlan): readonly Declaration[] {
  const { names, definitions } = context;
  // Components are found in this order.
  const pointers = findComponents([...names.keys()], (pointer) => {
    const node = definitions.get(pointer);
    return node === undefined ? [] : [...targetsOf(node)];
  }).keys();
  const order = new Map([...pointers].map((pointer, at) => [names.get(pointer), at]));
  const placeOf = ({ name, isRoot }: Declaration): number => (isRoot ? Infinity : (order.get(name) ?? -1));
  return [...declarations].sort((one, other) => placeOf(one) - placeOf(other));
}

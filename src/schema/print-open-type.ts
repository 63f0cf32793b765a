import { findComponents } from "./find-components.js";
import { quoteKey, quoteLiteral } from "./identifiers.js";
import { targetsOf } from "./name-definitions.js";
import type { Declaration, SchemaPlan } from "./plan-module.js";
import { isPlainObject } from "./print-zod-object.js";

/**
 * Prints the static type of a schema as a Zod object, for `schemas: "open"`. Undefined for a schema that is not printed as
 * a Zod object, such as a union or a record, and for an object that refers to itself, which must be lazy. A tool's schema
 * that only refers to a definition has the type of that definition.
 *
 * Properties have the types of the interface with the same name, so that Zod infers exactly this interface. As in the
 * interface, other keys are allowed only if the schema allows them explicitly.
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

/** Sorts the declarations of a plan after those that they refer to: open schemas are created when the module loads. */
export function sortReferencesFirst({ declarations, context }: SchemaPlan): readonly Declaration[] {
  const { names, definitions } = context;
  // `findComponents` returns nodes in this order.
  const pointers = findComponents([...names.keys()], (pointer) => {
    const node = definitions.get(pointer);
    return node === undefined ? [] : [...targetsOf(node)];
  }).keys();
  const order = new Map([...pointers].map((pointer, at) => [names.get(pointer), at]));
  const placeOf = ({ name, isRoot }: Declaration): number => (isRoot ? Infinity : (order.get(name) ?? -1));
  return [...declarations].sort((one, other) => placeOf(one) - placeOf(other));
}

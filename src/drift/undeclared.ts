import type { ObjectNode, SchemaIR } from "../contract/schema-ir.js";
import { isCovered } from "./inclusion/evaluate-term.js";
import type { SchemaSide } from "./schema-side.js";

/** The schemas that applied to an undeclared property, except schemas that accept every value. */
export function governorsOf(name: string, node: ObjectNode): readonly SchemaIR[] {
  const patterns = node.patterns.map(({ pattern }) => pattern);
  const matching = node.patterns.filter(({ pattern }) => isCovered(name, new Set(), [pattern]) !== false);
  const isLeftOver = isCovered(name, new Set(), patterns) !== true;
  const { additional } = node;
  return [
    ...matching.map(({ schema }) => schema),
    ...(isLeftOver && additional !== undefined && additional.kind !== "any" ? [additional] : []),
  ];
}

/** Whether callers may pass a property: they pass none that an open object does not name. */
export function mayHave(name: string, node: ObjectNode, side: SchemaSide): boolean {
  return (
    node.properties.some((property) => property.name === name) ||
    governorsOf(name, node).some((governor) => side.term(governor).kind !== "never")
  );
}

/** Whether an object certainly forbids an undeclared property. */
export function forbids(name: string, { patterns, additional }: ObjectNode, side: SchemaSide): boolean {
  const isClosed = additional !== undefined && side.term(additional).kind === "never";
  const all = patterns.map(({ pattern }) => pattern);
  return isClosed && isCovered(name, new Set(), all) === false;
}

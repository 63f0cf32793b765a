import type { ObjectNode, Property, SchemaIR } from "../contract/schema-ir.js";

/** Combines two schemas that a value must both fit into one. */
export type Conjoin = (a: SchemaIR, b: SchemaIR) => SchemaIR;

/** Returns one object schema that accepts exactly what both accept; undefined if there is none. */
export function mergeObjects(a: ObjectNode, b: ObjectNode, conjoin: Conjoin): ObjectNode | undefined {
  if (!allowsNames(a, b) || !allowsNames(b, a)) return undefined;
  const both = (left: SchemaIR | undefined, right: SchemaIR | undefined): SchemaIR | undefined =>
    left && right ? conjoin(left, right) : (left ?? right);
  const additional = both(a.additional, b.additional);
  const names = both(a.names, b.names);
  const minProperties = Math.max(a.minProperties ?? 0, b.minProperties ?? 0);
  const maxProperties = Math.min(a.maxProperties ?? Infinity, b.maxProperties ?? Infinity);
  return {
    kind: "object",
    at: a.at,
    ...(a.annotations && { annotations: a.annotations }),
    properties: mergeProperties(a.properties, b.properties, conjoin),
    patterns: [...a.patterns, ...b.patterns],
    ...(additional && { additional }),
    ...(names && { names }),
    ...(minProperties > 0 && { minProperties }),
    ...(maxProperties < Infinity && { maxProperties }),
    dependents: [...a.dependents, ...b.dependents],
  };
}

// `additionalProperties` depends only on the names in its own schema. So it may be merged only with a schema that has no
// other names.
function allowsNames(a: ObjectNode, b: ObjectNode): boolean {
  if (a.additional === undefined || a.additional.kind === "any") return true;
  const names = new Set(a.properties.filter(({ isDeclared }) => isDeclared).map(({ name }) => name));
  return (
    b.patterns.length === 0 && b.properties.every(({ name, isDeclared }) => !isDeclared || names.has(name))
  );
}

function mergeProperties(
  a: readonly Property[],
  b: readonly Property[],
  conjoin: Conjoin,
): readonly Property[] {
  const merged = new Map(a.map((property) => [property.name, property]));
  for (const property of b) {
    const known = merged.get(property.name);
    merged.set(property.name, known === undefined ? property : {
      name: property.name,
      isRequired: known.isRequired || property.isRequired,
      isDeclared: known.isDeclared || property.isDeclared,
      schema: conjoin(known.schema, property.schema),
    }); // prettier-ignore
  }
  return [...merged.values()];
}

import type { Definitions, SchemaIR, TypedNode } from "../contract/schema-ir.js";

/**
 * How deep schemas may nest in one declaration. TypeScript rejects the type of sixteen nested optional objects (TS2589,
 * "excessively deep").
 */
const MAX_DEPTH = 10;

/**
 * Returns the same schema with every part that is too deep moved to a definition, under the part's address.
 */
export function cutDeep(
  root: SchemaIR,
  definitions: Definitions,
): { readonly root: SchemaIR; readonly definitions: Definitions } {
  const cut = new Map<string, SchemaIR>();
  const shorten = (node: SchemaIR, depth: number): SchemaIR => {
    if (depth < MAX_DEPTH || !canBeNamed(node) || definitions.has(node.at) || cut.has(node.at))
      return mapParts(node, (part) => shorten(part, depth + 1));
    // Reserve the address before the parts are visited, so that none of them uses it.
    cut.set(node.at, node);
    cut.set(
      node.at,
      mapParts(node, (part) => shorten(part, 1)),
    );
    return { kind: "ref", at: node.at, target: node.at };
  };
  const shortened = shorten(root, 0);
  const entries = [...definitions].map(
    ([address, node]) => [address, address === "" ? shortened : shorten(node, 0)] as const,
  );
  return { root: shortened, definitions: new Map([...entries, ...cut]) };
}

/** Whether a schema may be moved to a definition. The members of `types` must stay in place. */
function canBeNamed(node: SchemaIR): boolean {
  return node.kind === "object" || node.kind === "array" || node.kind === "anyOf" || node.kind === "oneOf";
}

/** Maps the parts of a schema that have a type. Rules that are only checked stay unchanged. */
function mapParts(node: SchemaIR, map: (part: SchemaIR) => SchemaIR): SchemaIR {
  if (node.kind === "anyOf" || node.kind === "oneOf" || node.kind === "allOf")
    return { ...node, members: node.members.map(map) };
  if (node.kind === "types") return { ...node, members: node.members.map((member) => mapTyped(member, map)) };
  return node.kind === "object" || node.kind === "array" ? mapTyped(node, map) : node;
}

function mapTyped(node: TypedNode, map: (part: SchemaIR) => SchemaIR): TypedNode {
  if (node.kind === "object")
    return {
      ...node,
      properties: node.properties.map((property) => ({ ...property, schema: map(property.schema) })),
      ...(node.additional !== undefined && { additional: map(node.additional) }),
    };
  if (node.kind === "array")
    return {
      ...node,
      prefix: node.prefix.map(map),
      ...(node.items !== undefined && { items: map(node.items) }),
    };
  return node;
}

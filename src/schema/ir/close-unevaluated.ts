import type { SchemaIR, TypedNode, UnevaluatedNode } from "../../core/schema-ir.js";
import { annotate, isTyped } from "./node-types.js";

/**
 * Replaces `unevaluatedProperties` and `unevaluatedItems` of a plain object or array schema: there, a part is unevaluated
 * if it is neither named nor matched by a pattern. Undefined for any other schema.
 */
export function closeUnevaluated(node: UnevaluatedNode): SchemaIR | undefined {
  const { schema } = node;
  if (schema.kind === "any") return closeAny(node);
  const members = schema.kind === "types" ? schema.members : isTyped(schema) ? [schema] : [];
  const [first] = members;
  if (first === undefined) return undefined;
  const closed = members.map((member) => close(member, node));
  const whole: SchemaIR = schema.kind === "types" ? { ...schema, members: closed } : (closed[0] ?? first);
  return annotate(whole, node.annotations);
}

function close(member: TypedNode, { properties, items }: UnevaluatedNode): TypedNode {
  if (member.kind === "object" && properties)
    return { ...member, additional: member.additional ?? properties };
  return member.kind === "array" && items ? { ...member, items: member.items ?? items } : member;
}

function closeAny({ at, properties, items, annotations }: UnevaluatedNode): SchemaIR {
  const members: readonly TypedNode[] = [
    {
      kind: "object",
      at,
      properties: [],
      patterns: [],
      dependents: [],
      ...(properties && { additional: properties }),
    },
    { kind: "array", at, prefix: [], uniqueItems: false, ...(items && { items }) },
    { kind: "string", at },
    { kind: "number", at, isInteger: false },
    { kind: "boolean", at },
    { kind: "null", at },
  ];
  return annotate({ kind: "types", at, members }, annotations);
}

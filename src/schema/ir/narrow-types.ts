import type { Definitions, SchemaIR, TypedNode, UnevaluatedNode } from "../../core/schema-ir.js";
import { annotate, bitOf, isTyped, type TypeSet, typeOfValue, typesOf } from "./node-types.js";

/** Returns a schema without its rules for types that cannot occur. Accepts the same values of all other types. */
export function narrowTypes(node: SchemaIR, types: TypeSet, definitions: Definitions): SchemaIR {
  switch (node.kind) {
    case "types": {
      const members = node.members.filter((member) => (bitOf(member.kind) & types) !== 0);
      const [only] = members;
      if (members.length !== 1 || only === undefined)
        return members.length === 0 ? never(node) : { ...node, members };
      return node.annotations ? { ...only, annotations: node.annotations } : only;
    }
    case "literal":
      return { ...node, values: node.values.filter((value) => (bitOf(typeOfValue(value)) & types) !== 0) };
    case "anyOf":
    case "oneOf": {
      const members = node.members
        .map((member) => narrowTypes(member, types, definitions))
        .filter((member) => member.kind !== "never");
      return members.length === 0 ? never(node) : { ...node, members };
    }
    case "null":
    case "boolean":
    case "number":
    case "string":
    case "array":
    case "object":
      return (bitOf(node.kind) & types) === 0 ? never(node) : node;
    case "ref":
      return (typesOf(node, definitions) & types) === 0 ? never(node) : node;
    case "any":
    case "never":
    case "allOf":
    case "not":
    case "if":
    case "unevaluated":
    case "interpreted":
      return node;
    default:
      return node satisfies never;
  }
}

function never(node: SchemaIR): SchemaIR {
  return { kind: "never", at: node.at };
}

/** Whether a schema restricts only the types of a value. */
export function hasOnlyTypes(node: SchemaIR): boolean {
  return node.kind === "types" ? node.members.every(isPlain) : isTyped(node) && isPlain(node);
}

function isPlain(node: TypedNode): boolean {
  switch (node.kind) {
    case "null":
    case "boolean":
      return true;
    case "number":
      return !node.isInteger && [node.minimum, node.maximum, node.exclusiveMinimum, node.exclusiveMaximum, node.multipleOf].every((rule) => rule === undefined); // prettier-ignore
    case "string":
      return [node.minLength, node.maxLength, node.pattern, node.assertedFormat].every((rule) => rule === undefined); // prettier-ignore
    case "array":
      return node.prefix.length === 0 && !node.uniqueItems && [node.items, node.minItems, node.maxItems, node.contains].every((rule) => rule === undefined); // prettier-ignore
    case "object":
      return (
        node.properties.length === 0 && node.patterns.length === 0 && node.dependents.length === 0 &&
        [node.additional, node.names, node.minProperties, node.maxProperties].every((rule) => rule === undefined)
      ); // prettier-ignore
    default:
      return node satisfies never;
  }
}

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
      additional: properties,
    },
    { kind: "array", at, prefix: [], uniqueItems: false, items },
    { kind: "string", at },
    { kind: "number", at, isInteger: false },
    { kind: "boolean", at },
    { kind: "null", at },
  ];
  return annotate({ kind: "types", at, members }, annotations);
}

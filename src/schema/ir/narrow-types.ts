import type { Definitions, SchemaIR, TypedNode } from "../../core/schema-ir.js";
import { bitOf, isTyped, type TypeSet, typeOfValue, typesOf } from "./node-types.js";

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

import type { JSONSchema } from "json-schema-to-typescript";
import type { ObjectNode, SchemaIR } from "../../core/schema-ir.js";
import { escapeComment } from "./identifiers.js";
import { isShort, type PrintContext, schemaOfProperty } from "./print-context.js";
import { printIndexType, printTypeText } from "./print-type-text.js";

/**
 * Converts a simplified schema for json-schema-to-typescript: objects with properties and comments, and lists and unions
 * with objects. Everything else becomes the text of its type. From a server it contains only property names, and
 * descriptions that cannot end a comment: never its `title`, `$id`, `$ref` or `tsType`.
 */
export function describeType(node: SchemaIR, context: PrintContext): JSONSchema {
  const comment = describeComment(node);
  const shape = describeShape(node, context);
  return { ...shape, ...comment };
}

function describeShape(node: SchemaIR, context: PrintContext): JSONSchema {
  switch (node.kind) {
    case "object":
      return isWritable(node) ? describeObject(node, context) : { tsType: printTypeText(node, context) };
    case "array": {
      const items = node.prefix.length === 0 && node.items ? describeType(node.items, context) : undefined;
      // For a union as text, json-schema-to-typescript would put `[]` only after the last member.
      return items && items.tsType === undefined
        ? { type: "array", items }
        : { tsType: printTypeText(node, context) };
    }
    case "types":
    case "anyOf":
    case "oneOf": {
      const text = printTypeText(node, context);
      // A union with `unknown` is `unknown`, and a union without objects is printed as text.
      if (text === "unknown" || !node.members.some((member) => hasMembers(member))) return { tsType: text };
      return { anyOf: node.members.map((member) => describeShape(member, context)) };
    }
    case "allOf":
      return node.members[0] ? describeShape(node.members[0], context) : { tsType: "unknown" };
    case "unevaluated":
    case "interpreted":
      return describeShape(node.schema, context);
    case "any":
    case "never":
    case "null":
    case "boolean":
    case "number":
    case "string":
    case "literal":
    case "not":
    case "if":
    case "ref":
      return { tsType: printTypeText(node, context) };
    default:
      return node satisfies never;
  }
}

// json-schema-to-typescript loses the first name and calls the second on every object.
const UNWRITABLE: readonly string[] = ["__proto__", "hasOwnProperty"];

// json-schema-to-typescript prints objects without properties differently from `printTypeText`.
function isWritable(node: ObjectNode): boolean {
  return node.properties.length > 0 && !node.properties.some(({ name }) => UNWRITABLE.includes(name));
}

function hasMembers(node: SchemaIR): boolean {
  return (
    node.kind === "object" ||
    node.kind === "array" ||
    node.kind === "anyOf" ||
    node.kind === "oneOf" ||
    node.kind === "allOf"
  );
}

function describeObject(node: ObjectNode, context: PrintContext): JSONSchema {
  const index = printIndexType(node, context);
  return {
    type: "object",
    properties: Object.fromEntries(
      node.properties.map((property) => {
        const type = describeType(schemaOfProperty(property, node), context);
        const isUndefined = !property.isRequired && context.side === "input";
        return [property.name, isUndefined ? orUndefined(type) : type];
      }),
    ),
    required: node.properties.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    additionalProperties: index === undefined ? false : { tsType: index },
  };
}

function orUndefined(type: JSONSchema): JSONSchema {
  if (type.tsType === "unknown") return type;
  const { description, deprecated, ...bare } = type;
  return {
    ...(bare.tsType === undefined
      ? { anyOf: [bare, { tsType: "undefined" }] }
      : { tsType: bare.tsType === "never" ? "undefined" : `${bare.tsType} | undefined` }),
    ...(description !== undefined && { description }),
    ...(deprecated === true && { deprecated }),
  };
}

function describeComment({ annotations }: SchemaIR): JSONSchema {
  const standard = annotations?.default;
  const lines = [
    annotations?.description?.trim() ?? "",
    ...(isShort(standard) ? [`@default ${JSON.stringify(standard)}`] : []),
  ];
  const description = escapeComment(lines.filter((line) => line !== "").join("\n\n")).trim();
  return {
    ...(description !== "" && { description }),
    ...(annotations?.deprecated === true && { deprecated: true }),
  };
}

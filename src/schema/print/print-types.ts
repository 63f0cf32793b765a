import { checkOptions } from "../../core/check-options.js";
import type { JsonValue } from "../../core/json.js";
import type { ObjectNode, SchemaIR } from "../../core/schema-ir.js";
import { escapeCode, escapeComment } from "./identifiers.js";
import {
  type Declaration,
  planSchema,
  type SchemaPlan,
  TYPES_OPTIONS,
  type TypesOptions,
} from "./plan-module.js";
import {
  isShort,
  ownTypeOf,
  parenthesize,
  type PrintContext,
  printIndexType,
  printTypeText,
  printUnionType,
  propertyTypesOf,
  quoteTypeKey,
  widenIndex,
} from "./print-type-text.js";

/**
 * Prints an unformatted TypeScript module that exports the type of a schema's values as `name`. The type is never narrower
 * than the schema, with one exception: an open object has no additional properties unless the schema allows them
 * explicitly.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` for a schema that cannot be parsed; `USAGE` for a name that cannot be declared
 *   and for an unknown option
 */
// oxlint-disable-next-line typescript/require-await -- programs that call it expect a promise
export async function printTypes(
  schema: JsonValue,
  options: TypesOptions,
): Promise<{ readonly text: string }> {
  checkOptions("printTypes", options, TYPES_OPTIONS);
  const { name, dialect, documents, side = "input" } = options;
  const plan = planSchema(schema, {
    name,
    dialect,
    documents,
    side,
    hasTypes: true,
    names: { taken: new Set(), checks: new Map() },
  });
  const declarations = plan.declarations.map((declaration) =>
    printTypeDeclaration(declaration, plan, { isExported: declaration.isRoot }),
  );
  return { text: `${declarations.join("\n\n")}\n` };
}

/** Prints the interface or type of one declaration, unformatted. */
export function printTypeDeclaration(
  { name, node }: Declaration,
  { context }: SchemaPlan,
  { isExported }: { readonly isExported: boolean },
): string {
  const ownType = ownTypeOf(node);
  const isInterface = ownType.kind === "object" && ownType.properties.length > 0;
  const text = printCommented(ownType, context);
  const declared = isInterface ? `interface ${name} ${text}` : `type ${name} = ${text};`;
  return escapeCode(`${printComment(node)}${isExported ? "export " : ""}${declared}`);
}

/** Prints a type with the comments of its properties: of an object, and of objects in lists and unions. */
function printCommented(schema: SchemaIR, context: PrintContext): string {
  const node = ownTypeOf(schema);
  if (node.kind === "object" && node.properties.length > 0) return printMembers(node, context);
  if (node.kind === "array" && node.prefix.length === 0 && node.items !== undefined)
    return `${parenthesize(printCommented(node.items, context))}[]`;
  if (node.kind === "types" || node.kind === "anyOf" || node.kind === "oneOf")
    return printUnionType(node.members.map((member) => printCommented(member, context)));
  return printTypeText(node, context);
}

function printMembers(node: ObjectNode, context: PrintContext): string {
  const members = propertyTypesOf(node, context).map(({ name, schema, isRequired, takesUndefined }) => {
    const type = printCommented(schema, context);
    const whole = takesUndefined ? printUnionType([type, "undefined"]) : type;
    return `${printComment(schema)}${quoteTypeKey(name)}${isRequired ? "" : "?"}: ${whole};`;
  });
  const index = printIndexType(node, context);
  if (index !== undefined) members.push(`[key: string]: ${widenIndex(node, index, context)};`);
  return `{\n${members.join("\n")}\n}`;
}

/** Prints the comment above a declaration or a property; empty where a schema says nothing. */
function printComment(schema: SchemaIR): string {
  const lines = linesAbove(schema);
  const [line = ""] = lines;
  if (lines.length === 0) return "";
  return lines.length === 1 && !line.startsWith("@")
    ? `/** ${line} */\n`
    : `/**\n${lines.map((each) => ` * ${each}\n`).join("")} */\n`;
}

function linesAbove(schema: SchemaIR): readonly string[] {
  const text = [commentOf(schema), commentOfItems(schema)].filter((part) => part !== "").join("\n\n");
  const lines = text === "" ? [] : text.split("\n");
  return schema.annotations?.deprecated === true ? ["@deprecated", ...lines] : lines;
}

function commentOf({ annotations: { description = "", default: standard } = {} }: SchemaIR): string {
  const parts = [description.trim(), isShort(standard) ? `@default ${JSON.stringify(standard)}` : ""];
  return escapeComment(parts.filter((part) => part !== "").join("\n\n")).trim();
}

/** A comment inside of `A[]` would belong to nothing, so that of the items is written above the list. */
function commentOfItems(schema: SchemaIR): string {
  const node = ownTypeOf(schema);
  if (node.kind !== "array" || node.prefix.length > 0 || node.items === undefined) return "";
  const text = commentOf(node.items);
  // A tag would belong to the list.
  return text === "" || /(?:^|\s)@\w/.test(text) ? "" : `Items: ${text}`;
}

import type { Options } from "json-schema-to-typescript";
import type { AST, TCustomType, TInterfaceParam } from "json-schema-to-typescript/dist/src/types/AST.js";
import { checkOptions } from "../../core/check-options.js";
import { omitUndefined } from "../../core/collections.js";
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
  type PrintContext,
  printIndexType,
  printTypeText,
  propertyTypesOf,
} from "./print-type-text.js";

/**
 * Prints an unformatted TypeScript module that exports the type of a schema's values as `name`. The type is never narrower
 * than the schema, with one exception: an open object has no additional properties unless the schema allows them
 * explicitly.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` for a schema that cannot be parsed; `USAGE` for a name that cannot be declared
 *   and for an unknown option
 */
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
  const declarations: string[] = [];
  for (const declaration of plan.declarations)
    declarations.push(await printTypeDeclaration(declaration, plan, { isExported: declaration.isRoot }));
  return { text: `${declarations.join("\n\n")}\n` };
}

/** Prints the interface or type of one declaration, unformatted. */
export async function printTypeDeclaration(
  { name, node }: Declaration,
  { context }: SchemaPlan,
  { isExported }: { readonly isExported: boolean },
): Promise<string> {
  const print = await (loading ??= loadPrinter());
  const printed = print({ ...describeType(node, context), standaloneName: PLACEHOLDER });
  return escapeCode(repair(printed, isExported ? "export " : "", name));
}

let loading: Promise<(tree: AST) => string> | undefined;

/** Loads the last stages of json-schema-to-typescript: the earlier ones took longer than all of our printing. */
async function loadPrinter(): Promise<(tree: AST) => string> {
  // A bundler may put all exports of a CommonJS module only into `default`.
  const exportsOf = <Module extends object>(module: Module & { readonly default?: Module }): Module =>
    module.default ?? module;
  const { DEFAULT_OPTIONS } = exportsOf(await import("json-schema-to-typescript"));
  const { optimize } = exportsOf(await import("json-schema-to-typescript/dist/src/optimizer.js"));
  const { generate } = exportsOf(await import("json-schema-to-typescript/dist/src/generator.js"));
  const options: Options = { ...DEFAULT_OPTIONS, bannerComment: "" };
  return (tree) => generate(optimize(tree, options), options);
}

// json-schema-to-typescript changes some names, so types are printed under this one.
const PLACEHOLDER = "Schema";

/** Repairs the text of json-schema-to-typescript: the name of the declaration, and comments of one line. */
function repair(printed: string, modifier: string, name: string): string {
  return (
    printed
      .trim()
      // Lines of comments start with an asterisk and strings contain no line ends, so this matches the declaration.
      .replace(/^export (interface|type) Schema\b/m, (_, kind: string) => `${modifier}${kind} ${name}`)
      .replace(/^\/\*\*\n \* ([^@\n][^\n]*)\n \*\/$/gm, (_, comment: string) => `/** ${comment} */`)
  );
}

/**
 * Returns the syntax tree that json-schema-to-typescript prints: objects with comments, and lists and unions with objects. Everything
 * else is the text of its type, also where the library would print it wrongly.
 */
function describeType(node: SchemaIR, context: PrintContext): AST {
  return { ...describeShape(node, context), ...describeComment(node) };
}

function describeShape(schema: SchemaIR, context: PrintContext): AST {
  const node = ownTypeOf(schema);
  const text = (): TCustomType => textType(printTypeText(node, context));
  if (node.kind === "object") return isWritable(node) ? describeObject(node, context) : text();
  if (node.kind === "array") {
    const items = node.prefix.length === 0 && node.items ? describeType(node.items, context) : undefined;
    // For a union as text, json-schema-to-typescript would put `[]` only after the last member.
    return items && items.type !== "CUSTOM_TYPE" ? { type: "ARRAY", params: items } : text();
  }
  if (node.kind !== "types" && node.kind !== "anyOf" && node.kind !== "oneOf") return text();
  // A union with `unknown` is `unknown`, and a union without objects is printed as text.
  const whole = text();
  if (whole.params === "unknown" || !node.members.some((member) => WITH_MEMBERS.has(member.kind)))
    return whole;
  return { type: "UNION", params: node.members.map((member) => describeShape(member, context)) };
}

function textType(text: string): TCustomType {
  return { type: "CUSTOM_TYPE", params: text };
}

const WITH_MEMBERS: ReadonlySet<SchemaIR["kind"]> = new Set(["object", "array", "anyOf", "oneOf", "allOf"]);

// With these names, an object is printed as text.
const UNWRITABLE: readonly string[] = ["__proto__", "hasOwnProperty"];

// json-schema-to-typescript prints objects without properties differently from `printTypeText`.
function isWritable(node: ObjectNode): boolean {
  return node.properties.length > 0 && !node.properties.some(({ name }) => UNWRITABLE.includes(name));
}

function describeObject(node: ObjectNode, context: PrintContext): AST {
  const index = printIndexType(node, context);
  const members = propertyTypesOf(node, context).map(
    ({ name, schema, isRequired, takesUndefined }): TInterfaceParam => {
      const shape = describeShape(schema, context);
      const type = takesUndefined ? orUndefined(shape) : shape;
      return { ...MEMBER, keyName: name, ast: { ...type, ...describeComment(schema) }, isRequired };
    },
  );
  if (index !== undefined)
    members.push({ ...MEMBER, keyName: "[k: string]", ast: textType(index), isIndexSignature: true });
  return { type: "INTERFACE", params: members, superTypes: [] };
}

const MEMBER = {
  isRequired: true,
  isIndexSignature: false,
  isPatternProperty: false,
  isUnreachableDefinition: false,
};

function orUndefined(shape: AST): AST {
  if (shape.type !== "CUSTOM_TYPE") return { type: "UNION", params: [shape, textType("undefined")] };
  const { params } = shape;
  if (params === "unknown") return shape;
  return textType(params === "never" ? "undefined" : `${params} | undefined`);
}

function describeComment({ annotations }: SchemaIR): { comment?: string; deprecated?: boolean } {
  const standard = annotations?.default;
  const lines = [
    annotations?.description?.trim() ?? "",
    isShort(standard) ? `@default ${JSON.stringify(standard)}` : "",
  ];
  const comment = escapeComment(lines.filter((line) => line !== "").join("\n\n")).trim();
  return omitUndefined({
    comment: comment === "" ? undefined : comment,
    deprecated: annotations?.deprecated === true || undefined,
  });
}

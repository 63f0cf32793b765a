import type { compile, JSONSchema, Options } from "json-schema-to-typescript";
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
  const compiled = await compileType(describeType(node, context));
  return escapeCode(repair(compiled, isExported ? "export " : "", name));
}

/** Types by their descriptions: tools of a server share types, and compiling one takes longer than all other steps. */
const compiledTypes = new Map<string, Promise<string>>();
/** Reached by hostile servers alone. */
const MOST_COMPILED = 20_000;

function compileType(described: JSONSchema): Promise<string> {
  const key = JSON.stringify(described);
  const known = compiledTypes.get(key);
  if (known !== undefined) return known;
  loading ??= import("json-schema-to-typescript").then(findCompile);
  const compiled = loading.then((compileSchema) => compileSchema(described, PLACEHOLDER, OPTIONS));
  if (compiledTypes.size >= MOST_COMPILED) compiledTypes.clear();
  compiledTypes.set(key, compiled);
  return compiled;
}

let loading: Promise<typeof compile> | undefined;

/** Returns `compile`. A bundler may put all exports of a CommonJS module only into `default`. */
function findCompile(module: {
  readonly compile?: typeof compile;
  readonly default?: { readonly compile: typeof compile };
}): typeof compile {
  const found = module.compile ?? module.default?.compile;
  if (found === undefined) throw new TypeError("json-schema-to-typescript exports no compile().");
  return found;
}

const OPTIONS: Partial<Options> = {
  additionalProperties: false,
  bannerComment: "",
  enableConstEnums: false,
  // Formatting takes five times as long as everything else, and is done once for the whole file.
  format: false,
  ignoreMinAndMaxItems: true,
  unknownAny: true,
  // The types contain no references. If one did, nothing must be read.
  $refOptions: { resolve: { external: false }, dereference: { excludedPathMatcher: () => true } },
};

// json-schema-to-typescript changes some names, so types are compiled under this one.
const PLACEHOLDER = "Schema";

/** Repairs the text of json-schema-to-typescript: the name of the declaration, and comments of one line. */
function repair(compiled: string, modifier: string, name: string): string {
  return (
    compiled
      .trim()
      // Lines of comments start with an asterisk and strings contain no line ends, so this matches the declaration.
      .replace(/^export (interface|type) Schema\b/m, (_, kind: string) => `${modifier}${kind} ${name}`)
      .replace(/^\/\*\*\n \* ([^@\n][^\n]*)\n \*\/$/gm, (_, comment: string) => `/** ${comment} */`)
  );
}

/**
 * Converts a simplified schema for json-schema-to-typescript: objects with properties and comments, and lists and unions
 * with objects. Everything else, and what it would print wrongly, becomes the text of its type. From a server it contains
 * only property names, and descriptions that cannot end a comment: never its `title`, `$id`, `$ref` or `tsType`.
 */
function describeType(node: SchemaIR, context: PrintContext): JSONSchema {
  return { ...describeShape(node, context), ...describeComment(node) };
}

function describeShape(schema: SchemaIR, context: PrintContext): JSONSchema {
  const node = ownTypeOf(schema);
  const text = (): JSONSchema => ({ tsType: printTypeText(node, context) });
  if (node.kind === "object") return isWritable(node) ? describeObject(node, context) : text();
  if (node.kind === "array") {
    const items = node.prefix.length === 0 && node.items ? describeType(node.items, context) : undefined;
    // For a union as text, json-schema-to-typescript would put `[]` only after the last member.
    return items && items.tsType === undefined ? { type: "array", items } : text();
  }
  if (node.kind !== "types" && node.kind !== "anyOf" && node.kind !== "oneOf") return text();
  // A union with `unknown` is `unknown`, and a union without objects is printed as text.
  const whole = text();
  if (whole.tsType === "unknown" || !node.members.some((member) => WITH_MEMBERS.has(member.kind)))
    return whole;
  return { anyOf: node.members.map((member) => describeShape(member, context)) };
}

const WITH_MEMBERS: ReadonlySet<SchemaIR["kind"]> = new Set(["object", "array", "anyOf", "oneOf", "allOf"]);

// json-schema-to-typescript loses the first name and calls the second on every object.
const UNWRITABLE: readonly string[] = ["__proto__", "hasOwnProperty"];

// json-schema-to-typescript prints objects without properties differently from `printTypeText`.
function isWritable(node: ObjectNode): boolean {
  return node.properties.length > 0 && !node.properties.some(({ name }) => UNWRITABLE.includes(name));
}

function describeObject(node: ObjectNode, context: PrintContext): JSONSchema {
  const index = printIndexType(node, context);
  const properties = propertyTypesOf(node, context);
  return {
    type: "object",
    properties: Object.fromEntries(
      properties.map(({ name, schema, takesUndefined }) => {
        const shape = describeShape(schema, context);
        return [name, { ...(takesUndefined ? orUndefined(shape) : shape), ...describeComment(schema) }];
      }),
    ),
    required: properties.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    additionalProperties: index === undefined ? false : { tsType: index },
  };
}

function orUndefined(shape: JSONSchema): JSONSchema {
  const { tsType } = shape;
  if (tsType === undefined) return { anyOf: [shape, { tsType: "undefined" }] };
  if (tsType === "unknown") return shape;
  return { tsType: tsType === "never" ? "undefined" : `${tsType} | undefined` };
}

function describeComment({ annotations }: SchemaIR): JSONSchema {
  const standard = annotations?.default;
  const lines = [
    annotations?.description?.trim() ?? "",
    isShort(standard) ? `@default ${JSON.stringify(standard)}` : "",
  ];
  const description = escapeComment(lines.filter((line) => line !== "").join("\n\n")).trim();
  return omitUndefined({
    description: description === "" ? undefined : description,
    deprecated: annotations?.deprecated === true || undefined,
  });
}

import type { JsonValue } from "../../core/json.js";
import { checkOptions, type OptionRules } from "../../core/check-options.js";
import type { FormatRule, SchemaDiagnostic, Dialect } from "../../core/schema-ir.js";
import { targetsOf } from "../ir/subschemas.js";
import { distinctDiagnostics } from "../ir/parse-schema.js";
import {
  type Declaration,
  importsOf,
  type ModuleNames,
  planSchema,
  type SchemaPlan,
  TYPES_OPTIONS,
  type TypesOptions,
} from "./plan-module.js";
import { printZod } from "./print-zod.js";
import { findComponents } from "../../core/collections.js";
import { quoteKey, quoteLiteral } from "./identifiers.js";
import type { Side } from "./print-type-text.js";
import { printTypeDeclaration } from "./print-types.js";
import { isPlainObject } from "./print-zod-object.js";
import { defaultOfProperty } from "../interpret/fill-defaults.js";

interface ZodModuleOptions extends TypesOptions {
  /** `assert`: a string must have the required `format`. Default: formats are annotations. */
  readonly formats?: FormatRule;
  /** `parse`: parsing fills in the defaults of absent properties of an input. */
  readonly defaults?: "parse";
}

const ZOD_MODULE_OPTIONS: OptionRules<ZodModuleOptions> = {
  ...TYPES_OPTIONS,
  formats: ["assert"],
  defaults: ["parse"],
};

/**
 * Prints an unformatted TypeScript module that exports the schema as `name`. It imports `zod` and, for checks that Zod
 * lacks, `mcp-codegen/codegen`. The module never rejects what the schema accepts. Where it accepts more, there is a
 * diagnostic.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` for a schema that cannot be parsed; `USAGE` for a name that cannot be declared
 *   and for an unknown option
 */
export function printZodModule(
  schema: JsonValue,
  options: ZodModuleOptions,
): { readonly text: string; readonly diagnostics: readonly SchemaDiagnostic[] } {
  checkOptions("printZodModule", options, ZOD_MODULE_OPTIONS);
  const names: ModuleNames = { taken: new Set(), checks: new Map() };
  const { name, dialect, formats, defaults, documents, side = "input" } = options;
  const plan = planSchema(schema, {
    name,
    dialect,
    formats,
    defaults,
    documents,
    side,
    hasTypes: false,
    hasMetadata: true,
    names,
  });
  const declarations = sortLazyFirst(plan).map((declaration) => printZodDeclaration(declaration, plan));
  const checks = importsOf(names);
  const imports = [
    'import * as z from "zod";',
    ...(checks.length > 0 ? [`import { ${checks.join(", ")} } from "mcp-codegen/codegen";`] : []),
  ];
  return {
    text: `${[imports.join("\n"), ...declarations].join("\n\n")}\n`,
    diagnostics: distinctDiagnostics(plan.context.diagnostics),
  };
}

// TypeScript cannot infer the type of a recursive schema, so it is lazy and annotated as any schema.
function printZodDeclaration(
  { name, node, isRecursive, isRoot }: Declaration,
  { context }: SchemaPlan,
): string {
  const text = printZod(node, context);
  const head = `${isRoot ? "export " : ""}const ${name}`;
  return isRecursive ? `${head}: z.ZodType = /* @__PURE__ */ z.lazy(() => ${text});` : `${head} = ${text};`;
}

/** Sorts lazy declarations first, since they resolve references later; then each after those it refers to. */
function sortLazyFirst({ declarations, context }: SchemaPlan): readonly Declaration[] {
  const byName = new Map(declarations.map((declaration) => [declaration.name, declaration]));
  const ordered = new Set<Declaration>(declarations.filter(({ isRecursive }) => isRecursive));
  const visit = (declaration: Declaration): void => {
    if (ordered.has(declaration)) return;
    for (const target of targetsOf(declaration.node)) {
      const next = byName.get(context.names.get(target) ?? "");
      if (next) visit(next);
    }
    ordered.add(declaration);
  };
  declarations.forEach(visit);
  return [...ordered];
}

export interface ToolSchemas {
  readonly input: NamedSchema;
  readonly output?: NamedSchema | undefined;
  /** Other names that the module declares or imports. */
  readonly taken: readonly string[];
  /** The dialect of a schema that does not declare one. */
  readonly defaultDialect?: Dialect | undefined;
  readonly formats?: FormatRule | undefined;
  /** Whether absent properties of the input get their defaults. */
  readonly defaults?: "parse" | undefined;
  /** Whether schemas of objects have the static type of a Zod object. */
  readonly isOpen?: boolean;
}

interface NamedSchema {
  readonly schema: JsonValue;
  readonly name: string;
}

interface PrintedToolSchemas {
  /** Unformatted declarations: an interface and a lazy schema of the same name for each. */
  readonly text: string;
  /** Import specifiers for `mcp-codegen/codegen`, sorted; `fits as fitsCheck` if `fits` is taken. */
  readonly checks: readonly string[];
  /** Paths start with `/inputSchema` or `/outputSchema`. */
  readonly diagnostics: readonly SchemaDiagnostic[];
}

/** Prints the declarations of a tool's module. Throws `SCHEMA_INVALID`, and `USAGE` for a name that is not valid. */
export function printToolSchemas(tool: ToolSchemas): PrintedToolSchemas {
  const names = namesOf(tool);
  const texts: string[] = [];
  const diagnostics: SchemaDiagnostic[] = [];
  const sides = sidesOf(tool).map((side) => ({ side, plan: planSide(tool, side, names) }));
  for (const { side, plan } of sides) {
    const declarations = tool.isOpen === true ? sortReferencesFirst(plan) : plan.declarations;
    for (const declaration of declarations) texts.push(printToolDeclaration(declaration, plan, tool));
    diagnostics.push(...diagnosticsOf(plan, side));
  }
  return { text: `${texts.join("\n\n")}\n`, checks: importsOf(names), diagnostics };
}

interface SideSchema extends NamedSchema {
  readonly side: Side;
  /** JSON Pointer into the definition. */
  readonly path: string;
}

function sidesOf({ input, output }: ToolSchemas): readonly SideSchema[] {
  return [
    { ...input, side: "input", path: "/inputSchema" },
    ...(output ? [{ ...output, side: "output", path: "/outputSchema" } as const] : []),
  ];
}

function namesOf({ taken: names, input, output }: ToolSchemas): ModuleNames {
  return { taken: new Set([...names, input.name, ...(output ? [output.name] : [])]), checks: new Map() };
}

function planSide(tool: ToolSchemas, { schema, name, side }: SideSchema, names: ModuleNames): SchemaPlan {
  const { defaultDialect, formats, defaults } = tool;
  // The interface documents a schema for people, and the raw schema for models. A schema made from an open one has neither.
  const hasMetadata = tool.isOpen === true;
  const options = { name, side, defaultDialect, formats, defaults, hasTypes: true, hasMetadata, names };
  return planSchema(schema, options);
}

// Must run after printing, which adds diagnostics.
function diagnosticsOf({ context }: SchemaPlan, { path }: SideSchema): readonly SchemaDiagnostic[] {
  return distinctDiagnostics(context.diagnostics).map((item) => ({ ...item, path: path + item.path }));
}

// Annotated, as isolatedDeclarations requires. Lazy and marked pure, so that a bundler drops unused schemas.
function printToolDeclaration(
  declaration: Declaration,
  plan: SchemaPlan,
  { isOpen = false }: ToolSchemas,
): string {
  const { name, node } = declaration;
  const type = printTypeDeclaration(declaration, plan, { isExported: true });
  const openType = isOpen ? printOpenType(declaration, plan) : undefined;
  const annotation = openType ?? `${plan.context.useCheck("Schema")}<${name}>`;
  // For an open schema not z.lazy, which does not have the methods of an object.
  const make = plan.context.useCheck(openType === undefined ? "schema" : "openSchema");
  const schema = `/* @__PURE__ */ ${make}(() => ${printZod(node, plan.context)})`;
  return `${type}\n\nexport const ${name}: ${annotation} = ${schema};`;
}

/**
 * Prints the static type of a schema as a Zod object, for `schemas: "open"`; undefined for another schema and for an object that
 * refers to itself. Properties have the types of the interface, so that Zod infers exactly this interface.
 */
function printOpenType(declaration: Declaration, plan: SchemaPlan): string | undefined {
  const { name, node, isRecursive, isRoot } = declaration;
  const { context } = plan;
  if (isRecursive) return undefined;
  if (isRoot && node.kind === "ref" && !context.checksReferences) {
    const target = plan.declarations.find((other) => other.name === context.names.get(node.target));
    const isOpen = target !== undefined && printOpenType(target, plan) !== undefined;
    return isOpen ? `typeof ${target.name}` : undefined;
  }
  if (node.kind !== "object" || !isPlainObject(node, context)) return undefined;
  const optional = context.side === "input" ? "z.ZodOptional" : "z.ZodExactOptional";
  const shape = node.properties.map((property) => {
    const key = quoteLiteral(property.name);
    const value = property.isRequired ? `${name}[${key}]` : `Required<${name}>[${key}]`;
    const type = `z.ZodType<${value}, ${value}>`;
    const isFilled =
      context.defaults === "fill" && defaultOfProperty(property, node, context.definitions) !== undefined;
    const wrapper = isFilled ? "z.ZodDefault" : optional;
    return `${quoteKey(property.name)}: ${property.isRequired ? type : `${wrapper}<${type}>`};`;
  });
  const others = node.additional?.kind === "any" ? "$loose" : "$strict";
  return `z.ZodObject<{ ${shape.join(" ")} }, z.core.${others}>`;
}

/** Sorts the declarations of a plan after those that they refer to: open schemas are created when the module loads. */
function sortReferencesFirst({ declarations, context }: SchemaPlan): readonly Declaration[] {
  const { names, definitions } = context;
  // `findComponents` returns nodes in this order.
  const pointers = findComponents([...names.keys()], (pointer) => {
    const node = definitions.get(pointer);
    return node === undefined ? [] : [...targetsOf(node)];
  }).keys();
  const order = new Map([...pointers].map((pointer, at) => [names.get(pointer), at]));
  const placeOf = ({ name, isRoot }: Declaration): number => (isRoot ? Infinity : (order.get(name) ?? -1));
  return [...declarations].sort((declaration, other) => placeOf(declaration) - placeOf(other));
}

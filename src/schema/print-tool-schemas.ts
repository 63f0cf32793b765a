import type { JsonValue } from "../contract/json.js";
import type { Dialect, FormatRule, SchemaDiagnostic } from "../contract/schema-ir.js";
import {
  type Declaration,
  distinct,
  importsOf,
  type ModuleNames,
  planSchema,
  type SchemaPlan,
} from "./plan-module.js";
import { printTypeDeclaration } from "./print-types.js";
import { printZod } from "./print-zod.js";

export interface ToolSchemas {
  readonly input: NamedSchema;
  readonly output?: NamedSchema | undefined;
  /** Names that the module declares or imports besides. */
  readonly taken: readonly string[];
  /** What a schema is written in that declares nothing. */
  readonly defaultDialect?: Dialect | undefined;
  readonly formats?: FormatRule | undefined;
}

export interface NamedSchema {
  readonly schema: JsonValue;
  readonly name: string;
}

export interface PrintedToolSchemas {
  /** Declarations alone, unformatted: an interface and a lazy schema for each, of one name. */
  readonly text: string;
  /** Import specifiers for `mcp-codegen/runtime`, sorted; `fits as fitsCheck` where `fits` is taken. */
  readonly checks: readonly string[];
  /** Paths start with `/inputSchema` or `/outputSchema`. */
  readonly diagnostics: readonly SchemaDiagnostic[];
}

/**
 * The declarations part of a tool's module.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` for a schema that cannot be read; `USAGE` for a name that cannot be declared
 */
export async function printToolSchemas(tool: ToolSchemas): Promise<PrintedToolSchemas> {
  const { input, output, defaultDialect, formats } = tool;
  const names: ModuleNames = {
    taken: new Set([...tool.taken, input.name, ...(output ? [output.name] : [])]),
    checks: new Map(),
  };
  const sides = [
    { ...input, side: "input", path: "/inputSchema" },
    ...(output ? [{ ...output, side: "output", path: "/outputSchema" } as const] : []),
  ] as const;
  const texts: string[] = [];
  const diagnostics: SchemaDiagnostic[] = [];
  for (const { schema, name, side, path } of sides) {
    const plan = planSchema(schema, { name, side, defaultDialect, formats, hasTypes: true, names });
    for (const declaration of plan.declarations) texts.push(await printDeclaration(declaration, plan));
    diagnostics.push(
      ...distinct(plan.context.diagnostics).map((item) => ({ ...item, path: path + item.path })),
    );
  }
  return { text: `${texts.join("\n\n")}\n`, checks: importsOf(names), diagnostics };
}

// Annotated, as isolatedDeclarations asks; lazy and marked pure, so that a bundler drops what nobody imports.
async function printDeclaration(declaration: Declaration, plan: SchemaPlan): Promise<string> {
  const { name, node, isRoot } = declaration;
  const type = await printTypeDeclaration(declaration, plan);
  const head = `${isRoot ? "export " : ""}const ${name}: z.ZodType<${name}, ${name}>`;
  return `${type}\n\n${head} = /* @__PURE__ */ z.lazy(() => ${printZod(node, plan.context)});`;
}

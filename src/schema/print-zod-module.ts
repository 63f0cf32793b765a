import type { JsonValue } from "../contract/json.js";
import { checkOptions, type OptionRules } from "../contract/check-options.js";
import type { FormatRule, SchemaDiagnostic } from "../contract/schema-ir.js";
import { targetsOf } from "./name-definitions.js";
import {
  type Declaration,
  distinct,
  importsOf,
  type ModuleNames,
  planSchema,
  type SchemaPlan,
} from "./plan-module.js";
import { printZod } from "./print-zod.js";
import { TYPES_OPTIONS, type TypesOptions } from "./types-options.js";

export interface ZodModuleOptions extends TypesOptions {
  /** `assert`: a string must have the `format` that is asked for. Otherwise formats are annotations. */
  readonly formats?: FormatRule;
}

const OPTIONS: OptionRules<ZodModuleOptions> = { ...TYPES_OPTIONS, formats: ["assert"] };

/**
 * A whole TypeScript module that exports the schema as `name`, unformatted. It imports `zod` and, where it needs
 * checks that Zod lacks, `mcp-codegen/codegen`. What the schema accepts and the module does not say is in the
 * diagnostics; the module never refuses what the schema accepts.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` for a schema that cannot be read; `USAGE` for a name that cannot be declared and
 *   for an unknown option
 */
export function printZodModule(
  schema: JsonValue,
  options: ZodModuleOptions,
): { readonly text: string; readonly diagnostics: readonly SchemaDiagnostic[] } {
  checkOptions("printZodModule", options, OPTIONS);
  const names: ModuleNames = { taken: new Set(), checks: new Map() };
  const { name, dialect, formats, documents, side = "input" } = options;
  const plan = planSchema(schema, { name, dialect, formats, documents, side, hasTypes: false, names });
  const declarations = inOrder(plan).map((declaration) => printDeclaration(declaration, plan));
  const checks = importsOf(names);
  const imports = [
    'import * as z from "zod";',
    ...(checks.length > 0 ? [`import { ${checks.join(", ")} } from "mcp-codegen/codegen";`] : []),
  ];
  return {
    text: `${[imports.join("\n"), ...declarations].join("\n\n")}\n`,
    diagnostics: distinct(plan.context.diagnostics),
  };
}

// Inference does not follow a schema into itself, so what recurs is lazy and has the type of any schema.
function printDeclaration({ name, node, isRecursive, isRoot }: Declaration, { context }: SchemaPlan): string {
  const text = printZod(node, context);
  const head = `${isRoot ? "export " : ""}const ${name}`;
  return isRecursive ? `${head}: z.ZodType = /* @__PURE__ */ z.lazy(() => ${text});` : `${head} = ${text};`;
}

/** Lazy declarations first, since they refer to others only when they run; then each after those it refers to. */
function inOrder({ declarations, context }: SchemaPlan): readonly Declaration[] {
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

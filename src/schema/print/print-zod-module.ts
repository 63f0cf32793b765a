import type { JsonValue } from "../../core/json.js";
import { checkOptions, type OptionRules } from "../../core/check-options.js";
import type { FormatRule, SchemaDiagnostic } from "../../core/schema-ir.js";
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

interface ZodModuleOptions extends TypesOptions {
  /** `assert`: a string must have the required `format`. Default: formats are annotations. */
  readonly formats?: FormatRule;
}

const OPTIONS: OptionRules<ZodModuleOptions> = { ...TYPES_OPTIONS, formats: ["assert"] };

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
    diagnostics: distinctDiagnostics(plan.context.diagnostics),
  };
}

// TypeScript cannot infer the type of a recursive schema, so it is lazy and annotated as any schema.
function printDeclaration({ name, node, isRecursive, isRoot }: Declaration, { context }: SchemaPlan): string {
  const text = printZod(node, context);
  const head = `${isRoot ? "export " : ""}const ${name}`;
  return isRecursive ? `${head}: z.ZodType = /* @__PURE__ */ z.lazy(() => ${text});` : `${head} = ${text};`;
}

/** Sorts lazy declarations first, since they resolve references later; then each after those it refers to. */
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

import { checkOptions } from "../contract/check-options.js";
import type { JsonValue } from "../contract/json.js";
import { compileType } from "./compile-type.js";
import { describeType } from "./describe-type.js";
import { type Declaration, planSchema, type SchemaPlan } from "./plan-module.js";
import { TYPES_OPTIONS, type TypesOptions } from "./types-options.js";

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

/** Prints the interface or type of one declaration. */
export function printTypeDeclaration(
  { name, node }: Declaration,
  { context }: SchemaPlan,
  options: { readonly isExported: boolean },
): Promise<string> {
  return compileType(describeType(node, context), name, options);
}

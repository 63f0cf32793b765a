import { checkOptions } from "../contract/check-options.js";
import type { JsonValue } from "../contract/json.js";
import { compileType } from "./compile-type.js";
import { describeType } from "./describe-type.js";
import { type Declaration, planSchema, type SchemaPlan } from "./plan-module.js";
import { TYPES_OPTIONS, type TypesOptions } from "./types-options.js";

/**
 * A whole TypeScript module that exports the type of the values a schema accepts as `name`, unformatted. The type is
 * never narrower than the schema, but for one thing: an open object takes no properties that its schema does not
 * name, unless the schema says so itself.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` for a schema that cannot be read; `USAGE` for a name that cannot be declared and
 *   for an unknown option
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

/** The interface or type of one declaration. */
export function printTypeDeclaration(
  { name, node }: Declaration,
  { context }: SchemaPlan,
  options: { readonly isExported: boolean },
): Promise<string> {
  return compileType(describeType(node, context), name, options);
}

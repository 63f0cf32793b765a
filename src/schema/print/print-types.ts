import type { compile, JSONSchema, Options } from "json-schema-to-typescript";
import { checkOptions } from "../../core/check-options.js";
import type { JsonValue } from "../../core/json.js";
import { describeType } from "./describe-type.js";
import { escapeCode } from "./identifiers.js";
import {
  type Declaration,
  planSchema,
  type SchemaPlan,
  TYPES_OPTIONS,
  type TypesOptions,
} from "./plan-module.js";

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

// Types are compiled under this name and then renamed: json-schema-to-typescript changes some names.
const PLACEHOLDER = "Schema";

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

let loading: Promise<typeof compile> | undefined;

/** Returns the declaration of one type, unformatted: an interface if possible. */
async function compileType(
  type: JSONSchema,
  name: string,
  options: { readonly isExported: boolean },
): Promise<string> {
  loading ??= import("json-schema-to-typescript").then(findCompile);
  const compiled = await (await loading)(type, PLACEHOLDER, OPTIONS);
  return escapeCode(
    compiled
      .trim()
      // Lines of comments start with an asterisk and strings contain no line ends, so this matches the declaration.
      .replace(
        /^export (interface|type) Schema\b/m,
        (_, kind: string) => `${options.isExported ? "export " : ""}${kind} ${name}`,
      )
      .replace(/^\/\*\*\n \* ([^@\n][^\n]*)\n \*\/$/gm, (_, comment: string) => `/** ${comment} */`),
  );
}

/** Returns `compile`. A bundler may put all exports of a CommonJS module only into `default`. */
function findCompile(module: {
  readonly compile?: typeof compile;
  readonly default?: { readonly compile: typeof compile };
}): typeof compile {
  const found = module.compile ?? module.default?.compile;
  if (found === undefined) throw new TypeError("json-schema-to-typescript exports no compile().");
  return found;
}

import ts from "typescript";
import * as z from "zod";
import * as checks from "../../../src/codegen.js";
import type { JsonValue } from "../../../src/core/json.js";
import type { Dialect } from "../../../src/core/schema-ir.js";
import { printToolSchemas, printZodModule } from "../../../src/schema/print/print-modules.js";

/** Returns an export of a printed module, which must be a Zod schema. */
export function evaluateModule(text: string, name: string): z.ZodType {
  const outputText = toScript(text);
  const modules: { readonly [specifier: string]: unknown } = { zod: z, "mcp-codegen/codegen": checks };
  const exports: { [name: string]: unknown } = {};
  const load = (specifier: string): unknown => {
    if (!Object.hasOwn(modules, specifier)) throw new Error(`The module imports "${specifier}".`);
    return modules[specifier];
  };
  // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- printed from data in a test
  new Function("exports", "require", outputText)(exports, load);
  const schema = exports[name];
  if (!(schema instanceof z.ZodType)) throw new Error(`The module exports no schema "${name}".`);
  return schema;
}

// Declarations start on new lines and strings contain no line ends, so a module without type arguments needs no compiler,
// which would take most of the time of a test over thousands of modules.
function toScript(text: string): string {
  if (!/z\.custom<|^interface |^export interface |^(export )?type /m.test(text)) {
    return text
      .replace(/^import \* as z from "zod";$/m, 'const z = require("zod");')
      .replace(
        /^import (\{.*\}) from "mcp-codegen\/codegen";$/m,
        'const $1 = require("mcp-codegen/codegen");',
      )
      .replace(
        /^(export )?const (\w+)(: z\.ZodType)? =/gm,
        (_, isExported, name: string) => `const ${name} = ${isExported ? `exports.${name} =` : ""}`,
      );
  }
  return ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.CommonJS,
      esModuleInterop: false,
    },
  }).outputText;
}

/** Returns the printed and evaluated Zod schema of a JSON Schema. */
export function toZod(schema: JsonValue, dialect?: Dialect, side: "input" | "output" = "input"): z.ZodType {
  const { text } = printZodModule(schema, { name: "Printed", side, ...(dialect && { dialect }) });
  return evaluateModule(text, "Printed");
}

/** Returns a tool's declarations as a separate module. */
export function printToolModule(
  input: JsonValue,
  output?: JsonValue,
  { isOpen = false }: { readonly isOpen?: boolean } = {},
): string {
  const printed = printToolSchemas({
    isOpen,
    input: { schema: input, name: "ToolInput" },
    ...(output !== undefined && { output: { schema: output, name: "ToolOutput" } }),
    taken: ["tool", "server"],
  });
  const runtime =
    printed.checks.length > 0 ? `import { ${printed.checks.join(", ")} } from "mcp-codegen/codegen";\n` : "";
  return `import * as z from "zod";\n${runtime}\n${printed.text}`;
}

import type { ZodType } from "zod";
import { checkArgument, checkOptions, type OptionRules, SETTLED } from "../core/check-options.js";
import type { JsonValue } from "../core/json.js";
import { DIALECTS } from "../core/schema-ir.js";
import type { SchemaSettings } from "../core/tool.js";

const OPTIONS: OptionRules<SchemaSettings> = { dialect: DIALECTS, formats: ["assert"], defaults: ["parse"] };

/**
 * Returns a Zod schema that judges values as generated code does, without generating any: for tools whose schemas are known only
 * at run time. `z.toJSONSchema()` gives the JSON Schema back. Loads Zod and the reader of schemas.
 *
 * ```ts
 * const input = await jsonSchemaToZod(tool.inputSchema(), { defaults: "parse" });
 * input.parse({ title: "Rolls" });
 * ```
 *
 * @param options `dialect` of a schema without `$schema`; `formats: "assert"` requires formats, and `defaults: "parse"` fills in the
 * defaults of absent properties
 * @throws McpCodegenError `SCHEMA_INVALID` for a schema that cannot be read; `USAGE` for an unknown option
 */
export async function jsonSchemaToZod(schema: unknown, options: SchemaSettings = {}): Promise<ZodType> {
  checkArgument("jsonSchemaToZod", "schema", schema, SETTLED);
  checkOptions("jsonSchemaToZod", options, OPTIONS);
  const { zodOf } = await import("./zod-of-schema.js");
  // Reading it refuses what is not JSON.
  return zodOf(schema as JsonValue, options);
}

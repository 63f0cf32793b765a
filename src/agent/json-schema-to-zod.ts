import type { ZodType } from "zod";
import { checkArgument, checkOptions, type OptionRules, SETTLED } from "../core/check-options.js";
import type { JsonValue } from "../core/json.js";
import { DIALECTS } from "../core/schema-ir.js";
import type { SchemaSettings } from "../core/tool.js";
import { loadSchemaReader } from "./registry/registered-tool.js";

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
  const [z, { openLiveSchema }] = await Promise.all([import("zod"), loadSchemaReader()]);
  // Reading it refuses what is not JSON.
  const { check, fill } = openLiveSchema(schema as JsonValue, options);
  // Not `z.unknown().check()`, whose result refers to a schema without the check when it is printed.
  const judge = new z.ZodUnknown({ type: "unknown", checks: [z.check((payload) => check()?.(payload))] });
  const zod = fill === undefined ? judge : judge.transform(fill);
  // A copy, since Zod adds to what it is given.
  zod._zod.toJSONSchema = () =>
    typeof schema === "boolean" ? (schema ? {} : { not: {} }) : structuredClone(schema);
  return zod;
}

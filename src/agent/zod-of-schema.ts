import * as z from "zod";
import type { JsonValue } from "../core/json.js";
import type { SchemaSettings } from "../core/tool.js";
import { openLiveSchema } from "../schema/interpret/live-schema.js";

/**
 * Does the work of `jsonSchemaToZod`: loads Zod and the reader of schemas.
 *
 * @throws McpCodegenError `SCHEMA_INVALID` for a schema that cannot be read
 */
export function zodOf(schema: JsonValue, options: SchemaSettings): z.ZodType {
  const { check, fill } = openLiveSchema(schema, options);
  // Not `z.unknown().check()`, whose result refers to a schema without the check when it is printed.
  const judge = new z.ZodUnknown({ type: "unknown", checks: [z.check((payload) => check()?.(payload))] });
  const zod = fill === undefined ? judge : judge.transform(fill);
  // A copy, since Zod adds to what it is given.
  zod._zod.toJSONSchema = () =>
    typeof schema === "boolean" ? (schema ? {} : { not: {} }) : structuredClone(schema);
  return zod;
}

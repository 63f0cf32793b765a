import { isJsonObject, type JsonObject } from "../contract/json.js";
import type { Schema } from "../validation/schema.js";

/**
 * Returns a Zod schema of generated code as JSON Schema, without what JSON Schema cannot say; undefined for a schema of
 * another library.
 */
export async function jsonSchemaOf(schema: Schema<unknown>): Promise<JsonObject | undefined> {
  // Generated code imports Zod, so it is installed.
  const { z } = await import("zod");
  if (!(schema instanceof z.core.$ZodType)) return undefined;
  const made: unknown = JSON.parse(
    JSON.stringify(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" })),
  );
  return isJsonObject(made) ? made : undefined;
}

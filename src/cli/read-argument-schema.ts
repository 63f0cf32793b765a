import { McpCodegenError } from "../contract/errors.js";
import { isJsonObject, type JsonValue } from "../contract/json.js";
import type { RegisteredTool } from "../agent/registry/registered-tool.js";
import { parseSchema } from "../schema/parse-schema.js";
import { ArgumentSchema } from "./call-flags/argument-schema.js";

/** Returns the input schema of a tool, for its flags. Throws `SCHEMA_INVALID` if the tool has none. */
export function readArgumentSchema({ name, inputSchema, dialect }: RegisteredTool): ArgumentSchema {
  const schema: unknown = inputSchema();
  if (isSchema(schema)) return new ArgumentSchema(parseSchema(schema, { defaultDialect: dialect }));
  throw new McpCodegenError("SCHEMA_INVALID", `Tool ${JSON.stringify(name)} has no input schema.`);
}

function isSchema(value: unknown): value is JsonValue {
  return typeof value === "boolean" || isJsonObject(value);
}

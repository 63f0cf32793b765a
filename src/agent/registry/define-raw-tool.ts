import { type AbilitySnapshot, wrappedValues } from "../../core/ability.js";
import { omitUndefined } from "../../core/collections.js";
import { getOwn, type JsonObject, type JsonValue } from "../../core/json.js";
import type { Dialect } from "../../core/schema-ir.js";
import { describeTool } from "../../core/snapshot.js";
import { throughAbility } from "../../runtime/abilities.js";
import type { ServerDefinition, ToolDefinition } from "../../core/tool.js";
import type { Schema } from "../../core/schema.js";

interface RawTool {
  readonly name: string;
  /** As the server sent it. */
  readonly definition: JsonObject;
  /** The ability that is called through the adapter's execute tool. */
  readonly ability?: AbilitySnapshot | undefined;
  readonly category?: string | undefined;
  readonly dialect?: Dialect | undefined;
  /** Default: the one of the definition. */
  readonly outputSchema?: JsonValue | undefined;
}

/** Returns the definition that generated code would have, with interpreted schemas. */
export function defineRawTool(
  server: ServerDefinition,
  {
    name,
    definition,
    ability,
    category,
    dialect,
    outputSchema = getOwn(definition, "outputSchema"),
  }: RawTool,
  read: (schema: JsonValue) => Schema<unknown>,
): ToolDefinition<unknown, unknown> {
  const inputSchema = getOwn(definition, "inputSchema") ?? { type: "object" };
  return omitUndefined({
    server,
    name,
    ...describeTool(definition),
    category,
    dialect,
    defaults: server.defaults,
    through: ability && (() => throughAbility(ability.name, wrappedValues(ability))),
    input: read(inputSchema),
    output: outputSchema === undefined ? undefined : read(outputSchema),
    inputSchema: () => inputSchema,
    outputSchema: outputSchema === undefined ? undefined : () => outputSchema,
  });
}

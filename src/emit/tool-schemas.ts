import type { Diagnostic } from "../contract/diagnostic.js";
import { McpCodegenError } from "../contract/errors.js";
import { getOwn, type JsonObject, type JsonValue } from "../contract/json.js";
import type { SchemaDiagnostic } from "../contract/schema-ir.js";
import { diagnoseToolSchemas, type ToolSchemas } from "../schema/print-tool-schemas.js";
import { diagnoseDefaults } from "./diagnose-defaults.js";
import type { ToolTask } from "./render-task.js";

/** Returns the schemas of a tool as its module prints them. */
export function toolSchemasOf(task: ToolTask): ToolSchemas {
  const { definition, names, formats, dialect } = task;
  const outputSchema = getOwn(definition, "outputSchema");
  return {
    input: { schema: inputSchemaOf(definition), name: names.input },
    ...(names.output !== undefined &&
      outputSchema !== undefined && { output: { schema: outputSchema, name: names.output } }),
    formats,
    defaultDialect: dialect,
    isOpen: task.schemas === "open",
    taken: [
      ...["z", "defineTool", "server", names.wrapper, names.callable, names.schema],
      ...(task.hasEnvironments ? ["Environment"] : []),
    ],
  };
}

/** Returns a tool's locked input schema; any object if it has none. */
export function inputSchemaOf(definition: JsonObject): JsonValue {
  return getOwn(definition, "inputSchema") ?? { type: "object" };
}

/** Returns diagnostics for defaults that are not sent, if the configuration sends defaults. */
export function diagnoseSending(task: ToolTask, { input }: ToolSchemas): readonly SchemaDiagnostic[] {
  if (task.defaults === undefined) return [];
  const { dialect, formats } = task;
  return diagnoseDefaults(input.schema, { defaultDialect: dialect, formats }).map((found) => ({
    ...found,
    path: `/inputSchema${found.path}`,
  }));
}

/** Returns a tool's diagnostics without rendering it; or the reason why it cannot be rendered. */
export function diagnoseTool(task: ToolTask): readonly Diagnostic[] {
  const { server, definition } = task;
  try {
    const schemas = toolSchemasOf(task);
    const found = [...diagnoseToolSchemas(schemas), ...diagnoseSending(task, schemas)];
    return found.map((one) => ({ ...one, server, tool: definition.name }));
  } catch (error) {
    if (!(error instanceof McpCodegenError) || error.code !== "SCHEMA_INVALID") throw error;
    return [{ code: "TOOL_UNUSABLE", server, tool: definition.name, path: "", message: error.message }];
  }
}

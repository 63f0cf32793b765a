import type { Diagnostic } from "../contract/diagnostic.js";
import { McpCodegenError } from "../contract/errors.js";
import { getOwn, type JsonObject, type JsonValue } from "../contract/json.js";
import type { SchemaDiagnostic } from "../contract/schema-ir.js";
import { diagnoseToolSchemas, type ToolSchemas } from "../schema/print-tool-schemas.js";
import { diagnoseDefaults } from "./diagnose-defaults.js";
import type { ToolTask } from "./render-task.js";

/** The schemas of a tool as its module prints them. */
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

/** A tool's input schema as it is locked; any object where it has none. */
export function inputSchemaOf(definition: JsonObject): JsonValue {
  return getOwn(definition, "inputSchema") ?? { type: "object" };
}

/** What is not sent of a tool's defaults, where the configuration has them sent. */
export function diagnoseSending(task: ToolTask, { input }: ToolSchemas): readonly SchemaDiagnostic[] {
  if (task.defaults === undefined) return [];
  const { dialect, formats } = task;
  return diagnoseDefaults(input.schema, { defaultDialect: dialect, formats }).map((found) => ({
    ...found,
    path: `/inputSchema${found.path}`,
  }));
}

/** What rendering a tool would have to say, without rendering it; why it cannot be rendered, when it cannot. */
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

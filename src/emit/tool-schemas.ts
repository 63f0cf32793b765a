import type { Diagnostic } from "../core/diagnostic.js";
import { McpCodegenError } from "../core/errors.js";
import { joinPointer } from "../core/json-pointer.js";
import { hasNumberText } from "../core/number-text.js";
import { oneLine } from "../core/printable.js";
import { getOwn, type JsonObject, type JsonValue } from "../core/json.js";
import { listSchemas } from "../core/subschemas.js";
import type { SchemaDiagnostic } from "../core/schema-ir.js";
import { printToolSchemas, type ToolSchemas } from "../schema/print/print-modules.js";
import type { ToolTask } from "./render-task.js";

/** Returns the schemas of a tool as its module prints them. */
export function toolSchemasOf(task: ToolTask): ToolSchemas {
  const { definition, names, formats, defaults, dialect } = task;
  const outputSchema = task.output?.schema ?? getOwn(definition, "outputSchema");
  return {
    input: { schema: inputSchemaOf(definition), name: names.input },
    ...(names.output !== undefined &&
      outputSchema !== undefined && { output: { schema: outputSchema, name: names.output } }),
    formats,
    defaults,
    defaultDialect: dialect,
    isOpen: task.schemas === "open",
    taken: [
      "z",
      "defineTool",
      "server",
      "inputSchema",
      names.wrapper,
      ...(task.hasEnvironments ? ["Environment"] : []),
    ],
  };
}

/** Returns a tool's locked input schema; any object if it has none. */
export function inputSchemaOf(definition: JsonObject): JsonValue {
  return getOwn(definition, "inputSchema") ?? { type: "object" };
}

/** Returns diagnostics for defaults that JavaScript cannot hold, if the configuration fills in defaults. */
export function diagnoseLostDefaults(task: ToolTask, { input }: ToolSchemas): readonly SchemaDiagnostic[] {
  if (task.defaults === undefined) return [];
  return [...listSchemas(input.schema)].flatMap(([at, inner]): readonly SchemaDiagnostic[] => {
    const value = getOwn(inner, "default");
    if (value === undefined || !hasNumberText(value, inner)) return [];
    const path = joinPointer(`/inputSchema${at}`, "default");
    const shown = oneLine(JSON.stringify(value), 100);
    const message = `The default ${shown} is not filled in, since JavaScript cannot hold its number.`;
    return [{ code: "DEFAULT_NOT_SENT", path, message }];
  });
}

/** Returns a tool's diagnostics without rendering it; or the reason why it cannot be rendered. */
export function diagnoseTool(task: ToolTask): readonly Diagnostic[] {
  const { server, definition } = task;
  try {
    const schemas = toolSchemasOf(task);
    const diagnostics = [...printToolSchemas(schemas).diagnostics, ...diagnoseLostDefaults(task, schemas)];
    return diagnostics.map((diagnostic) => ({ ...diagnostic, server, tool: definition.name }));
  } catch (error) {
    const message = reasonOfRefusal(error);
    return [{ code: "TOOL_UNUSABLE", server, tool: definition.name, path: "", message }];
  }
}

/** Returns why a tool is refused. Throws an error that does not concern a tool, such as that of a missing package. */
export function reasonOfRefusal(error: unknown): string {
  if (error instanceof McpCodegenError && error.code === "SCHEMA_INVALID") return error.message;
  if (!(error instanceof Error) || ("code" in error && !(error instanceof McpCodegenError))) throw error;
  return `The tool could not be rendered, which is a bug in mcp-codegen: ${oneLine(error.message, 300)}`;
}

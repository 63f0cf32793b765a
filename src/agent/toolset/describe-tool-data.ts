import { isJsonObject, type JsonObject } from "../../contract/json.js";
import { showSchema } from "../../contract/show-schema.js";
import { type RegisteredTool, categoryOf } from "../registry/registered-tool.js";
import type { ToolAnnotations } from "../../contract/snapshot.js";

/** What a model has to know of a tool before it calls it. */
export interface ToolFacts {
  readonly name: string;
  readonly description: string;
  /** `uncategorized` where it has none. */
  readonly category: string;
  readonly inputSchema: JsonObject;
  /** Absent where the tool promises nothing of its answer, or where only its checks are known. */
  readonly outputSchema?: JsonObject;
  readonly annotations: ToolAnnotations;
}

/** A tool as data, under the name that it is shown by. */
export function describeToolData(tool: RegisteredTool, name: string = tool.name): ToolFacts {
  const { input, output } = readSchemas(tool);
  return {
    name,
    description: tool.description ?? tool.title ?? "",
    category: categoryOf(tool),
    inputSchema: showSchema(input),
    ...(output && { outputSchema: showSchema(output) }),
    annotations: tool.annotations ?? {},
  };
}

/** The raw schemas of a tool, the one of its answer where it is known. */
export function readSchemas({ inputSchema, outputSchema }: RegisteredTool): {
  readonly input: JsonObject;
  readonly output: JsonObject | undefined;
} {
  return { input: readSchema(inputSchema) ?? { type: "object" }, output: readSchema(outputSchema) };
}

/** A tool by hand may have a schema that does not say itself. */
function readSchema(schema: (() => unknown) | undefined): JsonObject | undefined {
  try {
    if (schema === undefined) return undefined;
    const read: unknown = JSON.parse(JSON.stringify(schema()));
    return isJsonObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

/** For a schema that cannot be read: the server will judge. */
const ANYTHING = "type Args = { [key: string]: unknown };";

/**
 * What a tool takes and answers as TypeScript: `type Args = { title: string };` and, where its output schema is known,
 * `type Result`. It takes a third of the tokens that the schemas take. What reads schemas is loaded when it is first asked for.
 */
export async function describeToolSignature(tool: RegisteredTool): Promise<string> {
  // The raw ones: what they mean depends on their `$schema`.
  const schemas = readSchemas(tool);
  const { printSignature } = await import("../../schema/print-signature.js");
  try {
    return printSignature(schemas, tool.dialect);
  } catch {
    return ANYTHING;
  }
}

import type { RegisteredTool } from "../registry/registered-tool.js";
import { readSchemas } from "./describe-tool-data.js";

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

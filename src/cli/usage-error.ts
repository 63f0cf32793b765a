import { McpCodegenError } from "../contract/errors.js";

/** Returns the error for wrong input on the command line. */
export function usageError(message: string, hint?: string, cause?: unknown): McpCodegenError {
  return new McpCodegenError("USAGE", message, { hint, cause });
}

import type { McpCodegenError } from "../contract/errors.js";
import type { ErrorDetails } from "./documents.js";

/** An error as data: its causes and stack stay behind, since they may quote what a server said. */
export function errorDetails(error: McpCodegenError): ErrorDetails {
  return {
    code: error.code,
    message: error.message,
    ...(error.hint !== undefined && { hint: error.hint }),
    ...(error.stderr.length > 0 && { stderr: error.stderr }),
  };
}

import type { McpCodegenError } from "../contract/errors.js";
import type { ErrorDetails } from "./documents.js";

/** Returns an error as data, without causes and stack, since these may quote a server. */
export function errorDetails(error: McpCodegenError): ErrorDetails {
  return {
    code: error.code,
    message: error.message,
    ...(error.hint !== undefined && { hint: error.hint }),
    ...(error.stderr.length > 0 && { stderr: error.stderr }),
  };
}

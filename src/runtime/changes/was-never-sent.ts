import { McpCodegenError } from "../../contract/errors.js";

/**
 * Whether a call that failed so did surely nothing: the user's own settings kept it from being made, or no connection came
 * about.
 */
export function wasNeverSent(cause: unknown): boolean {
  return cause instanceof McpCodegenError && (cause.exitCode === 2 || "isUnsent" in cause);
}

import { McpCodegenError } from "../contract/errors.js";
import { isUnsent } from "./client/failures.js";

/**
 * Whether a call that failed so did surely nothing: the user's own settings kept it from being made, or no connection came
 * about.
 */
export function wasNeverSent(cause: unknown): boolean {
  return isUnsent(cause) || (cause instanceof McpCodegenError && cause.exitCode === 2);
}

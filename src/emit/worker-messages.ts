import { McpCodegenError, type ErrorCode } from "../core/errors.js";
import type { Rendered } from "./render-task.js";

/** A worker's reply to a batch of planned files. */
export type WorkerReply = { readonly rendered: readonly Rendered[] } | { readonly error: PlainError };

/** An error as data, since classes are lost between threads. */
interface PlainError {
  readonly message: string;
  readonly stack?: string;
  readonly code?: string;
  readonly known?: { readonly code: ErrorCode; readonly hint?: string };
}

export function describeError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { message: String(error) };
  return {
    message: error.message,
    ...(error.stack !== undefined && { stack: error.stack }),
    ...("code" in error && typeof error.code === "string" && { code: error.code }),
    ...(error instanceof McpCodegenError && {
      known: { code: error.code, ...(error.hint !== undefined && { hint: error.hint }) },
    }),
  };
}

export function reviveError({ message, stack, code, known }: PlainError): Error {
  if (known !== undefined)
    return new McpCodegenError(known.code, message, known.hint === undefined ? {} : { hint: known.hint });
  // The code distinguishes a missing package from a bug.
  const error = Object.assign(new Error(message), code === undefined ? {} : { code });
  if (stack !== undefined) error.stack = stack;
  return error;
}

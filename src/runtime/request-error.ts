import { isInstance } from "../contract/errors.js";
import type { Issue } from "../validation/schema.js";
import type { InputQuestion } from "./input-question.js";
import type { ToolError, ToolErrorCode } from "./result.js";

/**
 * Why a prompt or a resource could not be had.
 *
 * - `INVALID_INPUT`: the arguments do not fit, according to us or the server.
 * - `NOT_FOUND`: the server does not know the prompt or the resource (any more).
 * - `UNAVAILABLE`: the server could not be reached, refused the request, or did not answer.
 * - `FAILED`: the server reports a failure.
 * - `INVALID_OUTPUT`: the answer is not a prompt, or not the contents of a resource.
 * - `INPUT_REQUIRED`: the server asked a question, and the request had no answer. `questions` has what was asked.
 * - `CALL_NOT_RECORDED`: requests are answered from a cassette, which does not have this one. Nothing was sent.
 */
export type RequestErrorCode =
  | "INVALID_INPUT"
  | "NOT_FOUND"
  | "UNAVAILABLE"
  | "FAILED"
  | "INVALID_OUTPUT"
  | "INPUT_REQUIRED"
  | "CALL_NOT_RECORDED";

/** Describes a failed request for a prompt or a resource. */
export interface RequestError {
  readonly code: RequestErrorCode;
  readonly message: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly kind: "prompt" | "resource";
  /** The name of the prompt, or the URI of the resource; its URI template if the arguments do not fit. */
  readonly target: string;
  readonly server: string;
  /** What is wrong with the arguments. */
  readonly issues?: readonly Issue[];
  /** What the server asked, with `INPUT_REQUIRED`. */
  readonly questions?: readonly InputQuestion[];
  /** The original error, or the raw result. */
  readonly cause?: unknown;
}

/** Thrown by the wrappers of prompts and resources: a {@link RequestError} with a stack. */
export class ServerRequestError extends Error implements RequestError {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(this, { own: ServerRequestError, name: "ServerRequestError" }, value);
  }

  override readonly name = "ServerRequestError";
  readonly code: RequestErrorCode;
  readonly retryable: boolean;
  readonly kind: "prompt" | "resource";
  readonly target: string;
  readonly server: string;
  readonly issues?: readonly Issue[];
  readonly questions?: readonly InputQuestion[];

  constructor(error: RequestError) {
    super(error.message, error.cause === undefined ? undefined : { cause: error.cause });
    this.code = error.code;
    this.retryable = error.retryable;
    this.kind = error.kind;
    this.target = error.target;
    this.server = error.server;
    if (error.issues !== undefined) this.issues = error.issues;
    if (error.questions !== undefined) this.questions = error.questions;
  }
}

/** The codes of calls that have a meaning for other requests. A policy, a recorder and drift concern tools only. */
const CODES: { readonly [Code in ToolErrorCode]?: RequestErrorCode } = {
  TOOL_INVALID_INPUT: "INVALID_INPUT",
  TOOL_NOT_FOUND: "NOT_FOUND",
  TOOL_UNAVAILABLE: "UNAVAILABLE",
  TOOL_INVALID_OUTPUT: "INVALID_OUTPUT",
  INPUT_REQUIRED: "INPUT_REQUIRED",
  CALL_NOT_RECORDED: "CALL_NOT_RECORDED",
};

/** Returns the failure of a request, which was explained like one of a call. */
export function toRequestError(kind: RequestError["kind"], error: ToolError): RequestError {
  const { code, tool, message, retryable, server, issues, questions, cause } = error;
  return {
    code: CODES[code] ?? "FAILED",
    message,
    retryable,
    kind,
    target: tool,
    server,
    ...(issues && { issues }),
    ...(questions && { questions }),
    ...(cause !== undefined && { cause }),
  };
}

import { omitUndefined } from "../core/collections.js";
import { explainError, McpCodegenError, messageOf } from "../core/errors.js";
import { findOwn, isJsonObject } from "../core/json.js";
import { endSentence, printable } from "../core/printable.js";
import { commandToCheck } from "../core/tool-name.js";
import { isPassing } from "./client/caller.js";
import { REQUESTS } from "./events.js";
import type { InputQuestion } from "../core/input-question.js";
import type { Result, ToolError, ToolErrorCode } from "../core/call.js";
import { readToolError, ToolCallError } from "./result.js";
import type { Issue } from "../core/schema.js";
import { describeIssues } from "../schema/validation/schema.js";
import type { CallAdapter, ServerDefinition } from "../core/tool.js";

/** The tool, prompt or resource of a request. */
export interface Subject {
  /** Absent for a tool. */
  readonly kind?: "prompt" | "resource" | undefined;
  /** The name that the server gives it; the URI or URI template of a resource. */
  readonly name: string;
  readonly server: ServerDefinition;
  readonly through?: (() => CallAdapter) | undefined;
  /** The environment of the request. */
  readonly environment?: string | undefined;
}

/** Names the subject within a sentence. */
export function nounOf({ kind, name }: Subject): string {
  return `${kind ?? "tool"} ${JSON.stringify(name)}`;
}

/** Names the subject at the start of a sentence. */
function startOf(subject: Subject): string {
  const noun = nounOf(subject);
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
}

function couldNot({ kind }: Subject): string {
  return `could not be ${REQUESTS[kind ?? "tool"].done}`;
}

interface FailureDetails {
  readonly retryable?: boolean | undefined;
  readonly issues?: readonly Issue[] | undefined;
  readonly questions?: readonly InputQuestion[] | undefined;
  readonly cause?: unknown;
}

type FailedResult = Result<never> & { readonly ok: false };

function errorOf(
  subject: Subject,
  code: ToolErrorCode,
  message: string,
  { retryable = false, issues, questions, cause }: FailureDetails,
): ToolError {
  const { name: tool, server } = subject;
  return omitUndefined({ code, message, retryable, tool, server: server.name, issues, cause, questions });
}

export function failCall(
  subject: Subject,
  code: ToolErrorCode,
  message: string,
  details: FailureDetails,
): FailedResult {
  return { ok: false, error: errorOf(subject, code, message, details) };
}

/** Names the contract that the server may have left, and the command that shows it. */
function describeDrift({ server: { name, contract }, environment }: Subject): string {
  if (contract === undefined) return `server ${JSON.stringify(name)}, which is not locked`;
  return `contract ${contract} of ${JSON.stringify(name)}. Run "${commandToCheck(name, environment)}"`;
}

function explainRefused(subject: Subject): string {
  return `If the types accept it, they are out of date: they are from ${describeDrift(subject)}.`;
}

/** The answers of the SDKs' servers to arguments that do not fit, which are failures of the tool. */
const REFUSED_INPUT = /^(?:MCP error -32602: )?Input validation error: /;

/** Fails with the failure that a tool reports. */
export function failReported(subject: Subject, reason: string, cause: unknown): FailedResult {
  const words = REFUSED_INPUT.test(reason) ? `${endSentence(reason)} ${explainRefused(subject)}` : reason;
  const message = `${startOf(subject)} failed: ${words}`;
  return failCall(subject, "TOOL_EXECUTION_FAILED", message, { cause });
}

/** Fails with `TOOL_NOT_FOUND`, which is drift: the lock has the tool. */
export function failNotFound(subject: Subject, cause: unknown): FailedResult {
  const message = `The server does not know ${nounOf(subject)} of ${describeDrift(subject)}.`;
  return failCall(subject, "TOOL_NOT_FOUND", message, { cause });
}

/** Fails a call that its own signal aborted. */
export function failAborted(subject: Subject, cause: unknown): FailedResult {
  const message = `The ${subject.kind === undefined ? "call of" : "request for"} ${nounOf(subject)} was aborted.`;
  return failCall(subject, "TOOL_UNAVAILABLE", message, { cause });
}

/** Whether a message says that the server does not know the tool. The protocol has no code for that. */
export function saysNotFound(subject: Subject, words: string): boolean {
  const target = subject.through?.().target;
  return (
    saysUnknown(subject.name, words, unknownPattern("tool")) ||
    (target !== undefined && saysUnknown(target, words, NO_ABILITY))
  );
}

function unknownPattern(noun: string): RegExp {
  return new RegExp(
    `\\b(?:(?:unknown|no such) ${noun}|${noun}\\b.*\\b(?:not found|does not exist|unknown))\\b`,
    "is",
  );
}

/** Messages of WordPress and of its adapter for an ability that is not registered, or is not exposed to MCP. */
const NO_ABILITY = /\bability\b.*\b(?:not found|does not exist|not registered|not exposed)\b/is;

function saysUnknown(name: string, words: string, pattern: RegExp): boolean {
  return words.length < 300 + name.length && words.includes(name) && pattern.test(words);
}

/** The most rounds of questions in one call. More end the call with `INPUT_REQUIRED`. */
export const MOST_ROUNDS = 8;

/** Ends a call that needs an answer and has none. Becomes `INPUT_REQUIRED`. */
export class InputRequiredError extends Error {
  readonly questions: readonly InputQuestion[];

  /** @param why one sentence that continues `Tool "x"` */
  constructor(
    why: string,
    questions: readonly InputQuestion[],
    { issues = [], cause }: { readonly issues?: readonly Issue[]; readonly cause?: unknown } = {},
  ) {
    super(
      `${why}${issues.length > 0 ? `: ${describeIssues(issues)}` : ""}.`,
      cause === undefined ? {} : { cause },
    );
    this.questions = questions;
  }
}

export function toToolError(subject: Subject, error: unknown): ToolError {
  // A mock or a client of the program may throw the error of the call itself.
  if (error instanceof ToolCallError) return readToolError(error);
  if (error instanceof InputRequiredError) {
    const { message, questions, cause } = error;
    const asked = questions.map((question) => ` The server asks: "${question.message}"`).join("");
    return errorOf(subject, "INPUT_REQUIRED", `${startOf(subject)} ${message}${asked}`, { cause, questions });
  }
  const rpc = rpcErrorOf(error);
  if (rpc !== undefined) return fromRpcError(subject, rpc, error);
  const isOurs = error instanceof McpCodegenError;
  if (isOurs && error.code === "CALL_NOT_RECORDED")
    return errorOf(subject, "CALL_NOT_RECORDED", explainError(error), { cause: error });
  // The program misspelt an option, say: nothing was sent.
  if (isOurs && error.code === "USAGE")
    return errorOf(subject, "TOOL_INVALID_INPUT", explainError(error), { cause: error });
  const words = isOurs ? explainError(error) : messageOf(error);
  if (!isOurs && hasIssues(error)) return refusedByClient(subject, words, error);
  const retryable = !isOurs || isPassing(error);
  const message = `${startOf(subject)} ${couldNot(subject)}: ${words}`;
  return errorOf(subject, "TOOL_UNAVAILABLE", message, { retryable, cause: error });
}

/** The SDK's own client validates some answers itself. */
function refusedByClient(subject: Subject, words: string, cause: unknown): ToolError {
  const message = `The client refused the answer of ${nounOf(subject)}: ${words}`;
  return errorOf(subject, "TOOL_INVALID_OUTPUT", message, { cause });
}

/** The error code for HTTP headers that do not fit the call (specification 2026-07-28, "Server Validation"). */
const HEADER_MISMATCH = -32020;

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
/** Since revision 2026-07-28 it is `INVALID_PARAMS` with the URI as data (specification, "Resources", "Error Handling"). */
const RESOURCE_NOT_FOUND = -32002;

function isNotFound(subject: Subject, { code, message }: RpcErrorLike, data: unknown): boolean {
  const { kind, name } = subject;
  if (kind === undefined) return saysNotFound(subject, message);
  if (code === METHOD_NOT_FOUND || saysUnknown(name, message, unknownPattern(kind))) return true;
  if (kind === "prompt") return false;
  const namesOnlyUri = isJsonObject(data) && Object.keys(data).join() === "uri";
  return code === RESOURCE_NOT_FOUND || (code === INVALID_PARAMS && namesOnlyUri);
}

interface RpcErrorLike {
  readonly code: number;
  readonly message: string;
}

/** A JSON-RPC error from our session or from an SDK's client, recognized by their common shape. */
export function rpcErrorOf(error: unknown): RpcErrorLike | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("rpcCode" in error && typeof error.rpcCode === "number") {
    const message = "rpcMessage" in error ? String(error.rpcMessage) : error.message;
    return { code: error.rpcCode, message };
  }
  if ("code" in error && typeof error.code === "number") return { code: error.code, message: error.message };
  return undefined;
}

/** The `data` of a JSON-RPC error from our session or from an SDK's client. */
export function rpcDataOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return "rpcData" in error ? error.rpcData : "data" in error ? error.data : undefined;
}

/** The error code of revision 2026-07-28 for a request that requires capabilities which the client did not declare. */
const MISSING_CAPABILITY = -32021;

/** Codes that the SDK's version 1 uses for its own failures. */
const CLIENT_SIDE = [-32000, -32001];

/** Whether an SDK's client made the error itself, so that it is not an answer of the server. */
export function isOfClient({ code }: { readonly code: number }, cause: unknown): boolean {
  return !(cause instanceof McpCodegenError) && CLIENT_SIDE.includes(code);
}

function fromRpcError(subject: Subject, { code, message }: RpcErrorLike, cause: unknown): ToolError {
  const noun = nounOf(subject);
  if (isOfClient({ code }, cause)) {
    const text = `${startOf(subject)} ${couldNot(subject)}: ${message}`;
    return errorOf(subject, "TOOL_UNAVAILABLE", text, { retryable: true, cause });
  }
  if (!(cause instanceof McpCodegenError) && /structured content/i.test(message))
    return refusedByClient(subject, message, cause);
  if (isNotFound(subject, { code, message }, rpcDataOf(cause))) return failNotFound(subject, cause).error;
  switch (code) {
    case MISSING_CAPABILITY: {
      const required = findOwn(rpcDataOf(cause), "requiredCapabilities");
      const names = isJsonObject(required) ? Object.keys(required).map((name) => printable(name, 50)) : [];
      const why = names.includes("elicitation")
        ? "requires input, and the call has no onInput"
        : `requires what this client does not support: ${names.join(", ") || "unknown capabilities"}`;
      return errorOf(subject, "INPUT_REQUIRED", `${startOf(subject)} ${why}.`, { cause, questions: [] });
    }
    case INVALID_PARAMS: {
      const text = `The server refused the input of ${noun}: ${endSentence(message)} ${explainRefused(subject)}`;
      return errorOf(subject, "TOOL_INVALID_INPUT", text, { cause });
    }
    case HEADER_MISMATCH: {
      const text = `The server refused the HTTP headers of ${noun}: ${endSentence(message)} It may expect other parameters there than ${describeDrift(subject)}.`;
      return errorOf(subject, "CONTRACT_DRIFT", text, { cause });
    }
    default:
      return errorOf(subject, "TOOL_EXECUTION_FAILED", `${startOf(subject)} failed: ${message} (${code})`, {
        cause,
      });
  }
}

function hasIssues(error: unknown): boolean {
  return error instanceof Error && "issues" in error && Array.isArray(error.issues);
}

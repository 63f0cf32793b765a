import { explainError, McpCodegenError } from "../contract/errors.js";
import { findOwn, isJsonObject } from "../contract/json.js";
import { printable } from "../contract/printable.js";
import { isPassing } from "./client/failures.js";
import { InputRequiredError } from "./input-question.js";
import { readToolError, ToolCallError, type Result, type ToolError, type ToolErrorCode } from "./result.js";
import type { Issue } from "../validation/schema.js";
import type { CallAdapter, ServerDefinition } from "./tool.js";

/** The tool, prompt or resource of a request. */
export interface Subject {
  /** Absent for a tool. */
  readonly kind?: "prompt" | "resource" | undefined;
  /** The name that the server gives it; the URI or URI template of a resource. */
  readonly name: string;
  readonly server: ServerDefinition;
  readonly through?: (() => CallAdapter) | undefined;
}

/** The subject in the middle of a sentence. */
export function nounOf({ kind, name }: Subject): string {
  return `${kind ?? "tool"} ${JSON.stringify(name)}`;
}

/** The subject at the start of a sentence. */
function startOf(subject: Subject): string {
  const noun = nounOf(subject);
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
}

/** What could not be done, after the subject. */
const ATTEMPTS = { tool: "called", prompt: "fetched", resource: "read" };

export function failCall(
  subject: Subject,
  code: ToolErrorCode,
  message: string,
  more: { readonly retryable?: boolean; readonly issues?: readonly Issue[]; readonly cause?: unknown } = {},
): { readonly ok: false; readonly error: ToolError } & Result<never> {
  const { retryable = false, issues, cause } = more;
  return {
    ok: false,
    error: {
      code,
      message,
      retryable,
      tool: subject.name,
      server: subject.server.name,
      ...(issues && { issues }),
      ...(cause !== undefined && { cause }),
    },
  };
}

/** Which contract a tool no longer keeps, and the command that shows it. */
function describeDrift(subject: Subject): string {
  const { name, contract } = subject.server;
  if (contract === undefined) return `server ${JSON.stringify(name)}, of which nothing is locked`;
  return `contract ${contract} of ${JSON.stringify(name)}. Run "npx mcp-codegen check ${name}"`;
}

/** `TOOL_NOT_FOUND`, which is drift: the lock has the tool. */
export function failNotFound(subject: Subject, cause: unknown): ReturnType<typeof failCall> {
  const message = `The server does not know ${nounOf(subject)} of ${describeDrift(subject)}.`;
  return failCall(subject, "TOOL_NOT_FOUND", message, { cause });
}

/** The caller's own signal ended the call. */
export function failAborted(subject: Subject, cause: unknown): ReturnType<typeof failCall> {
  const message = `The ${subject.kind === undefined ? "call of" : "request for"} ${nounOf(subject)} was aborted.`;
  return failCall(subject, "TOOL_UNAVAILABLE", message, { cause });
}

/** Whether a server's words say that it does not know the tool: the protocol has no code of its own for that. */
export function saysNotFound(subject: Subject, words: string): boolean {
  const target = subject.through?.().target;
  return (
    saysUnknown(subject.name, words, NO_TOOL) ||
    (target !== undefined && saysUnknown(target, words, NO_ABILITY))
  );
}

const NO_TOOL = /\b(?:unknown tool|no such tool|tool\b.*\b(?:not found|does not exist|unknown))\b/is;
const NO_PROMPT = /\b(?:unknown prompt|no such prompt|prompt\b.*\b(?:not found|does not exist|unknown))\b/is;
const NO_RESOURCE =
  /\b(?:unknown resource|no such resource|resource\b.*\b(?:not found|does not exist|unknown))\b/is;
/** As WordPress and the adapter say that an ability is not registered, or is no longer shown to MCP. */
const NO_ABILITY = /\bability\b.*\b(?:not found|does not exist|not registered|not exposed)\b/is;

function saysUnknown(name: string, words: string, pattern: RegExp): boolean {
  return words.length < 300 + name.length && words.includes(name) && pattern.test(words);
}

/** What a caller threw, as an error of the call. */
export function toToolError(subject: Subject, error: unknown): ToolError {
  // A mock or a client of the program says itself what the call fails with.
  if (error instanceof ToolCallError) return readToolError(error);
  if (error instanceof InputRequiredError) {
    const { message, questions, cause } = error;
    const asked = questions.map((question) => ` The server asks: "${question.message}"`).join("");
    const words = `${startOf(subject)} ${message}${asked}`;
    return { ...failCall(subject, "INPUT_REQUIRED", words, { cause }).error, questions };
  }
  const rpc = rpcErrorOf(error);
  if (rpc !== undefined) return fromRpcError(subject, rpc, error);
  if (error instanceof McpCodegenError && error.code === "CALL_NOT_RECORDED")
    return failCall(subject, "CALL_NOT_RECORDED", explainError(error), { cause: error }).error;
  const couldNot = `${startOf(subject)} could not be ${ATTEMPTS[subject.kind ?? "tool"]}`;
  if (error instanceof McpCodegenError) {
    const message = `${couldNot}: ${explainError(error)}`;
    const retryable = isPassing(error);
    return failCall(subject, "TOOL_UNAVAILABLE", message, { retryable, cause: error }).error;
  }
  const words = error instanceof Error ? error.message : String(error);
  if (hasIssues(error)) {
    // The SDK's own client refuses some answers before we see them.
    const message = `The client refused the answer of ${nounOf(subject)}: ${words}`;
    return failCall(subject, "TOOL_INVALID_OUTPUT", message, { cause: error }).error;
  }
  const message = `${couldNot}: ${words}`;
  return failCall(subject, "TOOL_UNAVAILABLE", message, { retryable: true, cause: error }).error;
}

/** The error code for HTTP headers that do not fit the call (specification 2026-07-28, "Server Validation"). */
const HEADER_MISMATCH = -32020;

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
/** Since revision 2026-07-28 it is `INVALID_PARAMS` with the URI as data (specification, "Resources", "Error Handling"). */
const RESOURCE_NOT_FOUND = -32002;

function isNotFound(subject: Subject, { code, message }: RpcErrorLike, data: unknown): boolean {
  switch (subject.kind) {
    case undefined:
      return saysNotFound(subject, message);
    case "prompt":
      return code === METHOD_NOT_FOUND || saysUnknown(subject.name, message, NO_PROMPT);
    case "resource":
      return (
        code === METHOD_NOT_FOUND ||
        code === RESOURCE_NOT_FOUND ||
        (code === INVALID_PARAMS && isJsonObject(data) && Object.keys(data).join() === "uri") ||
        saysUnknown(subject.name, message, NO_RESOURCE)
      );
    default:
      return subject.kind satisfies never;
  }
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

/** The error code of revision 2026-07-28 for a request that needs capabilities which the client did not declare. */
const MISSING_CAPABILITY = -32021;

/** Codes that the SDK's version 1 uses for what happens on our side of the wire. */
const CLIENT_SIDE = [-32000, -32001];

/** Whether an SDK's client made the error itself, so that it is not an answer of the server. */
export function isOfClient({ code }: Pick<RpcErrorLike, "code">, cause: unknown): boolean {
  return !(cause instanceof McpCodegenError) && CLIENT_SIDE.includes(code);
}

function fromRpcError(subject: Subject, { code, message }: RpcErrorLike, cause: unknown): ToolError {
  const noun = nounOf(subject);
  const isOwnClient = !(cause instanceof McpCodegenError);
  if (isOfClient({ code }, cause)) {
    const text = `${startOf(subject)} could not be ${ATTEMPTS[subject.kind ?? "tool"]}: ${message}`;
    return failCall(subject, "TOOL_UNAVAILABLE", text, { retryable: true, cause }).error;
  }
  if (isOwnClient && /structured content/i.test(message)) {
    const text = `The client refused the answer of ${noun}: ${message}`;
    return failCall(subject, "TOOL_INVALID_OUTPUT", text, { cause }).error;
  }
  if (isNotFound(subject, { code, message }, rpcDataOf(cause))) return failNotFound(subject, cause).error;
  if (code === MISSING_CAPABILITY) {
    const required = findOwn(rpcDataOf(cause), "requiredCapabilities");
    const names = isJsonObject(required) ? Object.keys(required).map((name) => printable(name, 50)) : [];
    const why = names.includes("elicitation")
      ? "requires input, and the call has no onInput"
      : `requires what this client does not support: ${names.join(", ") || "unknown capabilities"}`;
    const text = `${startOf(subject)} ${why}.`;
    return { ...failCall(subject, "INPUT_REQUIRED", text, { cause }).error, questions: [] };
  }
  if (code === INVALID_PARAMS) {
    const text = `The server refused the input of ${noun}: ${message} If it fits the types, they are out of date: this is ${describeDrift(subject)}.`;
    return failCall(subject, "TOOL_INVALID_INPUT", text, { cause }).error;
  }
  if (code === HEADER_MISMATCH) {
    const text = `The server refused the HTTP headers of ${noun}: ${message} The parameters that it expects there may have changed: this is ${describeDrift(subject)}.`;
    return failCall(subject, "CONTRACT_DRIFT", text, { cause }).error;
  }
  const text = `${startOf(subject)} failed: ${message} (${code})`;
  return failCall(subject, "TOOL_EXECUTION_FAILED", text, { cause }).error;
}

function hasIssues(error: unknown): boolean {
  return error instanceof Error && "issues" in error && Array.isArray(error.issues);
}

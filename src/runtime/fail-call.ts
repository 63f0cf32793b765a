import { explainError, McpCodegenError } from "../contract/errors.js";
import { findOwn, isJsonObject } from "../contract/json.js";
import { printable } from "../contract/printable.js";
import { isPassing } from "./client/failures.js";
import { InputRequiredError } from "./client/input-required-error.js";
import type { Result, ToolError, ToolErrorCode } from "./result.js";
import type { Issue } from "../validation/schema.js";
import type { ToolDefinition } from "./tool.js";

type Definition = ToolDefinition<unknown, unknown>;

export function failCall(
  definition: Definition,
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
      tool: definition.name,
      server: definition.server.name,
      ...(issues && { issues }),
      ...(cause !== undefined && { cause }),
    },
  };
}

/** Which contract a tool no longer keeps, and the command that shows it. */
function describeDrift(definition: Definition): string {
  const { name, contract } = definition.server;
  if (contract === undefined) return `server ${JSON.stringify(name)}, of which nothing is locked`;
  return `contract ${contract} of ${JSON.stringify(name)}. Run "npx mcp-codegen check ${name}"`;
}

/** `TOOL_NOT_FOUND`, which is drift: the lock has the tool. */
export function failNotFound(definition: Definition, cause: unknown): ReturnType<typeof failCall> {
  const message = `The server does not know tool ${JSON.stringify(definition.name)} of ${describeDrift(definition)}.`;
  return failCall(definition, "TOOL_NOT_FOUND", message, { cause });
}

/** The caller's own signal ended the call. */
export function failAborted(definition: Definition, cause: unknown): ReturnType<typeof failCall> {
  const message = `The call of tool ${JSON.stringify(definition.name)} was aborted.`;
  return failCall(definition, "TOOL_UNAVAILABLE", message, { cause });
}

/** Whether a server's words say that it does not know the tool: the protocol has no code of its own for that. */
export function saysNotFound(definition: Definition, words: string): boolean {
  const target = definition.through?.().target;
  return (
    saysUnknown(definition.name, words, NO_TOOL) ||
    (target !== undefined && saysUnknown(target, words, NO_ABILITY))
  );
}

const NO_TOOL = /\b(?:unknown tool|no such tool|tool\b.*\b(?:not found|does not exist|unknown))\b/is;
/** As WordPress and the adapter say that an ability is not registered, or is no longer shown to MCP. */
const NO_ABILITY = /\bability\b.*\b(?:not found|does not exist|not registered|not exposed)\b/is;

function saysUnknown(name: string, words: string, pattern: RegExp): boolean {
  return words.length < 300 + name.length && words.includes(name) && pattern.test(words);
}

/** What a caller threw, as an error of the call. */
export function toToolError(definition: Definition, error: unknown): ToolError {
  if (error instanceof InputRequiredError) {
    const { message, questions, cause } = error;
    const asked = questions.map((question) => ` The server asks: "${question.message}"`).join("");
    const words = `Tool ${JSON.stringify(definition.name)} ${message}${asked}`;
    return { ...failCall(definition, "INPUT_REQUIRED", words, { cause }).error, questions };
  }
  const rpc = rpcErrorOf(error);
  if (rpc !== undefined) return fromRpcError(definition, rpc, error);
  const tool = JSON.stringify(definition.name);
  if (error instanceof McpCodegenError) {
    const message = `Tool ${tool} could not be called: ${explainError(error)}`;
    const retryable = isPassing(error);
    return failCall(definition, "TOOL_UNAVAILABLE", message, { retryable, cause: error }).error;
  }
  const words = error instanceof Error ? error.message : String(error);
  if (hasIssues(error)) {
    // The SDK's own client refuses some answers before we see them.
    const message = `The client refused the answer of tool ${tool}: ${words}`;
    return failCall(definition, "TOOL_INVALID_OUTPUT", message, { cause: error }).error;
  }
  const message = `Tool ${tool} could not be called: ${words}`;
  return failCall(definition, "TOOL_UNAVAILABLE", message, { retryable: true, cause: error }).error;
}

/** The error code for HTTP headers that do not fit the call (specification 2026-07-28, "Server Validation"). */
const HEADER_MISMATCH = -32020;

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

function fromRpcError(definition: Definition, { code, message }: RpcErrorLike, cause: unknown): ToolError {
  const tool = JSON.stringify(definition.name);
  const isOwnClient = !(cause instanceof McpCodegenError);
  if (isOwnClient && CLIENT_SIDE.includes(code)) {
    const text = `Tool ${tool} could not be called: ${message}`;
    return failCall(definition, "TOOL_UNAVAILABLE", text, { retryable: true, cause }).error;
  }
  if (isOwnClient && /structured content/i.test(message)) {
    const text = `The client refused the answer of tool ${tool}: ${message}`;
    return failCall(definition, "TOOL_INVALID_OUTPUT", text, { cause }).error;
  }
  if (saysNotFound(definition, message)) return failNotFound(definition, cause).error;
  if (code === MISSING_CAPABILITY) {
    const required = findOwn(rpcDataOf(cause), "requiredCapabilities");
    const names = isJsonObject(required) ? Object.keys(required).map((name) => printable(name, 50)) : [];
    const why = names.includes("elicitation")
      ? "requires input, and the call has no onInput"
      : `requires what this client does not support: ${names.join(", ") || "unknown capabilities"}`;
    const text = `Tool ${tool} ${why}.`;
    return { ...failCall(definition, "INPUT_REQUIRED", text, { cause }).error, questions: [] };
  }
  if (code === -32602) {
    const text = `The server refused the input of tool ${tool}: ${message} If it fits the types, they are out of date: this is ${describeDrift(definition)}.`;
    return failCall(definition, "TOOL_INVALID_INPUT", text, { cause }).error;
  }
  if (code === HEADER_MISMATCH) {
    const text = `The server refused the HTTP headers of tool ${tool}: ${message} The parameters that it expects there may have changed: this is ${describeDrift(definition)}.`;
    return failCall(definition, "CONTRACT_DRIFT", text, { cause }).error;
  }
  const text = `Tool ${tool} failed: ${message} (${code})`;
  return failCall(definition, "TOOL_EXECUTION_FAILED", text, { cause }).error;
}

function hasIssues(error: unknown): boolean {
  return error instanceof Error && "issues" in error && Array.isArray(error.issues);
}

import { checkArgument, type OptionKind } from "../../core/check-options.js";
import { tryParseJson } from "../../core/json.js";
import type { Result, ToolErrorCode } from "../../core/call.js";
import { NOT_CALLED, TOOL_RAN } from "../toolset/toolset-error.js";
import type { ResolvedCall } from "./find-replay-tools.js";

/** The result of an agent: that of `generateText` of the AI SDK, versions 5 to 7. Other members are ignored. */
export interface AgentResult {
  readonly steps: readonly AgentStep[];
  /** In `ai` 7, has the results of calls that were approved before the run. */
  readonly responseMessages?: readonly unknown[] | undefined;
  /** In `ai` 6, has the results of calls that were approved before the run. */
  readonly response?: { readonly messages?: readonly unknown[] } | undefined;
}

/** The result of `streamText` of the AI SDK: the same members as promises. */
export interface StreamedAgentResult {
  readonly steps: PromiseLike<readonly AgentStep[]>;
  readonly responseMessages?: PromiseLike<readonly unknown[]>;
  readonly response?: PromiseLike<{ readonly messages?: readonly unknown[] }>;
}

/** One step of an agent. Other members are ignored. */
export interface AgentStep {
  readonly toolCalls?: readonly unknown[];
  readonly toolResults?: readonly unknown[];
  /** Has failed calls and requests for approval. */
  readonly content?: readonly unknown[];
  readonly response?: { readonly timestamp?: unknown; readonly messages?: readonly unknown[] };
}

export interface AgentCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly step: number;
  /** When the model answered, if the step has the time. */
  readonly at: string | undefined;
  /** Whether the call waits for an approval. */
  readonly isRequested: boolean;
}

/**
 * The outcome of a call: the value or error of the tool (`value`, `error`), the text of a message for the model (`model-output`,
 * `model-error`), or a person's refusal (`denied`).
 */
export type AgentOutcome = { readonly name: string } & (
  | { readonly kind: "value" | "error" | "model-output" | "model-error"; readonly value: unknown }
  | { readonly kind: "denied" }
);

export interface AgentRun {
  /** In the order of the steps. */
  readonly calls: readonly AgentCall[];
  /** By the id of the call, which may belong to an earlier run. */
  readonly outcomes: ReadonlyMap<string, AgentOutcome>;
}

/** Whether the parts of a result are promises. */
export function isStreamed(result: AgentResult | StreamedAgentResult): result is StreamedAgentResult {
  return typeof valueAt(valueAt(result, "steps"), "then") === "function";
}

export async function settle(result: StreamedAgentResult): Promise<AgentResult> {
  const [steps, responseMessages, response] = await Promise.all([
    result.steps,
    result.responseMessages,
    result.response,
  ]);
  return { steps, responseMessages, response };
}

const RESULT: OptionKind = {
  words: "the result of generateText or streamText of the AI SDK, with its list of steps",
  is: (value) => Array.isArray(valueAt(value, "steps")),
};

/**
 * Returns the calls and outcomes in an agent's result. A step that is not an object is counted and has no calls.
 *
 * @throws McpCodegenError `USAGE` for a result without a list of steps
 */
export function readAgentResult(result: AgentResult): AgentRun {
  // A program without types may pass any value.
  checkArgument("trackFromAgentResult", "result", result, RESULT);
  const steps = listAt(result, "steps");
  const calls = steps.flatMap((step, index) => callsOf(step, index));
  const messages = [
    ...listAt(result, "responseMessages"),
    ...listAt(valueAt(result, "response"), "messages"),
    ...steps.flatMap((step) => listAt(valueAt(step, "response"), "messages")),
  ];
  return {
    calls,
    // Later entries replace earlier ones: a tool's own value is more complete than a message for the model.
    outcomes: new Map([
      ...messages.flatMap((message) => listAt(message, "content")).flatMap(outcomeInMessage),
      ...steps
        .flatMap((step) => [...listAt(step, "toolResults"), ...listAt(step, "content")])
        .flatMap(outcomeInStep),
    ]),
  };
}

function callsOf(step: unknown, index: number): readonly AgentCall[] {
  const timestamp = valueAt(valueAt(step, "response"), "timestamp");
  const at = timestamp instanceof Date ? timestamp.toISOString() : undefined;
  const requested = listAt(step, "content").flatMap((part) =>
    textAt(part, "type") === "tool-approval-request" ? textAt(valueAt(part, "toolCall"), "toolCallId") : [],
  );
  return listAt(step, "toolCalls").flatMap((call): readonly AgentCall[] => {
    const id = textAt(call, "toolCallId");
    const name = textAt(call, "toolName");
    if (id === undefined || name === undefined) return [];
    const input = valueAt(call, "input") ?? {};
    return [{ id, name, input, step: index, at, isRequested: requested.includes(id) }];
  });
}

type FoundCalls = readonly (readonly [id: string, outcome: AgentOutcome])[];

function outcomeInStep(part: unknown): FoundCalls {
  const id = textAt(part, "toolCallId");
  // A preliminary result is followed by another one.
  if (id === undefined || valueAt(part, "preliminary") === true) return [];
  const name = textAt(part, "toolName") ?? "";
  const type = textAt(part, "type");
  if (type === "tool-result") return [[id, { name, kind: "value", value: valueAt(part, "output") }]];
  if (type === "tool-error") return [[id, { name, kind: "error", value: valueAt(part, "error") }]];
  return [];
}

function outcomeInMessage(part: unknown): FoundCalls {
  const [id, name = ""] = [textAt(part, "toolCallId"), textAt(part, "toolName")];
  const output = valueAt(part, "output");
  const type = textAt(output, "type");
  if (id === undefined || type === undefined || textAt(part, "type") !== "tool-result") return [];
  if (type === "execution-denied") return [[id, { name, kind: "denied" }]];
  const kind = type === "error-text" || type === "error-json" ? "model-error" : "model-output";
  return [[id, { name, kind, value: output }]];
}

/** Steps, results and errors of the AI SDK are instances of classes with getters. */
function valueAt(object: unknown, key: string): unknown {
  return typeof object === "object" && object !== null ? Reflect.get(object, key) : undefined;
}

function textAt(object: unknown, key: string): string | undefined {
  const value = valueAt(object, key);
  return typeof value === "string" ? value : undefined;
}

function listAt(object: unknown, key: string): readonly unknown[] {
  const value = valueAt(object, key);
  return Array.isArray(value) ? value : [];
}

/** Converts an outcome in an agent's result to the result of the call; undefined if a person refused the call. */
export function readOutcome(
  outcome: AgentOutcome,
  { isWrapped, returnsContent }: ResolvedCall,
): Result<unknown> | undefined {
  switch (outcome.kind) {
    case "denied":
      return undefined;
    case "error":
      return failWith(codeOfError(outcome.value), valueAt(outcome.value, "cause"));
    case "model-error":
      return failWith(codeOfText(valueAt(outcome.value, "value")));
    case "value":
      return { ok: true, value: isWrapped ? openEnvelope(outcome.value, returnsContent) : outcome.value };
    case "model-output": {
      const value = readModelOutput(outcome.value, isWrapped || returnsContent);
      return { ok: true, value: isWrapped ? openEnvelope(value, returnsContent) : value };
    }
    default:
      return outcome satisfies never;
  }
}

function readModelOutput(output: unknown, returnsContent: boolean): unknown {
  const value = valueAt(output, "value") ?? null;
  if (!returnsContent) return value;
  if (typeof value === "string") return toContent([{ type: "text", text: value }]);
  return Array.isArray(value) ? toContent(value) : value;
}

function toContent(content: readonly unknown[]): { text: string; content: readonly unknown[] } {
  return { text: content.flatMap((block) => textAt(block, "text") ?? []).join("\n"), content };
}

/** Returns the tool's own value from the envelope of a toolset's `execute`: `{ success, tool, result }`, as JSON in a text. */
function openEnvelope(value: unknown, returnsContent: boolean): unknown {
  const result = valueAt(envelopeOf(value), "result") ?? null;
  if (!returnsContent) return result;
  const others = listAt(value, "content").slice(1);
  if (result === null || typeof result === "string")
    return toContent([...(result === null ? [] : [{ type: "text", text: result }]), ...others]);
  return { ...toContent(others), structuredContent: result };
}

function envelopeOf(value: unknown): unknown {
  return (
    valueAt(value, "structuredContent") ?? tryParseJson(textAt(listAt(value, "content")[0], "text") ?? "")
  );
}

/** Returns the name of the tool that a toolset's `execute` called. */
export function findExecuted(outcome: AgentOutcome): string | undefined {
  if (outcome.kind === "model-output")
    return textAt(envelopeOf(readModelOutput(outcome.value, true)), "tool");
  if (outcome.kind !== "model-error") return undefined;
  return textAt(readModelError(textAt(outcome.value, "value")), "tool");
}

function failWith(code: ToolErrorCode, cause?: unknown): Result<never> {
  return { ok: false, error: { code, message: "", retryable: false, tool: "", server: "", cause } };
}

/** Only errors of this runtime say whether the call was made. */
function codeOfError(error: unknown): ToolErrorCode {
  return codeIn(valueAt(error, "modelError"), textAt(error, "code")) ?? "TOOL_EXECUTION_FAILED";
}

/** The beginning of messages about a failure that the tool itself reported. */
const FAILED = /^(?:ToolCallError: )?Tool "(?:[^"\\]|\\.)*" failed: /;

/** The text of an error does not say whether the call was made, except if the tool itself reported the failure. */
function codeOfText(text: unknown): ToolErrorCode {
  if (typeof text !== "string") return "TOOL_UNAVAILABLE";
  return codeIn(readModelError(text)) ?? (FAILED.test(text) ? "TOOL_EXECUTION_FAILED" : "TOOL_UNAVAILABLE");
}

/** Reads a toolset's error for a model. Some versions of the AI SDK put the name of the error before its message. */
function readModelError(text: string | undefined): unknown {
  return tryParseJson(text?.replace(/^ToolCallError: /, "") ?? "");
}

function codeIn(modelError: unknown, fallback?: string): ToolErrorCode | undefined {
  // A toolset reports an answer that does not fit as drift or as a failure.
  if (textAt(modelError, "suggestion")?.startsWith(TOOL_RAN) === true) return "TOOL_INVALID_OUTPUT";
  if (textAt(modelError, "suggestion")?.startsWith(NOT_CALLED) === true) return "TOOL_NOT_ALLOWED";
  const code = fallback ?? textAt(modelError, "error");
  if (code === undefined) return undefined;
  const isOpen = code === "TOOL_UNAVAILABLE" || code === "TOOL_INVALID_OUTPUT" || code === "INPUT_REQUIRED";
  return isOpen ? code : "TOOL_EXECUTION_FAILED";
}

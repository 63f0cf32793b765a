import { getOwn, isJsonArray, isJsonObject } from "../contract/json.js";
import type { Result, ToolErrorCode } from "../runtime/result.js";
import { NOT_CALLED, TOOL_RAN } from "../agent/toolset/toolset-error.js";
import type { AgentOutcome } from "./agent-result.js";
import type { ResolvedCall } from "./find-replay-tools.js";

/** The result of a call from its outcome in an agent's result; undefined for a call that a person refused. */
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

/** The value that an output for a model was made of, as far as the output still has it. */
function readModelOutput(output: unknown, returnsContent: boolean): unknown {
  const value = valueAt(output, "value");
  if (!returnsContent) return value ?? null;
  if (typeof value === "string") return toContent([{ type: "text", text: value }]);
  return isJsonArray(value) ? toContent(value) : (value ?? null);
}

function toContent(content: readonly unknown[]): { text: string; content: readonly unknown[] } {
  return { text: content.flatMap((block) => textAt(block, "text") ?? []).join("\n"), content };
}

/** What a toolset's `execute` puts the tool's own value in: `{ success, tool, result }`, as JSON in a text. */
function openEnvelope(value: unknown, returnsContent: boolean): unknown {
  const result = valueAt(envelopeOf(value), "result") ?? null;
  if (!returnsContent) return result;
  const others = blocksOf(value).slice(1);
  if (result === null || typeof result === "string")
    return toContent([...(result === null ? [] : [{ type: "text", text: result }]), ...others]);
  return { ...toContent(others), structuredContent: result };
}

function envelopeOf(value: unknown): unknown {
  return valueAt(value, "structuredContent") ?? parse(textAt(blocksOf(value)[0], "text"));
}

function blocksOf(value: unknown): readonly unknown[] {
  const content = valueAt(value, "content");
  return isJsonArray(content) ? content : [];
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** The name of the tool that a toolset's `execute` says it called. */
export function findExecuted(outcome: AgentOutcome): string | undefined {
  if (outcome.kind === "model-output")
    return textAt(envelopeOf(readModelOutput(outcome.value, true)), "tool");
  if (outcome.kind !== "model-error") return undefined;
  return textAt(readModelError(textAt(outcome.value, "value")), "tool");
}

function failWith(code: ToolErrorCode, cause?: unknown): Result<never> {
  return { ok: false, error: { code, message: "", retryable: false, tool: "", server: "", cause } };
}

/** Only errors of this runtime say whether something was done. */
function codeOfError(error: unknown): ToolErrorCode {
  return codeIn(valueAt(error, "modelError"), textAt(error, "code")) ?? "TOOL_EXECUTION_FAILED";
}

/** As messages begin about a failure that the tool itself reports. */
const FAILED = /^(?:ToolCallError: )?Tool "(?:[^"\\]|\\.)*" failed: /;

/** The text of an error does not say whether the call was made, unless the tool itself reported the failure. */
function codeOfText(text: unknown): ToolErrorCode {
  if (typeof text !== "string") return "TOOL_UNAVAILABLE";
  return codeIn(readModelError(text)) ?? (FAILED.test(text) ? "TOOL_EXECUTION_FAILED" : "TOOL_UNAVAILABLE");
}

/** The error that a toolset wrote for a model. Some versions of the AI SDK put the name of the error before its message. */
function readModelError(text: string | undefined): unknown {
  return parse(text?.replace(/^ToolCallError: /, ""));
}

function codeIn(modelError: unknown, given?: string): ToolErrorCode | undefined {
  // A toolset reports an answer that does not fit as drift or as a failure.
  if (textAt(modelError, "suggestion")?.startsWith(TOOL_RAN) === true) return "TOOL_INVALID_OUTPUT";
  if (textAt(modelError, "suggestion")?.startsWith(NOT_CALLED) === true) return "TOOL_NOT_ALLOWED";
  const code = given ?? textAt(modelError, "error");
  if (code === undefined) return undefined;
  const isOpen = code === "TOOL_UNAVAILABLE" || code === "TOOL_INVALID_OUTPUT" || code === "INPUT_REQUIRED";
  return isOpen ? code : "TOOL_EXECUTION_FAILED";
}

function valueAt(object: unknown, key: string): unknown {
  if (object instanceof Error) return Reflect.get(object, key);
  return isJsonObject(object) ? getOwn(object, key) : undefined;
}

function textAt(object: unknown, key: string): string | undefined {
  const value = valueAt(object, key);
  return typeof value === "string" ? value : undefined;
}

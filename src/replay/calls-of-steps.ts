import { McpCodegenError } from "../contract/errors.js";
import { isJsonObject, getOwn } from "../contract/json.js";
import type { Result, ToolErrorCode } from "../runtime/result.js";
import type { FinishedCall } from "../runtime/call-recorder.js";
import type { KnownTools } from "./find-replay-tools.js";

/** What is read of an agent's result: that of the AI SDK has it, from version 5 to 7. */
export interface AgentResult {
  readonly steps: readonly AgentStep[];
}

/** One step of an agent. Whatever else it holds is not looked at. */
export interface AgentStep {
  readonly toolCalls?: readonly unknown[];
  readonly toolResults?: readonly unknown[];
  /** Where failed calls are. */
  readonly content?: readonly unknown[];
  readonly response?: { readonly timestamp?: unknown };
}

export interface StepCall {
  readonly call: FinishedCall;
  readonly step: number;
  /** When the model answered, where the step says so. */
  readonly at?: string;
}

/**
 * The calls of an agent's steps that have an outcome, in their order. A call without an outcome was not run: it waits for an
 * approval, or runs on the user's side. A step that is not an object counts and has no calls.
 *
 * @throws McpCodegenError `USAGE` for a result without a list of steps
 */
export function callsOfSteps(
  result: AgentResult,
  tools: KnownTools,
  environment: string | undefined,
): readonly StepCall[] {
  const steps = readSteps(result);
  // A call that was approved has its result in a later step than its own.
  const outcomes = new Map(steps.flatMap((step) => step.outcomes).flatMap(outcomesOf));
  return steps.flatMap(({ toolCalls, at }, index) =>
    toolCalls.flatMap((given): readonly StepCall[] => {
      const id = textAt(given, "toolCallId");
      const name = textAt(given, "toolName");
      const result = id === undefined ? undefined : outcomes.get(id);
      if (name === undefined || result === undefined) return [];
      const known = tools.byName.get(name);
      const tool = known?.tool ?? unknownTool(name);
      const where = environment ?? known?.environment ?? tools.environment;
      return [
        {
          call: { tool, args: valueAt(given, "input") ?? {}, result, environment: where },
          step: index,
          ...(at !== undefined && { at }),
        },
      ];
    }),
  );
}

/** The steps of a result, whatever a program without types passes. */
function readSteps(result: unknown): readonly ReadStep[] {
  const steps: unknown =
    typeof result === "object" && result !== null && "steps" in result ? result.steps : undefined;
  if (!Array.isArray(steps)) {
    throw new McpCodegenError("USAGE", "The agent's result has no list of steps.", {
      hint: "Pass what generateText of the AI SDK resolved to, or { steps: [...] }.",
    });
  }
  return steps.map((step: unknown) => {
    const timestamp = memberOf(memberOf(step, "response"), "timestamp");
    return {
      toolCalls: listAt(step, "toolCalls"),
      outcomes: [...listAt(step, "toolResults"), ...listAt(step, "content")],
      at: timestamp instanceof Date ? timestamp.toISOString() : undefined,
    };
  });
}

interface ReadStep {
  readonly toolCalls: readonly unknown[];
  readonly outcomes: readonly unknown[];
  readonly at: string | undefined;
}

function listAt(step: unknown, key: string): readonly unknown[] {
  const value = memberOf(step, key);
  return Array.isArray(value) ? value : [];
}

/** The steps of the AI SDK are instances of a class that has getters. */
function memberOf(object: unknown, key: string): unknown {
  return typeof object === "object" && object !== null ? Reflect.get(object, key) : undefined;
}

/** An unknown tool may write. The name, `server__tool`, says which server has it. */
function unknownTool(name: string): FinishedCall["tool"] {
  const at = name.indexOf("__");
  const isServed = at > 0 && at + 2 < name.length;
  return {
    name: isServed ? name.slice(at + 2) : name,
    server: { name: isServed ? name.slice(0, at) : "" },
  };
}

function outcomesOf(part: unknown): readonly (readonly [string, Result<unknown>])[] {
  const id = textAt(part, "toolCallId");
  // A provisional result is followed by another.
  if (id === undefined || valueAt(part, "preliminary") === true) return [];
  const type = textAt(part, "type");
  if (type === "tool-result") return [[id, { ok: true, value: valueAt(part, "output") }]];
  return type === "tool-error" ? [[id, failureOf(valueAt(part, "error"))]] : [];
}

/** Only errors of generated tools say whether something was done. */
function failureOf(error: unknown): Result<never> {
  const code = textAt(error, "code");
  const known: ToolErrorCode =
    code === "TOOL_UNAVAILABLE" || code === "TOOL_INVALID_OUTPUT" ? code : "TOOL_EXECUTION_FAILED";
  return {
    ok: false,
    error: {
      code: known,
      message: "",
      retryable: false,
      tool: "",
      server: "",
      cause: valueAt(error, "cause"),
    },
  };
}

function valueAt(object: unknown, key: string): unknown {
  if (object instanceof Error) return Reflect.get(object, key);
  return isJsonObject(object) ? getOwn(object, key) : undefined;
}

function textAt(object: unknown, key: string): string | undefined {
  const value = valueAt(object, key);
  return typeof value === "string" ? value : undefined;
}

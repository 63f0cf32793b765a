import { isJsonObject, getOwn } from "../../contract/json.js";
import type { Result, ToolErrorCode } from "../result.js";
import type { RecordedCall } from "./change-recorder.js";

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
  readonly call: RecordedCall;
  readonly step: number;
  /** When the model answered, where the step says so. */
  readonly at?: string;
}

/**
 * The calls of an agent's steps that have an outcome, in their order. A call without one was not run: it waits for somebody's
 * approval, or runs on the user's side.
 */
export function callsOfSteps(
  { steps }: AgentResult,
  tools: ReadonlyMap<string, RecordedCall["tool"]>,
  environment: string | undefined,
): readonly StepCall[] {
  // A call that was approved has its result in a later step than its own.
  const outcomes = new Map(
    steps.flatMap(({ toolResults = [], content = [] }) => [...toolResults, ...content]).flatMap(outcomesOf),
  );
  return steps.flatMap((step, index) =>
    (step.toolCalls ?? []).flatMap((given): readonly StepCall[] => {
      const id = textAt(given, "toolCallId");
      const name = textAt(given, "toolName");
      const result = id === undefined ? undefined : outcomes.get(id);
      if (name === undefined || result === undefined) return [];
      const tool = tools.get(name) ?? unknownTool(name);
      const { timestamp } = step.response ?? {};
      return [
        {
          call: { tool, args: valueAt(given, "input") ?? {}, result, environment },
          step: index,
          ...(timestamp instanceof Date && { at: timestamp.toISOString() }),
        },
      ];
    }),
  );
}

/** A tool that nobody knows is not known to only read. Its server is told by its name, `server__tool`. */
function unknownTool(name: string): RecordedCall["tool"] {
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

/** Only what generated tools throw tells whether something was done. */
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

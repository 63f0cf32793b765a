import { McpCodegenError } from "../contract/errors.js";
import { getOwn, isJsonObject } from "../contract/json.js";

/** What is read of an agent's result: `generateText` of the AI SDK resolves to it, from version 5 to 7. */
export interface AgentResult {
  readonly steps: readonly AgentStep[];
  /** Where `ai` 7 puts the results of calls that were approved before the run. */
  readonly responseMessages?: readonly unknown[];
  /** Where `ai` 6 puts them. */
  readonly response?: { readonly messages?: readonly unknown[] };
}

/** What `streamText` of the AI SDK returns: the same as promises. */
export interface StreamedAgentResult {
  readonly steps: PromiseLike<readonly AgentStep[]>;
  readonly responseMessages?: PromiseLike<readonly unknown[]>;
  readonly response?: PromiseLike<{ readonly messages?: readonly unknown[] }>;
}

/** One step of an agent. Other members are ignored. */
export interface AgentStep {
  readonly toolCalls?: readonly unknown[];
  readonly toolResults?: readonly unknown[];
  /** Where failed calls and requests for approval are. */
  readonly content?: readonly unknown[];
  readonly response?: { readonly timestamp?: unknown; readonly messages?: readonly unknown[] };
}

/** A call that a model wrote. */
export interface AgentCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly step: number;
  /** When the model answered, where the step says so. */
  readonly at: string | undefined;
  /** Whether it waits for an approval. */
  readonly isRequested: boolean;
}

/**
 * The outcome of a call: as the tool returned or threw it (`value`, `error`), as a message gives it to the model
 * (`model-output`, `model-error`), or that a person refused the call.
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
  return typeof memberOf(memberOf(result, "steps"), "then") === "function";
}

/** Waits for the end of a stream. */
export async function settle(result: StreamedAgentResult): Promise<AgentResult> {
  const [steps, responseMessages, response] = await Promise.all([
    result.steps,
    result.responseMessages,
    result.response,
  ]);
  return { steps, ...(responseMessages && { responseMessages }), ...(response && { response }) };
}

/**
 * Returns the calls and the outcomes in an agent's result. A step that is not an object counts and has no calls.
 *
 * @throws McpCodegenError `USAGE` for a result without a list of steps
 */
export function readAgentResult(result: AgentResult): AgentRun {
  const steps = readSteps(result);
  const calls = steps.flatMap((step, index) => callsOf(step, index));
  const messages = [
    ...listAt(result, "responseMessages"),
    ...listAt(memberOf(result, "response"), "messages"),
    ...steps.flatMap((step) => listAt(memberOf(step, "response"), "messages")),
  ];
  return {
    calls,
    // The later entry of an id counts: a tool's own value has more in it than a message for the model.
    outcomes: new Map([
      ...messages.flatMap((message) => listAt(message, "content")).flatMap(outcomeInMessage),
      ...steps
        .flatMap((step) => [...listAt(step, "toolResults"), ...listAt(step, "content")])
        .flatMap(outcomeInStep),
    ]),
  };
}

/** The steps of a result, whatever a program without types passes. */
function readSteps(result: unknown): readonly unknown[] {
  const steps = memberOf(result, "steps");
  if (Array.isArray(steps)) return steps;
  throw new McpCodegenError("USAGE", "The agent's result has no list of steps.", {
    hint: "Pass what generateText or streamText of the AI SDK returns, or { steps: [...] }.",
  });
}

function callsOf(step: unknown, index: number): readonly AgentCall[] {
  const timestamp = memberOf(memberOf(step, "response"), "timestamp");
  const at = timestamp instanceof Date ? timestamp.toISOString() : undefined;
  const requested = listAt(step, "content").flatMap((part) =>
    textAt(part, "type") === "tool-approval-request" ? textAt(valueAt(part, "toolCall"), "toolCallId") : [],
  );
  return listAt(step, "toolCalls").flatMap((given): readonly AgentCall[] => {
    const [id, name] = [textAt(given, "toolCallId"), textAt(given, "toolName")];
    if (id === undefined || name === undefined) return [];
    const input = valueAt(given, "input") ?? {};
    return [{ id, name, input, step: index, at, isRequested: requested.includes(id) }];
  });
}

type Found = readonly (readonly [id: string, outcome: AgentOutcome])[];

function outcomeInStep(part: unknown): Found {
  const id = textAt(part, "toolCallId");
  // A provisional result is followed by another.
  if (id === undefined || valueAt(part, "preliminary") === true) return [];
  const name = textAt(part, "toolName") ?? "";
  const type = textAt(part, "type");
  if (type === "tool-result") return [[id, { name, kind: "value", value: valueAt(part, "output") }]];
  if (type === "tool-error") return [[id, { name, kind: "error", value: valueAt(part, "error") }]];
  return [];
}

function outcomeInMessage(part: unknown): Found {
  const [id, name = ""] = [textAt(part, "toolCallId"), textAt(part, "toolName")];
  const output = valueAt(part, "output");
  const type = textAt(output, "type");
  if (id === undefined || type === undefined || textAt(part, "type") !== "tool-result") return [];
  if (type === "execution-denied") return [[id, { name, kind: "denied" }]];
  const kind = type === "error-text" || type === "error-json" ? "model-error" : "model-output";
  return [[id, { name, kind, value: output }]];
}

function listAt(object: unknown, key: string): readonly unknown[] {
  const value = memberOf(object, key);
  return Array.isArray(value) ? value : [];
}

/** Steps and results of the AI SDK are instances of classes that have getters. */
function memberOf(object: unknown, key: string): unknown {
  return typeof object === "object" && object !== null ? Reflect.get(object, key) : undefined;
}

function valueAt(object: unknown, key: string): unknown {
  return isJsonObject(object) ? getOwn(object, key) : undefined;
}

function textAt(object: unknown, key: string): string | undefined {
  const value = valueAt(object, key);
  return typeof value === "string" ? value : undefined;
}

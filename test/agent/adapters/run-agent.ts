import * as v5 from "ai-5";
import * as v6 from "ai-6";
import * as v7 from "ai-7";
import { MockLanguageModelV2 } from "ai-5/test";
import { MockLanguageModelV3 } from "ai-6/test";
import { MockLanguageModelV4 } from "ai-7/test";
import type { AgentResult, AgentStep } from "../../../src/agent/replay/agent-result.js";
import type { AiSdkRun } from "../../../src/agent/adapters/ai-sdk-tools.js";

/** What a scripted model says in one step: calls, or a last word. */
export type Turn = readonly WrittenCall[] | string;

export interface WrittenCall {
  readonly id: string;
  readonly tool: string;
  /** As models write it: JSON, or what they take for it. */
  readonly json: string;
}

/** What an agent did, in words that all versions share. */
export interface AgentRun {
  readonly steps: readonly (readonly Part[])[];
  /** The definitions that the model was given. */
  readonly definitions: readonly {
    readonly name: string;
    readonly description?: string;
    readonly inputSchema: object;
  }[];
  /** The names of the tools that the model was given, step by step. */
  readonly shown: readonly (readonly string[])[];
  /** The results that the model received after its last calls. */
  readonly told: readonly unknown[];
  readonly text: string;
  /** The conversation so far, for another run. */
  readonly messages: readonly object[];
  /** As the SDK gives it. */
  readonly result: AgentResult;
}

export interface Part {
  readonly type: string;
  readonly [key: string]: unknown;
}

export type AnyToolSet = v5.ToolSet & v6.ToolSet & v7.ToolSet;

export interface Sdk {
  readonly version: number;
  readonly run: (tools: AnyToolSet, turns: readonly Turn[], options?: RunOptions) => Promise<AgentRun>;
}

export interface RunOptions {
  readonly messages?: readonly object[];
  readonly signal?: AbortSignal;
  /** What a session has beside its tools. */
  readonly session?: Omit<AiSdkRun, "tools">;
}

const START: readonly object[] = [{ role: "user", content: "Look after the posts." }];
const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
const usage = { inputTokens: tokens, outputTokens: tokens };

/** An agent whose model says what a script has it say. */
function runWith(
  generateText: (options: never) => Promise<Parameters<typeof summarize>[0]>,
  open: (turns: readonly Turn[]) => { readonly doGenerateCalls: Parameters<typeof summarize>[1] },
): Sdk["run"] {
  return async (tools, turns, { messages = START, signal, session } = {}) => {
    const model = open(turns);
    const stopWhen = ({ steps }: { readonly steps: readonly unknown[] }): boolean =>
      steps.length === turns.length;
    const options = { model, tools, messages, stopWhen, ...(signal && { abortSignal: signal }), ...session };
    return summarize(await generateText(options as never), model.doGenerateCalls, messages);
  };
}

/** The Vercel AI SDK, each version with a scripted model. */
export const SDKS: readonly Sdk[] = [
  {
    version: 5,
    run: runWith(v5.generateText, (turns) => {
      const doGenerate = turns.map((turn) => ({
        content: toContent(turn),
        finishReason: typeof turn === "string" ? ("stop" as const) : ("tool-calls" as const),
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        warnings: [],
      }));
      return new MockLanguageModelV2({ doGenerate });
    }),
  },
  { version: 6, run: runWith(v6.generateText, (turns) => new MockLanguageModelV3({ doGenerate: turns.map(toGenerated) })) }, // prettier-ignore
  { version: 7, run: runWith(v7.generateText, (turns) => new MockLanguageModelV4({ doGenerate: turns.map(toGenerated) })) }, // prettier-ignore
];

function toGenerated(turn: Turn) {
  const unified = typeof turn === "string" ? ("stop" as const) : ("tool-calls" as const);
  return { content: toContent(turn), finishReason: { unified, raw: undefined }, usage, warnings: [] };
}

function toContent(turn: Turn) {
  if (typeof turn === "string") return [{ type: "text" as const, text: turn }];
  return turn.map(({ id, tool, json }) => ({
    type: "tool-call" as const,
    toolCallId: id,
    toolName: tool,
    input: json,
  }));
}

function summarize(
  result: {
    readonly text: string;
    readonly steps: readonly (Omit<AgentStep, "content"> & { readonly content: readonly object[] })[];
    readonly response: { readonly messages: readonly object[] };
    /** Since version 7, also the results of calls that were approved before the run. */
    readonly responseMessages?: readonly object[];
  },
  calls: readonly { readonly tools?: unknown; readonly prompt: readonly object[] }[],
  messages: readonly object[],
): AgentRun {
  return {
    text: result.text,
    steps: result.steps.map(({ content }) => content.map((part) => ({ ...part }) as Part)),
    definitions: (calls[0]?.tools ?? []) as AgentRun["definitions"],
    shown: calls.map(({ tools = [] }) => (tools as AgentRun["definitions"]).map(({ name }) => name)),
    told: (calls.at(-1)?.prompt ?? []).filter((message) => "role" in message && message.role === "tool"),
    messages: [...messages, ...(result.responseMessages ?? result.response.messages)],
    result,
  };
}

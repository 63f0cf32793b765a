/** The tools in agents of other frameworks, each with a model that says what a script has it say. */
import { Readable } from "node:stream";
import { DynamicStructuredTool, tool as langChainTool } from "@langchain/core/tools";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { Agent, Runner, Usage, type Model, type ModelRequest, type ModelResponse } from "@openai/agents-core";
import { chat, EventType, type AnyTextAdapter, type StreamChunk } from "@tanstack/ai";
import { describe, expect, test } from "vitest";
import { connect } from "../../../generated/example/index.js";
import {
  callGeminiTools,
  createToolset,
  toGeminiTools,
  toLangChainTools,
  toMastraTools,
  toOpenAiAgentTools,
  toTanStackTools,
} from "../../../src/agent/index.js";
import { bakeryForEach } from "./start-bakery.js";

const bakery = bakeryForEach();

/** What the model calls in its first turn: a post, one that does not exist, and invalid input. */
const CALLS = [{ id: 1 }, { id: 99 }, { id: "one" }];
/** What the model reads of it. */
const TOLD = [/"title":"Hello world"/, /TOOL_EXECUTION_FAILED.*There is no post 99/, /TOOL_INVALID_INPUT/];

function expectTold(texts: readonly string[]): void {
  expect(texts).toHaveLength(TOLD.length);
  for (const [at, pattern] of TOLD.entries()) expect(texts[at]).toMatch(pattern);
}

describe("Gemini", () => {
  test("functions are declared, and calls answered with their ids, if they have any", async () => {
    const wordpress = connect({ client: bakery });
    const [declared] = await toGeminiTools(wordpress);
    const getPost = declared?.functionDeclarations.find(({ name }) => name === "get-post");
    expect(getPost?.parametersJsonSchema).toMatchObject({ type: "object", required: ["id"] });
    const calls = CALLS.map((args, at) => ({ id: `call-${at}`, name: "get-post", args }));
    const answers = (await callGeminiTools(wordpress, calls)).map((part) => part.functionResponse);
    expect(answers.map(({ id }) => id)).toEqual(["call-0", "call-1", "call-2"]);
    expectTold(answers.map(({ response }) => JSON.stringify(response).replaceAll('\\"', '"')));
    const response = { error: expect.stringContaining("TOOL_NOT_FOUND") as string };
    expect(await callGeminiTools(wordpress, [{ name: "lock" }])).toEqual([
      { functionResponse: { name: "lock", response } },
    ]);
  });
});

describe("OpenAI Agents SDK", () => {
  test("an agent calls tools, reads errors, and is interrupted before it destroys", async () => {
    const wordpress = connect({ client: bakery });
    const model = new ScriptedModel([
      CALLS.map((input) => ["get-post", input] as const),
      [["delete-post", { id: 3 }]],
      "Done.",
    ]);
    const agent = new Agent({ name: "editor", model, tools: await toOpenAiAgentTools(wordpress) });
    const runner = new Runner({ tracingDisabled: true });
    const waiting = await runner.run(agent, "Look after the posts.");
    expect(waiting.interruptions.map(({ name }) => name)).toEqual(["delete-post"]);
    expect(bakery.called).not.toContain("delete-post");
    expectTold(model.outputs());
    for (const interruption of waiting.interruptions) waiting.state.approve(interruption);
    const done = await runner.run(agent, waiting.state);
    expect(done.finalOutput).toBe("Done.");
    expect(bakery.called.filter((name) => name === "delete-post")).toHaveLength(1);
  });

  test("a call of `execute` that the SDK did not ask about is refused if it needs approval", async () => {
    const toolset = createToolset(connect({ client: bakery }), { policy: { writes: true } });
    const execute = (await toOpenAiAgentTools(toolset)).find(({ name }) => name === "execute");
    const input = { tool: "delete-post", args: { id: 3 } };
    expect(await execute?.needsApproval(undefined, input)).toBe(true);
    expect(await execute?.needsApproval(undefined, { tool: "get-post", args: { id: 1 } })).toBe(false);
    expect(await execute?.invoke(undefined, JSON.stringify(input))).toContain("TOOL_NOT_ALLOWED");
    expect(bakery.called).toEqual([]);
  });
});

describe("LangChain.js", () => {
  test("tools bind to models, and calls become tool messages", async () => {
    const tools = (await toLangChainTools(connect({ client: bakery }), langChainTool)).filter(isStructured);
    const getPost = tools.find(({ name }) => name === "get-post");
    const deletePost = tools.find(({ name }) => name === "delete-post");
    if (getPost === undefined || deletePost === undefined) throw new Error("A tool is missing.");
    expect(convertToOpenAITool(getPost)).toMatchObject({
      type: "function",
      function: { name: "get-post", description: "Returns one post.", parameters: { required: ["id"] } },
    });
    const ask = async (one: typeof getPost, id: string, args: object): Promise<string> => {
      const told: unknown = await one.invoke({ type: "tool_call", id, name: one.name, args: { ...args } });
      const { content, tool_call_id } = told as { content: string; tool_call_id: string };
      expect(tool_call_id).toBe(id);
      return content;
    };
    expect(await ask(getPost, "a", { id: 1 })).toMatch(TOLD[0] ?? "");
    // LangChain itself reports what does not fit the schema.
    await expect(ask(getPost, "c", { id: "one" })).rejects.toThrow(/did not match expected schema/);
    expect(await ask(deletePost, "d", { id: 3 })).toMatch(
      /TOOL_NOT_ALLOWED.*option \\"approve\\" is missing/,
    );
    expect(bakery.called).not.toContain("delete-post");
  });
});

/** `createTool` returns an object with the same members: a stand-in, since Mastra needs Node 22 and 500 MB. */
test("Mastra's tools are made by createTool", async () => {
  const { "get-post": getPost } = await toMastraTools(connect({ client: bakery }), (fields) => fields);
  expect(getPost).toMatchObject({
    id: "get-post",
    description: "Returns one post.",
    inputSchema: { type: "object", required: ["id"] },
  });
});

describe("TanStack AI", () => {
  test("chat() calls tools, reads errors, and waits before it destroys", async () => {
    const wordpress = connect({ client: bakery });
    const adapter = scriptedAdapter([
      CALLS.map((input) => ["get-post", input] as const),
      [["delete-post", { id: 3 }]],
    ]);
    const chunks: StreamChunk[] = [];
    const messages = [{ role: "user" as const, content: "Look after the posts." }];
    for await (const chunk of chat({ adapter, messages, tools: await toTanStackTools(wordpress) }))
      chunks.push(chunk);
    expectTold(chunks.flatMap((each) => (each.type === EventType.TOOL_CALL_RESULT ? [each.content] : [])));
    const finished = JSON.stringify(chunks.filter(({ type }) => type === EventType.RUN_FINISHED));
    expect(finished).toContain("interrupt");
    expect(bakery.called).not.toContain("delete-post");
  });
});

function isStructured(tool: object): tool is DynamicStructuredTool {
  return tool instanceof DynamicStructuredTool;
}

/** Calls of one turn, or the last words. */
type Turn = readonly (readonly [tool: string, input: object])[] | string;

class ScriptedModel implements Model {
  readonly #requests: ModelRequest[] = [];
  readonly #turns: readonly Turn[];

  constructor(turns: readonly Turn[]) {
    this.#turns = turns;
  }

  /** The results that the model was last given. */
  outputs(): readonly string[] {
    const { input = [] } = this.#requests.at(-1) ?? {};
    return (typeof input === "string" ? [] : input).flatMap((item) =>
      item.type === "function_call_result" && typeof item.output === "object" && "text" in item.output
        ? [item.output.text]
        : [],
    );
  }

  getResponse(request: ModelRequest): Promise<ModelResponse> {
    this.#requests.push(request);
    const turn = this.#turns[this.#requests.length - 1] ?? "";
    const said = { type: "message", role: "assistant", status: "completed" } as const;
    const output: ModelResponse["output"] =
      typeof turn === "string"
        ? [{ ...said, content: [{ type: "output_text", text: turn }] }]
        : turn.map(([name, input], at) => ({
            type: "function_call",
            callId: `${name}-${this.#requests.length}-${at}`,
            name,
            arguments: JSON.stringify(input),
          }));
    return Promise.resolve({ usage: new Usage(), output });
  }

  getStreamedResponse(): never {
    throw new Error("Not used here.");
  }
}

function scriptedAdapter(turns: readonly Turn[]): AnyTextAdapter {
  let at = 0;
  function* speak(): Generator<StreamChunk> {
    const turn = turns[at] ?? "";
    at += 1;
    const run = { runId: `run-${at}`, threadId: "thread", timestamp: 0 };
    yield { type: EventType.RUN_STARTED, ...run };
    for (const [index, [name, input]] of typeof turn === "string" ? [] : turn.entries()) {
      const toolCallId = `${name}-${index}`;
      const call = { toolCallId, toolCallName: name, toolName: name, timestamp: 0 };
      yield { type: EventType.TOOL_CALL_START, ...call };
      yield { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: JSON.stringify(input), timestamp: 0 };
      yield { type: EventType.TOOL_CALL_END, ...call };
    }
    const finishReason = typeof turn === "string" ? "stop" : "tool_calls";
    yield { type: EventType.RUN_FINISHED, ...run, finishReason };
  }
  const chatStream = (): Readable => Readable.from(speak());
  return { kind: "text", name: "scripted", model: "any", "~types": {}, chatStream } as never;
}

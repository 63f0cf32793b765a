/** Sessions in the Vercel AI SDK, under every version of it that they are for. */
import * as v5 from "ai-5";
import * as v6 from "ai-6";
import * as v7 from "ai-7";
import { describe, expect, test } from "vitest";
import { createToolset } from "../../../src/agent/toolset/create-toolset.js";
import type { FoundOptions, ToolSession } from "../../../src/agent/toolset/toolset.js";
import {
  type AiSdkRun,
  type AiSdkToolsOptions,
  toAiSdkRun,
} from "../../../src/agent/adapters/ai-sdk-tools.js";
import { SDKS, type AgentRun, type Turn, type WrittenCall } from "../adapters/run-agent.js";
import { fakeTool } from "../adapters/fake-tool.js";
import { fakeRegistry, shopTools } from "./fake-registry.js";
import { MockLanguageModelV2 } from "ai-5/test";
import { MockLanguageModelV3 } from "ai-6/test";
import { MockLanguageModelV4 } from "ai-7/test";

function open(options: Partial<FoundOptions> = {}) {
  const registry = fakeRegistry(shopTools());
  return { registry, session: createToolset(registry, { show: "found", limit: 1, ...options }) };
}

function search(id: string, query: string): WrittenCall {
  return { id, tool: "search_tools", json: JSON.stringify({ query }) };
}

/** The result of a call for the model. */
function toldOf({ told }: AgentRun, id: string): string {
  const parts = told.flatMap((message) => (message as { content: { toolCallId: string }[] }).content);
  return JSON.stringify(parts.find(({ toolCallId }) => toolCallId === id));
}

describe.each(SDKS)("ai $version", ({ version, run }) => {
  async function work(
    session: ToolSession,
    turns: readonly Turn[],
    options: AiSdkToolsOptions = {},
    messages?: readonly object[],
  ): Promise<AgentRun> {
    const { tools, ...rest } = await toAiSdkRun(session, options);
    return run(tools, turns, { session: rest, ...(messages && { messages }) });
  }

  test("the model is given what is active, step by step, and calls what it has found", async () => {
    const { registry, session } = open({ core: ["list_order"] });
    const agent = await work(session, [
      [{ id: "1", tool: "shop__list_order", json: "{}" }],
      [search("2", "create an invoice")],
      [{ id: "3", tool: "shop__create_invoice", json: '{"for":"Ada"}' }, search("4", "list parcels")],
      "Done.",
    ]);
    expect(agent.shown).toEqual([
      ["search_tools", "shop__list_order"],
      ["search_tools", "shop__list_order"],
      ["search_tools", "shop__list_order", "shop__create_invoice"],
      ["search_tools", "shop__list_order", "shop__create_invoice", "shop__list_parcel"],
    ]);
    expect(registry.called).toEqual(["shop__list_order", "shop__create_invoice"]);
    expect(toldOf(agent, "2")).toContain("Creates a new invoice.");
    expect(toldOf(agent, "3")).toContain("Ada");
  });

  test("a tool that was not discovered does not run, though it exists, and the model is advised to search", async () => {
    const { registry, session } = open();
    const agent = await work(session, [
      [{ id: "1", tool: "shop__delete_order", json: "{}" }],
      [{ id: "2", tool: "delete_orders", json: "{}" }],
      // Nor one that is found in the same breath.
      [search("3", "delete order"), { id: "4", tool: "shop__delete_order", json: "{}" }],
      "I cannot.",
    ]);
    expect(registry.called).toEqual([]);
    expect(agent.steps.flat().filter(({ type }) => type === "tool-error")).toHaveLength(3);
    expect(agent.steps.flat().filter(({ type }) => type === "tool-approval-request")).toEqual([]);
    const unknown = JSON.stringify('Tool "shop__delete_order" is not among your tools now.').slice(1, -1);
    expect(toldOf(agent, "1")).toContain(unknown);
    expect(toldOf(agent, "1")).toContain("search_tools");
    expect(toldOf(agent, "2")).toContain("Nearest:");
    expect(toldOf(agent, "4")).toContain(unknown);
  });

  test("a tool may have the name of an inherited property, and an inherited property is not a tool", async () => {
    const registry = fakeRegistry([fakeTool("__proto__"), fakeTool("valueOf")]);
    const session = createToolset(registry, { show: "found", core: ["*"] });
    const names = ["__proto__", "valueOf", "constructor", "toString"];
    const calls = names.map((tool, at) => ({ id: String(at + 1), tool, json: "{}" }));
    const agent = await work(session, [calls, "Done."], { approval: "none" });
    expect(agent.shown[0]).toEqual(["search_tools", "__proto__", "valueOf"]);
    expect(registry.called.toSorted()).toEqual(["__proto__", "valueOf"]);
    // Earlier versions end the run there, and call nothing.
    if (version === 7) for (const id of ["3", "4"]) expect(toldOf(agent, id)).toContain("There is no tool");
  });

  test("a tool that has left does not run either, and one that leaves in the same step still does", async () => {
    const { registry, session } = open({ maxActive: 1 });
    const agent = await work(session, [
      [search("1", "list invoice")],
      [search("2", "list coupon"), { id: "3", tool: "shop__list_invoice", json: "{}" }],
      [{ id: "4", tool: "shop__list_invoice", json: "{}" }],
      "Done.",
    ]);
    expect(agent.shown.map((names) => names.slice(1))).toEqual([
      [],
      ["shop__list_invoice"],
      ["shop__list_coupon"],
      ["shop__list_coupon"],
    ]);
    expect(registry.called).toEqual(["shop__list_invoice"]);
    expect(toldOf(agent, "4")).toContain("not among your tools now");
  });

  test("the SDK itself reports input that does not fit", async () => {
    const { session } = open();
    const agent = await work(session, [[{ id: "1", tool: "search_tools", json: "{}" }], "Done."]);
    expect(toldOf(agent, "1")).toContain("Missing query or category.");
    expect(toldOf(agent, "1")).not.toContain("repair");
  });

  test("what destroys waits for a person, and is called in the next run when they agree", async () => {
    const { registry, session } = open();
    const asked = await work(session, [
      [search("1", "delete order")],
      [{ id: "2", tool: "shop__delete_order", json: "{}" }],
      "Done.",
    ]);
    expect(registry.called).toEqual([]);
    if (version === 5) return;
    const [request] = asked.steps.flat().filter(({ type }) => type === "tool-approval-request");
    const answer = { type: "tool-approval-response", approvalId: request?.["approvalId"], approved: true };
    const messages = [...asked.messages, { role: "tool", content: [answer] }];
    // In another process, as handlers of requests are.
    await work(createToolset(registry, { show: "found", found: session.found }), ["Gone."], {}, messages);
    expect(registry.called).toEqual(["shop__delete_order"]);
  });
});

const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
const usage = { inputTokens: tokens, outputTokens: tokens };
const oldUsage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

const CALLS = [
  { toolName: "shop__create_invoice", input: "{}" },
  { toolName: "search_tools", input: '{"query":"create invoice"}' },
  { toolName: "shop__create_invoice", input: "{}" },
].map((call, at) => ({ type: "tool-call" as const, toolCallId: String(at), ...call }));
const LAST = 4;
const CALLING = { unified: "tool-calls" as const, raw: undefined };

function streamOf<T>(parts: readonly T[]): ReadableStream<T> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

const start = { type: "stream-start" as const, warnings: [] };
/** One call a step; in the last step nothing. */
const steps = [...CALLS.map((call) => [call]), []];
const finish = { type: "finish" as const, finishReason: CALLING, usage };

const oldFinish = { type: "finish" as const, finishReason: "tool-calls" as const, usage: oldUsage };
const streamsOf = <T>(end: T) => steps.map((calls) => ({ stream: streamOf([start, ...calls, end]) }));
const prompt = "Go.";

type Shown = readonly { readonly tools?: readonly { readonly name: string }[] | undefined }[];

const STREAMS: Readonly<Record<number, (session: AiSdkRun) => Promise<Shown>>> = {
  5: async (session) => {
    const model = new MockLanguageModelV2({ doStream: streamsOf(oldFinish) });
    await v5.streamText({ model, prompt, stopWhen: v5.stepCountIs(LAST), ...session }).consumeStream();
    return model.doStreamCalls;
  },
  6: async (session) => {
    const model = new MockLanguageModelV3({ doStream: streamsOf(finish) });
    await v6.streamText({ model, prompt, stopWhen: v6.stepCountIs(LAST), ...session }).consumeStream();
    return model.doStreamCalls;
  },
  7: async (session) => {
    const model = new MockLanguageModelV4({ doStream: streamsOf(finish) });
    await v7.streamText({ model, prompt, stopWhen: v7.isStepCount(LAST), ...session }).consumeStream();
    return model.doStreamCalls;
  },
};

test.each(Object.entries(STREAMS))(
  "streamText of ai %s shows what is active, and calls nothing else",
  async (_version, run) => {
    const registry = fakeRegistry(shopTools());
    const session = createToolset(registry, { show: "found", limit: 1 });
    const calls = await run(await toAiSdkRun(session));
    const shown = calls.map(({ tools = [] }) => tools.map(({ name }) => name));
    const found = ["search_tools", "shop__create_invoice"];
    expect(shown).toEqual([["search_tools"], ["search_tools"], found, found]);
    expect(registry.called).toEqual(["shop__create_invoice"]);
  },
);

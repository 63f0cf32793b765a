/** Sessions where the AI SDK streams: it reads the tools of a session anew at each step as well. */
import * as v5 from "ai-5";
import * as v6 from "ai-6";
import * as v7 from "ai-7";
import { MockLanguageModelV2 } from "ai-5/test";
import { MockLanguageModelV3 } from "ai-6/test";
import { MockLanguageModelV4 } from "ai-7/test";
import { expect, test } from "vitest";
import { createToolset, toAiSdkRun, type AiSdkRun } from "../../../src/agent/index.js";
import { fakeRegistry, shopTools } from "./fake-registry.js";

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

test.each([
  [
    5,
    async (session: AiSdkRun) => {
      const model = new MockLanguageModelV2({ doStream: streamsOf(oldFinish) });
      await v5.streamText({ model, prompt, stopWhen: v5.stepCountIs(LAST), ...session }).consumeStream();
      return model.doStreamCalls;
    },
  ],
  [
    6,
    async (session: AiSdkRun) => {
      const model = new MockLanguageModelV3({ doStream: streamsOf(finish) });
      await v6.streamText({ model, prompt, stopWhen: v6.stepCountIs(LAST), ...session }).consumeStream();
      return model.doStreamCalls;
    },
  ],
  [
    7,
    async (session: AiSdkRun) => {
      const model = new MockLanguageModelV4({ doStream: streamsOf(finish) });
      await v7.streamText({ model, prompt, stopWhen: v7.isStepCount(LAST), ...session }).consumeStream();
      return model.doStreamCalls;
    },
  ],
] as const)("streamText of ai %i shows what is active, and calls nothing else", async (_version, run) => {
  const registry = fakeRegistry(shopTools());
  const session = createToolset(registry, { show: "found", limit: 1 });
  const calls = await run(await toAiSdkRun(session));
  const shown = calls.map(({ tools = [] }) => tools.map(({ name }) => name));
  const found = ["search_tools", "shop__create_invoice"];
  expect(shown).toEqual([["search_tools"], ["search_tools"], found, found]);
  expect(registry.called).toEqual(["shop__create_invoice"]);
});

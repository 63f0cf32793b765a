/** A toolset given to each kind of model, with the packages that talk to them. */
import type { ApprovalRequest } from "../../../src/agent/registry/approval.js";
import * as z from "zod";
import { describe, expect, it, test } from "vitest";
import {
  callOpenAiTools,
  systemPrompt,
  toAiSdkTools,
  toAnthropicTools,
  toLangChainTools,
  toOpenAiAgentTools,
  toOpenAiTools,
} from "../../../src/agent/index.js";
import { callAnthropicTools } from "../../../src/agent/adapters/anthropic-tools.js";
import { createToolset } from "../../../src/agent/toolset/create-toolset.js";
import { fakeTool } from "../adapters/fake-tool.js";
import { SDKS, type AnyToolSet } from "../adapters/run-agent.js";
import { bakeryTools } from "./bakery-tools.js";

const NAMES = ["introspect", "search_tools", "describe_tools", "execute", "context"];
const image = { type: "image", data: "aGk=", mimeType: "image/png" };
const photo = fakeTool("photo", {
  annotations: { readOnlyHint: true },
  call: () => Promise.resolve({ ok: true, value: { text: "", content: [image], json: () => null } }),
});
const toolset = createToolset([...bakeryTools(), photo]);

describe.each(SDKS)("an agent of the AI SDK $version", ({ run }) => {
  it("searches, describes and executes", async () => {
    const tools = (await toAiSdkTools(toolset)) as AnyToolSet;
    const { definitions, steps, told, text } = await run(tools, [
      [{ id: "1", tool: "search_tools", json: '{"query":"list posts","limit":1}' }],
      [{ id: "2", tool: "describe_tools", json: '{"tools":["blog__list_posts"],"format":"typescript"}' }],
      [
        { id: "3", tool: "execute", json: '{"tool":"blog__list_posts","args":{"page":2}}' },
        { id: "4", tool: "execute", json: '{"tool":"blog__list_post"}' },
        { id: "5", tool: "execute", json: '{"tool":"photo"}' },
      ],
      "Done.",
    ]);
    expect(definitions.map(({ name }) => name)).toEqual(NAMES);
    const parts = steps.flat();
    const result = (id: string): unknown =>
      parts.find(({ type, toolCallId }) => type === "tool-result" && toolCallId === id)?.["output"];
    expect(result("1")).toMatchObject({ structuredContent: { tools: [{ name: "blog__list_posts" }] } });
    expect(result("2")).toMatchObject({
      structuredContent: { tools: [{ signature: expect.any(String) as string }] },
    });
    expect(result("3")).toMatchObject({ structuredContent: { success: true, result: { page: 2 } } });
    const shown = JSON.stringify(told);
    // A failure has the toolset's form, and an image stays an image.
    expect(shown).toContain("TOOL_NOT_FOUND");
    expect(shown).toContain("Nearest names");
    expect(shown).toContain("aGk=");
    expect(text).toBe("Done.");
  });
});

test("Anthropic's tools answer, and errors are data", async () => {
  expect((await toAnthropicTools(toolset)).map(({ name }) => name)).toEqual(NAMES);
  const use = (id: string, name: string, input: unknown): { type: string } => {
    const block = { type: "tool_use", id, name, input };
    return block;
  };
  const [found, disabled, wrong, unknown, shown] = await callAnthropicTools(toolset, [
    use("1", "search_tools", { category: "commerce" }),
    use("2", "execute", { tool: "refund_order" }),
    use("3", "search_tools", { query: 1 }),
    use("4", "refund_order", {}),
    use("5", "execute", { tool: "photo" }),
  ]);
  const read = (answer: typeof found): unknown => {
    const [first] = answer?.content ?? [];
    return first?.type === "text" ? JSON.parse(first.text) : undefined;
  };
  expect(read(found)).toMatchObject({ total: 2 });
  expect(disabled?.is_error).toBe(true);
  expect(read(disabled)).toEqual(
    (await toolset.answer("execute", { tool: "refund_order" })).structuredContent,
  );
  expect(read(wrong)).toMatchObject({ error: "VALIDATION_ERROR", issues: [{ path: "query" }] });
  expect(read(unknown)).toMatchObject({
    error: "TOOL_NOT_FOUND",
    message: expect.stringContaining('Call any other tool with execute: pass its name as "tool".') as string,
  });
  expect(shown?.content[1]).toEqual({
    type: "image",
    source: { type: "base64", media_type: "image/png", data: "aGk=" },
  });
});

test("OpenAI's tools answer, and errors are data", async () => {
  expect((await toOpenAiTools(toolset)).map((tool) => tool.function.name)).toEqual(NAMES);
  const call = (id: string, name: string, args: object) => ({
    id, function: { name, arguments: JSON.stringify(args) } }); // prettier-ignore
  const [found, refused] = await callOpenAiTools(toolset, [
    call("1", "describe_tools", { tools: ["clock"] }),
    call("2", "execute", { tool: "clok" }),
  ]);
  expect(JSON.parse(found?.content ?? "")).toMatchObject({ tools: [{ name: "clock" }], notFound: [] });
  expect(JSON.parse(refused?.content ?? "")).toMatchObject({ error: "TOOL_NOT_FOUND", nearest: ["clock"] });
  const [output] = await callOpenAiTools(
    toolset,
    [{ type: "function_call", call_id: "3", name: "introspect", arguments: "{}" }],
    { api: "responses" },
  );
  expect(JSON.parse(typeof output?.output === "string" ? output.output : "")).toMatchObject({ total: 7 });
});

test("a destroying call waits for a person once, whatever the adapter thinks of execute", async () => {
  const asked: string[] = [];
  const asking = createToolset(bakeryTools(), {
    policy: { writes: true },
    approve: ({ tool }) => {
      asked.push(tool.name);
      return false;
    },
  });
  const use = { type: "tool_use", id: "1", name: "execute", input: { tool: "shop__refund_order" } };
  for (const approval of ["destructive", "writes", () => true] as const) {
    asked.length = 0;
    const [answer] = await callAnthropicTools(asking, [use], { approval, approve: () => true });
    expect(answer?.is_error).toBe(true);
    expect(asked).toEqual(["shop__refund_order"]);
  }
});

test("a system prompt says how to work with the five, and what there is", async () => {
  const prompt = await systemPrompt(toolset);
  expect(prompt).toContain(
    'There are 7 tools of "blog", "shop". You do not see them. Find them with search_tools',
  );
  expect(prompt).toContain('- "commerce" (2 tools)');
  expect(await systemPrompt(createToolset([]))).toBe("You have no tools.");
});

describe("no person is asked about arguments that execute would refuse", () => {
  const writes = createToolset(
    [
      fakeTool("drop", {
        input: z.strictObject({ id: z.number() }),
        annotations: { readOnlyHint: false, destructiveHint: true },
        call: () => Promise.resolve({ ok: true, value: "dropped" }),
      }),
    ],
    { policy: { writes: true } },
  );
  const asked: unknown[] = [];
  const approve = ({ tool, input }: ApprovalRequest): boolean =>
    asked.push({ tool: tool.name, args: input }) > 0;
  const wrong = { tool: "drop", args: { id: "three" } };
  const right = { tool: "drop", args: { id: 3 } };
  const MAKERS: Readonly<Record<string, (input: object) => Promise<unknown>>> = {
    Anthropic: (input) =>
      callAnthropicTools(writes, [{ type: "tool_use", id: "1", name: "execute", input }], {
        approve,
      }),
    "OpenAI Chat": (input) =>
      callOpenAiTools(
        writes,
        [{ id: "1", function: { name: "execute", arguments: JSON.stringify(input) } }],
        {
          approve,
        },
      ),
    "LangChain.js": async (input) => {
      const made = await toLangChainTools(writes, (run, { name }) => ({ run, name }), { approve });
      return made.find(({ name }) => name === "execute")?.run(input);
    },
    "the OpenAI Agents SDK": async (input) => {
      const execute = (await toOpenAiAgentTools(writes)).find(({ name }) => name === "execute");
      if ((await execute?.needsApproval(undefined, input)) === true) asked.push(input);
      return execute?.invoke(undefined, JSON.stringify(input));
    },
    "the AI SDK": async (input) => {
      const { needsApproval } = (await toAiSdkTools(writes))["execute"] ?? {};
      if (typeof needsApproval === "function" && (await needsApproval(input))) asked.push(input);
      return "INVALID_INPUT";
    },
  };
  test.each(Object.entries(MAKERS))("%s", async (_name, make) => {
    asked.length = 0;
    expect(JSON.stringify(await make(wrong))).toMatch(/INVALID_INPUT|VALIDATION/);
    // Some models write the arguments as JSON text.
    await make({ tool: "drop", args: '{"id":"three"}' });
    expect(asked).toEqual([]);
    await make(right);
    expect(asked).toEqual([right]);
  });
});

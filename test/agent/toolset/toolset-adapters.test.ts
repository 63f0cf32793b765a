/** A toolset given to each kind of model, with the packages that talk to them. */
import { describe, expect, it, test } from "vitest";
import { systemPrompt, toAiSdkTools, toAnthropicTools } from "../../../src/agent/index.js";
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

test("a system prompt says how to work with the five, and what there is", async () => {
  const prompt = await systemPrompt(toolset);
  expect(prompt).toContain(
    'There are 7 tools of "blog", "shop". You do not see them. Find them with search_tools',
  );
  expect(prompt).toContain('- "commerce" (2 tools)');
  expect(await systemPrompt(createToolset([]))).toBe("You have no tools.");
});

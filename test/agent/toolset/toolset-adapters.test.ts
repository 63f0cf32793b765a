/** A toolset given to each kind of model, with the packages that talk to them. */
import { describe, expect, it, test } from "vitest";
import { systemPrompt, toAiSdkTools, toAnthropicTools, createToolset } from "../../../src/agent/index.js";
import { callAnthropic } from "../adapters/adapters.js";
import { fakeTool, READS } from "../adapters/fake-tool.js";
import { SDKS, type AnyToolSet } from "../adapters/run-agent.js";
import { bakeryTools } from "./bakery-tools.js";

const NAMES = ["introspect", "search_tools", "describe_tools", "execute", "context"];
const image = { type: "image", data: "aGk=", mimeType: "image/png" };
const photo = fakeTool("photo", {
  ...READS,
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

test("a model reads what the toolset answers, also of errors", async () => {
  expect((await toAnthropicTools(toolset)).map(({ name }) => name)).toEqual(NAMES);
  const refund = { tool: "refund_order" };
  const disabled = await callAnthropic(toolset, "execute", refund);
  expect(disabled.isError).toBe(true);
  const { structuredContent } = await toolset.answer("execute", refund);
  expect(JSON.parse(disabled.text)).toEqual(structuredContent);
  const wrong = await callAnthropic(toolset, "search_tools", { query: 1 });
  expect(JSON.parse(wrong.text)).toMatchObject({ error: "VALIDATION_ERROR", issues: [{ path: "query" }] });
  const unknown = await callAnthropic(toolset, "refund_order", {});
  expect(JSON.parse(unknown.text)).toMatchObject({
    error: "TOOL_NOT_FOUND",
    message: expect.stringContaining('Call any other tool with execute: pass its name as "tool".') as string,
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

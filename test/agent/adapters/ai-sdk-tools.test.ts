/** Tools made for the Vercel AI SDK, under every version of it that they are for. */
import { describe, expect, test } from "vitest";
import { connect } from "../../../generated/example/index.js";
import { toAiSdkTool } from "../../../src/agent/adapters/ai-sdk-tools.js";
import { toAiSdkTools } from "../../../src/agent/index.js";
import type { CallToolsOptions } from "../../../src/agent/adapters/answer-calls.js";
import type { ToolCaller } from "../../../src/core/call.js";
import { fakeTool, READS } from "./fake-tool.js";
import { SDKS, type Turn } from "./run-agent.js";
import { bakeryForEach } from "./start-bakery.js";

const bakery = bakeryForEach();

function generate(client: ToolCaller) {
  const { createPost, deletePost, getPost, listPosts, updatePost } = connect({ client });
  return toAiSdkTools({ createPost, deletePost, getPost, listPosts, updatePost });
}

/** Reads, failures of both kinds, an unknown name, and writes. */
const SCRIPT: readonly Turn[] = [
  [{ id: "1", tool: "list-posts", json: '{"per_page":2,"order_by":"title"}' }],
  [
    { id: "2", tool: "get-post", json: '{"id":1}' },
    { id: "3", tool: "get-post", json: '{"id":99}' },
    { id: "4", tool: "list-posts", json: "" },
  ],
  [{ id: "5", tool: "create-post", json: '{"title":1,"content":"<p>Round.</p>"}' }],
  [{ id: "6", tool: "create-post", json: '{"title":"Rolls","content":' }],
  [{ id: "7", tool: "make-post", json: "{}" }],
  [{ id: "8", tool: "create-post", json: '{"title":"Rolls","content":"<p>Round.</p>","tags":["bread"]}' }],
  "Done.",
];

describe.each(SDKS)("ai $version", ({ version, run }) => {
  test("the SDK reads results, failures, invalid input and unknown names", async () => {
    const { steps, text } = await run(await generate(bakery), SCRIPT);
    const outcomes = steps.flat().filter(({ type }) => type !== "tool-call" && type !== "text");
    const wrongTitle = /Type validation failed[^]*title: Invalid input: expected string/;
    expect(outcomes.map(({ type, toolCallId, error = "" }) => [type, toolCallId, String(error)])).toEqual([
      ["tool-result", "1", ""],
      ["tool-result", "2", ""],
      ["tool-error", "3", 'ToolCallError: Tool "get-post" failed: There is no post 99.'],
      ["tool-result", "4", ""],
      ["tool-error", "5", expect.stringMatching(wrongTitle)],
      ["tool-error", "6", expect.stringContaining("Unexpected end of JSON input")],
      ["tool-error", "7", expect.stringContaining("unavailable tool 'make-post'")],
      ["tool-result", "8", ""],
    ]);
    expect(text).toBe("Done.");
    expect(bakery.called).toEqual(["list-posts", "get-post", "get-post", "list-posts", "create-post"]);
  });

  test("approve is asked instead, under every version, and only for input that is valid", async () => {
    const { deletePost, getPost } = connect({ client: bakery });
    const asked: unknown[] = [];
    const approve: CallToolsOptions["approve"] = ({ tool, input, toolCallId }) => {
      asked.push([tool.name, input, toolCallId]);
      return toolCallId === "yes";
    };
    const tools = await toAiSdkTools({ deletePost, getPost }, { approve });
    const { steps } = await run(tools, [
      [
        { id: "yes", tool: "delete-post", json: '{"id":1}' },
        { id: "no", tool: "delete-post", json: '{"id":2}' },
        { id: "invalid", tool: "delete-post", json: '{"id":"2"}' },
        { id: "read", tool: "get-post", json: '{"id":3}' },
      ],
      "Gone.",
    ]);
    expect(asked).toEqual([
      ["delete-post", { id: 1 }, "yes"],
      ["delete-post", { id: 2 }, "no"],
    ]);
    expect(bakery.called.toSorted()).toEqual(["delete-post", "get-post"]);
    const refused = steps.flat().find(({ type, toolCallId }) => type === "tool-error" && toolCallId === "no");
    expect(refused?.["error"]).toMatchObject({ name: "ToolCallError", code: "TOOL_NOT_ALLOWED" });
  });

  test("a call is aborted with the agent", async () => {
    const controller = new AbortController();
    let given: { aborted: boolean } | undefined;
    const wait = fakeTool("wait", {
      ...READS,
      call: (_input, options) => {
        given = options?.signal;
        controller.abort();
        return Promise.resolve({ ok: true, value: "done" });
      },
    });
    const tools = await toAiSdkTools([wait]);
    const turns: Turn[] = [[{ id: "1", tool: "wait", json: "{}" }], "Done."];
    await run(tools, turns, { signal: controller.signal }).catch(() => undefined);
    expect(given?.aborted).toBe(true);
  });

  test("texts and images of a tool without an output schema reach the model as such", async () => {
    const png = "iVBORw0KGgo=";
    const loaf = { type: "text", text: "A loaf." };
    const image = { type: "image", data: png, mimeType: "image/png" };
    const look = fakeTool("look", {
      ...READS,
      call: (input) => {
        const content = JSON.stringify(input) === "{}" ? [loaf] : [loaf, image];
        return Promise.resolve({ ok: true, value: { text: loaf.text, content, json: () => 1 } });
      },
    });
    const tools = await toAiSdkTools([look]);
    const { steps, told } = await run(tools, [
      [
        { id: "1", tool: "look", json: "{}" },
        { id: "2", tool: "look", json: '{"at":"it"}' },
      ],
      "Done.",
    ]);
    const shown = steps[0]?.find(({ type }) => type === "tool-result");
    expect(shown?.["output"]).toEqual({ text: "A loaf.", content: [loaf] });
    const outputs = told.flatMap((message) => (message as { content: { output: unknown }[] }).content);
    expect(outputs[0]?.output).toEqual({ type: "text", value: "A loaf." });
    const written = {
      5: { type: "media", data: png, mediaType: "image/png" },
      6: { type: "image-data", data: png, mediaType: "image/png" },
      7: { type: "file", data: { type: "data", data: png }, mediaType: "image/png" },
    }[version];
    expect(outputs[1]?.output).toMatchObject({ type: "content", value: [loaf, written] });
  });
});

test("ai 7 calls what its setting `toolApproval` approves, without a person", async () => {
  const tools = await toAiSdkTools({ deletePost: connect({ client: bakery }).deletePost });
  const turns: Turn[] = [[{ id: "1", tool: "delete-post", json: '{"id":1}' }], "Done."];
  const session = { toolApproval: { "delete-post": "approved" } } as never;
  await SDKS.find(({ version }) => version === 7)?.run(tools, turns, { session });
  expect(bakery.called).toEqual(["delete-post"]);
});

test.each([
  ["another call", { toolCallId: "2", approved: true }],
  ["no, said the person", { toolCallId: "1", approved: false }],
])("an approval of %s approves nothing", async (_what, { toolCallId, approved }) => {
  const { deletePost } = connect({ client: bakery });
  const messages = [
    { content: "Delete it." },
    { content: [{ type: "tool-approval-request", approvalId: "a", toolCallId }] },
    { content: [{ type: "tool-approval-response", approvalId: "a", approved }] },
  ];
  const call = toAiSdkTool(deletePost).execute({ id: 1 }, { toolCallId: "1", messages });
  await expect(call).rejects.toMatchObject({ code: "TOOL_NOT_ALLOWED" });
  expect(bakery.called).toEqual([]);
});

test("one tool keeps its types and goes by any name", async () => {
  const { getPost } = connect({ client: bakery, environment: "sandbox" });
  const read = toAiSdkTool(getPost);
  const post = await read.execute({ id: 1 }, { toolCallId: "1" });
  expect(post.title).toBe("Hello world");
  expect(read.description).toBe("[sandbox] Returns one post.");
});

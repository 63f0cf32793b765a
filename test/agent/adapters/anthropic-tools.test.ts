import { expect, test } from "vitest";
import * as z from "zod";
import { connect } from "../../../generated/example/index.js";
import { callAnthropicTools } from "../../../src/agent/adapters/anthropic-tools.js";
import { toAnthropicTools } from "../../../src/agent/index.js";
import { fakeTool } from "./fake-tool.js";
import { bakeryForEach } from "./start-bakery.js";

const bakery = bakeryForEach();

test("tools have their name, their description with the environment, and the schema that the server sent", async () => {
  const { getPost, createPost } = connect({ client: bakery });
  const input_schema = getPost.definition.inputSchema();
  expect(await toAnthropicTools({ getPost }, { environment: "sandbox" })).toEqual([
    { name: "get-post", description: "[sandbox] Returns one post.", input_schema },
  ]);
  const deferLoading = ({ name }: { readonly name: string }): boolean => name === "get-post";
  const tools = await toAnthropicTools({ getPost, createPost }, { deferLoading });
  expect(tools.map((tool) => [tool.name, tool.defer_loading])).toEqual([
    ["get-post", true],
    ["create-post", undefined],
  ]);
  expect((await toAnthropicTools({ getPost }, { deferLoading: true }))[0]?.defer_loading).toBe(true);
});

test("the calls of one message are answered in their order, whatever is wrong with them", async () => {
  const results = await callAnthropicTools(connect({ client: bakery }), [
    { type: "text" },
    call("1", "get-post", { id: 1 }),
    call("2", "get-post", { id: 99 }),
    call("3", "get-post", { id: "one" }),
    call("4", "get-posts", {}),
    call("5", "list-posts", null),
    call("6", "create-post", { title: "Rolls", content: "<p>Round.</p>" }),
    { type: "server_tool_use" },
  ]);
  const answers = results.map(({ tool_use_id: id, is_error, content: [part] }) => ({
    ...{ id, is_error, answer: JSON.parse(part?.type === "text" ? part.text : "") as unknown },
  }));
  const failed = expect.stringContaining("There is no post 99.") as unknown;
  const near = expect.stringContaining('"get-post"') as unknown;
  expect(answers).toMatchObject([
    { id: "1", is_error: undefined, answer: { id: 1, title: "Hello world" } },
    { id: "2", is_error: true, answer: { error: "TOOL_EXECUTION_FAILED", message: failed } },
    { id: "3", is_error: true, answer: { error: "TOOL_INVALID_INPUT", issues: [{ path: "id" }] } },
    { id: "4", is_error: true, answer: { error: "TOOL_NOT_FOUND", message: near } },
    { id: "5", is_error: true, answer: { error: "TOOL_INVALID_INPUT" } },
    { id: "6", is_error: undefined, answer: { id: 4, title: "Rolls" } },
  ]);
  expect(bakery.called).toEqual(["get-post", "get-post", "create-post"]);
});

test("images are images where they can be, and named where they cannot", async () => {
  const content = [
    { type: "text", text: "" },
    { type: "image", data: "AAAA", mimeType: "image/png" },
    { type: "image", data: "AAAA", mimeType: "image/tiff" },
    { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    { type: "resource_link", uri: "file:///bread.txt", name: "bread" },
    { type: "resource", resource: { uri: "file:///bread.txt", text: "Flour." } },
    { type: "resource", resource: { uri: "file:///bread.bin", blob: "AAAA" } },
    { type: "new" },
  ];
  const tool = fakeTool("look", {
    call: () => Promise.resolve({ ok: true, value: { text: "", content, json: () => 1 } }),
  });
  const [result] = await callAnthropicTools([tool], [call("1", "look", {})], { approval: "none" });
  expect(result?.content).toEqual([
    { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
    { type: "text", text: "[image/tiff: cannot be shown]" },
    { type: "text", text: "[audio/wav: cannot be shown]" },
    { type: "text", text: "[bread: file:///bread.txt]" },
    { type: "text", text: "Flour." },
    { type: "text", text: "[file:///bread.bin: cannot be shown]" },
    { type: "text", text: "[new: cannot be shown]" },
  ]);
});

test("a result without anything to say is not empty, and what throws is an answer as well", async () => {
  const empty = fakeTool("empty", { call: () => Promise.resolve({ ok: true, value: "" }) });
  // A name that is shortened for the provider.
  const broken = fakeTool("it.broke", { call: () => Promise.reject(new Error("It broke.")) });
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  const odd = fakeTool("odd", { call: () => Promise.resolve({ ok: true, value: cyclic }) });
  const strict = fakeTool("strict", { input: z.object({}).transform(() => 1) });
  const tools = [broken, odd, strict, empty];
  const names = (await toAnthropicTools(tools)).map(({ name }) => name);
  expect(names[0]).not.toBe("it.broke");
  const calls = [...names, "constructor", "__proto__"].map((name) => call(name, name, {}));
  const results = await callAnthropicTools(tools, calls, { approval: "none" });
  expect(results.map((result) => result.is_error)).toEqual([true, true, undefined, undefined, true, true]);
  expect(results[3]?.content).toEqual([{ type: "text", text: "(no output)" }]);
  expect(JSON.stringify(results[0])).toContain("It broke.");
});

function call(id: string, name: string, input: unknown) {
  return { type: "tool_use", id, name, input };
}

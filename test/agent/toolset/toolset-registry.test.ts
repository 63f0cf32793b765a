/** A toolset over generated tools, whose server answers over the protocol. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { connect } from "../../../generated/example/index.js";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import { createToolset } from "../../../src/agent/toolset/create-toolset.js";
import { type Toolset } from "../../../src/agent/toolset/toolset.js";
import { startBakery, type Bakery } from "../adapters/start-bakery.js";

const image = { type: "image", data: "aGk=", mimeType: "image/png" };

let bakery: Bakery;
let toolset: Toolset;
beforeEach(async () => {
  bakery = await startBakery();
  const client = {
    callTool: async (params: Parameters<Bakery["callTool"]>[0]) => {
      const result = (await bakery.callTool(params)) as { readonly content: readonly object[] };
      return { ...result, content: [...result.content, image] };
    },
  };
  const server = connect({ client });
  const registry = createRegistry({ admitUnlocked: false });
  registry.registerServerTools("bakery", [
    server.createPost,
    server.deletePost,
    server.getPost,
    server.listPosts,
  ]);
  toolset = createToolset(registry, { policy: { writes: true } });
});
afterEach(() => bakery.end());

test("tools of one server have its names, and their whole names are understood", async () => {
  const found = await toolset.answer("search_tools", { query: "show me one post", limit: 2 });
  expect(found.structuredContent).toMatchObject({ tools: [{ server: "bakery" }, {}] });
  const described = await toolset.answer("describe_tools", { tools: ["get-post", "bakery__get-post"] });
  expect(described.structuredContent).toMatchObject({ tools: [{ name: "get-post" }], notFound: [] });
  const executed = await toolset.answer("execute", { tool: "get-post", args: { id: 1 } });
  expect(executed.structuredContent).toMatchObject({
    success: true,
    tool: "get-post",
    result: { title: "Hello world" },
  });
  // The text that repeats structured content is left out; other text is not.
  expect(executed.content.slice(1)).toEqual([image]);
});

test("the server's message of a failure is passed on, and invalid arguments are not sent", async () => {
  const failed = await toolset.answer("execute", { tool: "get-post", args: { id: 99 } });
  expect(failed.structuredContent).toMatchObject({
    error: "TOOL_EXECUTION_FAILED",
    message: expect.stringContaining("There is no post 99.") as string,
    retryable: false,
  });
  const before = bakery.called.length;
  const invalid = await toolset.answer("execute", { tool: "get-post", args: { id: "one" } });
  expect(invalid.structuredContent).toMatchObject({
    error: "VALIDATION_ERROR",
    issues: [{ path: "id" }],
    schema: { properties: { id: { type: "integer" } } },
  });
  expect(bakery.called).toHaveLength(before);
});

/** An input that fits with the defaults that are sent for it is one that will be called, so a person is asked about it. */
import { expect, test } from "vitest";
import * as z from "zod";
import { callAnthropicTools, createRegistry, createToolset } from "../../src/agent/index.js";
import { connectTools, defineTool } from "../../src/codegen.js";
import { defineServer } from "../../src/runtime/tool.js";

const server = defineServer({ name: "shop", contract: "1.0.0", url: "http://127.0.0.1:9" });
const refund = defineTool({
  server,
  name: "refund",
  defaults: "parse",
  input: z.object({ id: z.number().default(7) }).refine((value) => Object.keys(value).length > 0),
  inputSchema: () => ({
    type: "object",
    properties: { id: { type: "integer", default: 7 } },
    minProperties: 1,
  }),
});

function connectShop() {
  const sent: unknown[] = [];
  const client = {
    callTool: (params: object) => {
      sent.push(params);
      return Promise.resolve({ content: [{ type: "text", text: "done" }] });
    },
  };
  return { sent, shop: connectTools(server, { refund }, { client }) };
}

test("a person is asked by an adapter about an input that only warns", async () => {
  const { sent, shop } = connectShop();
  const use = { type: "tool_use", id: "1", name: "refund", input: {} };
  const [refused] = await callAnthropicTools(shop, [use], { approve: () => false });
  expect(refused?.content).toMatchObject([
    { text: expect.stringContaining("The user declined the call.") as string },
  ]);
  expect(sent).toEqual([]);
  const [agreed] = await callAnthropicTools(shop, [use], { approve: () => true });
  expect(agreed?.content).toEqual([{ type: "text", text: "done" }]);
});

test("a person is asked by a toolset about it, which calls the tool then", async () => {
  const { sent, shop } = connectShop();
  const registry = createRegistry();
  registry.registerServerTools("shop", [shop.refund]);
  const asked: unknown[] = [];
  const toolset = createToolset(registry, {
    policy: { writes: true },
    approve: ({ input }) => {
      asked.push(input);
      return true;
    },
  });
  const { structuredContent } = await toolset.answer("execute", { tool: "refund" });
  expect(structuredContent).toMatchObject({ success: true, result: "done" });
  expect(asked).toEqual([{}]);
  expect(sent).toEqual([{ name: "refund", arguments: { id: 7 } }]);
});

/** An input that fits with the defaults that are sent for it is one that will be called, so a person is asked about it. */
import { expect, test } from "vitest";
import * as z from "zod";
import { callAnthropicTools, createToolset } from "../../src/agent/index.js";
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

test("a person is asked about it by an adapter and by a toolset, which call the tool then", async () => {
  const { sent, shop } = connectShop();
  const use = { type: "tool_use", id: "1", name: "refund", input: {} };
  const words = expect.stringContaining("The user declined the call.") as string;
  const [refused] = await callAnthropicTools(shop, [use], { approve: () => false });
  expect(refused?.content).toMatchObject([{ text: words }]);
  expect(sent).toEqual([]);
  const [agreed] = await callAnthropicTools(shop, [use], { approve: () => true });
  expect(agreed?.content).toEqual([{ type: "text", text: "done" }]);
  const asked: unknown[] = [];
  const approve = ({ input }: { readonly input: unknown }): boolean => asked.push(input) > 0;
  const toolset = createToolset([shop.refund], { policy: { writes: true }, approve });
  const { structuredContent } = await toolset.answer("execute", { tool: "refund" });
  expect(structuredContent).toMatchObject({ success: true, result: "done" });
  expect(asked).toEqual([{}]);
  const call = { name: "refund", arguments: { id: 7 } };
  expect(sent).toEqual([call, call]);
});

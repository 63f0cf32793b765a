/** An input that fits with the defaults that are sent for it is one that will be called, so a person is asked about it. */
import { expect, test, vi } from "vitest";
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
  inputSchema: () => ({ properties: { id: { type: "integer", default: 7 } }, minProperties: 1 }),
});

test("a person is asked about it by an adapter and by a toolset, which call the tool then", async () => {
  const callTool = vi.fn(() => Promise.resolve({ content: [{ type: "text", text: "done" }] }));
  const shop = connectTools(server, { refund }, { client: { callTool } });
  const use = { type: "tool_use", id: "1", name: "refund", input: {} };
  const words = expect.stringContaining("The user declined the call.") as string;
  const refused = await callAnthropicTools(shop, [use], { approve: () => false });
  expect(refused).toMatchObject([{ content: [{ text: words }] }]);
  expect(callTool).not.toHaveBeenCalled();
  const agreed = await callAnthropicTools(shop, [use], { approve: () => true });
  expect(agreed).toMatchObject([{ content: [{ text: "done" }] }]);
  const approve = vi.fn(() => true);
  const toolset = createToolset([shop.refund], { policy: { writes: true }, approve });
  const { structuredContent } = await toolset.answer("execute", { tool: "refund" });
  expect(structuredContent).toMatchObject({ success: true, result: "done" });
  expect(approve.mock.calls).toEqual([[expect.objectContaining({ input: {} })]]);
  const sent = [expect.objectContaining({ name: "refund", arguments: { id: 7 } }) as object];
  expect(callTool.mock.calls.map((call: unknown[]) => call.slice(0, 1))).toEqual([sent, sent]);
});

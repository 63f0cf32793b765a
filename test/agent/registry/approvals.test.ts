import { createCodeTools } from "mcp-codegen/agent/code";
import { expect, test } from "vitest";
import * as z from "zod";
import {
  type ApprovalRequest,
  callAnthropicTools,
  callGeminiTools,
  callOpenAiTools,
  createRegistry,
  createToolset,
  defineStaticTool,
  type Registry,
  toAiSdkTools,
  toLangChainTools,
  toMastraTools,
  toOpenAiAgentTools,
  toTanStackTools,
} from "../../../src/agent/index.js";
import { offerDirectly } from "../../../src/serve/offer-directly.js";

const asked: unknown[] = [];
const called: unknown[] = [];
const wipe = defineStaticTool({
  name: "wipe",
  input: z.strictObject({ id: z.number() }),
  annotations: { destructiveHint: true },
  execute: (input) => called.push(input),
});

function openShop(said: unknown): Registry {
  return createRegistry({
    static: [wipe],
    policy: { writes: true },
    // A program without types may return anything.
    approve: ({ tool, input }: ApprovalRequest) => {
      asked.push([tool.name, input]);
      return said as boolean;
    },
  });
}

const input = { id: 1 };
const ofExecute = { tool: "wipe", args: input };
const use = (
  name: string,
  args: unknown,
): { readonly type: "tool_use"; id: string; name: string; input: unknown } => ({
  ...{ type: "tool_use", id: "1" },
  ...{ name, input: args },
});
const call = { toolCallId: "1" };

/** Everything that makes a model's calls. */
const DOORS: Readonly<Record<string, (shop: Registry) => unknown>> = {
  Anthropic: async (shop) => callAnthropicTools(shop, [use("wipe", input)]),
  OpenAI: async (shop) =>
    callOpenAiTools(shop, [{ id: "1", function: { name: "wipe", arguments: JSON.stringify(input) } }]),
  Gemini: async (shop) => callGeminiTools(shop, [{ name: "wipe", args: input }]),
  "the AI SDK": async (shop) => {
    const { wipe: tool } = await toAiSdkTools(shop);
    expect(tool?.needsApproval).toBeUndefined();
    return tool?.execute(input, call).catch(() => undefined);
  },
  "LangChain.js": async (shop) => {
    const [run] = await toLangChainTools(shop, (make) => make);
    return run?.(input);
  },
  Mastra: async (shop) => {
    const { wipe: tool } = await toMastraTools(shop, (fields) => fields);
    expect(tool?.requireApproval).toBe(false);
    return tool?.execute(input);
  },
  "the OpenAI Agents SDK": async (shop) => {
    const [tool] = await toOpenAiAgentTools(shop);
    expect(await tool?.needsApproval(undefined, input)).toBe(false);
    return tool?.invoke(undefined, JSON.stringify(input));
  },
  "TanStack AI": async (shop) => {
    const [tool] = await toTanStackTools(shop);
    expect(tool?.needsApproval).toBe(false);
    return tool?.execute(input);
  },
  "a toolset": (shop) => createToolset(shop).answer("execute", ofExecute),
  "a toolset of an adapter": async (shop) =>
    callAnthropicTools(createToolset(shop), [use("execute", ofExecute)]),
  "a session": async (shop) =>
    callAnthropicTools(createToolset(shop, { show: "found", core: ["wipe"] }), [use("wipe", input)]),
  "a script": (shop) => createCodeTools(shop).run("return await staticTools.wipe({ id: 1 });"),
  "a script of an adapter": async (shop) =>
    callAnthropicTools(createCodeTools(shop), [
      use("run_code", { code: "return await staticTools.wipe({ id: 1 });" }),
    ]),
  serve: (shop) => offerDirectly(shop, { policy: { writes: true } }).answer("wipe", input),
  "another environment": async (shop) => callAnthropicTools(shop.for("default"), [use("wipe", input)]),
  "a part": async (shop) => callAnthropicTools(shop.restrict({ writes: true }), [use("wipe", input)]),
};

test.each(Object.entries(DOORS))("%s asks the person whom the registry names, once", async (_, make) => {
  for (const [said, made] of [
    [true, [input]],
    [false, []],
    ["yes", []],
  ] as const) {
    asked.length = 0;
    called.length = 0;
    await make(openShop(said));
    expect({ asked, called }).toEqual({ asked: [["wipe", input]], called: made });
  }
});

test("the rule of the registry counts where an adapter, a toolset or a script names none", async () => {
  const add = defineStaticTool({
    name: "add",
    input: z.strictObject({}),
    annotations: { destructiveHint: false },
    execute: () => "added",
  });
  const shop = createRegistry({ static: [add], policy: { writes: true }, approval: "writes" });
  const needed = async (source: Registry, options = {}): Promise<unknown> =>
    (await toAiSdkTools(source, options))["add"]?.needsApproval;
  expect(await needed(shop)).toBe(true);
  expect(await needed(shop, { approval: "destructive" })).toBeUndefined();
  const { execute } = await toAiSdkTools(createToolset(shop));
  const asks = execute?.needsApproval;
  expect(typeof asks === "function" && (await asks({ tool: "add", args: {} }))).toBe(true);
  const own = createToolset(shop, { approve: () => false });
  expect((await own.answer("execute", { tool: "add" })).isError).toBe(true);
  const none = createToolset(shop, { approval: "none", approve: () => false });
  expect((await none.answer("execute", { tool: "add" })).isError).toBe(false);
});

test("a call that the policy refuses asks no one, and a person who cannot be asked refuses", async () => {
  asked.length = 0;
  const approve = (): boolean => asked.push("asked") > 0;
  const reading = createRegistry({ static: [wipe], policy: {}, approve });
  const [refused] = await callAnthropicTools(reading, [use("wipe", input)]);
  expect(JSON.stringify(refused)).toContain("WRITES_DISABLED");
  expect(asked).toEqual([]);
  const failing = createRegistry({
    static: [wipe],
    approve: () => {
      throw new Error("No one is here.");
    },
  });
  const [unasked] = await callAnthropicTools(failing, [use("wipe", input)]);
  expect(JSON.stringify(unasked)).toMatch(/TOOL_NOT_ALLOWED.*The user could not be asked: No one is here\./);
});

test("the program's own calls ask no one", async () => {
  asked.length = 0;
  expect(await openShop(false).call("wipe", input)).toMatchObject({ ok: true });
  expect(asked).toEqual([]);
});

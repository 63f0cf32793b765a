import { createCodeTools } from "mcp-codegen/agent/code";
import { expect, test } from "vitest";
import * as z from "zod";
import {
  type ApprovalRequest,
  createRegistry,
  createToolset,
  defineStaticTool,
  type Registry,
  toAiSdkTools,
} from "../../../src/agent/index.js";
import { offerDirectly } from "../../../src/serve/offer-directly.js";
import { callAnthropic } from "../adapters/adapters.js";

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
/** What makes a model's calls, beside the adapters. */
const WAYS: Readonly<Record<string, (shop: Registry) => unknown>> = {
  "a toolset": (shop) => createToolset(shop).answer("execute", ofExecute),
  "a toolset of an adapter": (shop) => callAnthropic(createToolset(shop), "execute", ofExecute),
  "a session": (shop) => callAnthropic(createToolset(shop, { show: "found", core: ["wipe"] }), "wipe", input),
  "a script": (shop) => createCodeTools(shop).run("return await staticTools.wipe({ id: 1 });"),
  "a script of an adapter": (shop) =>
    callAnthropic(createCodeTools(shop), "run_code", { code: "return await staticTools.wipe({ id: 1 });" }),
  serve: (shop) => offerDirectly(shop, { policy: { writes: true } }).answer("wipe", input),
  "another environment": (shop) => callAnthropic(shop.for("default"), "wipe", input),
  "a part": (shop) => callAnthropic(shop.restrict({ writes: true }), "wipe", input),
};

test.each(Object.entries(WAYS))("%s asks the person whom the registry names, once", async (_, make) => {
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
  const annotations = { destructiveHint: false };
  const input = z.strictObject({});
  const add = defineStaticTool({ name: "add", input, annotations, execute: () => "added" });
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
  called.length = 0;
  const approve = (): boolean => asked.push("asked") > 0;
  const reading = createRegistry({ static: [wipe], policy: {}, approve });
  const options = { policy: { writes: true }, approve };
  for (const answer of [
    (await callAnthropic(reading, "wipe", input)).text,
    await createToolset(reading, options).answer("execute", ofExecute),
    await createCodeTools(reading, options).run("await staticTools.wipe({ id: 1 });"),
  ])
    expect(JSON.stringify(answer)).toContain("WRITES_DISABLED");
  expect([asked, called]).toEqual([[], []]);
  const fail = (): never => {
    throw new Error("No one is here");
  };
  const failing = createRegistry({ static: [wipe], approve: fail });
  expect((await callAnthropic(failing, "wipe", input)).text).toMatch(
    /TOOL_NOT_ALLOWED.*The user could not be asked: No one is here\./,
  );
  // The program's own calls ask no one.
  expect(await failing.call("wipe", input)).toMatchObject({ ok: true });
});

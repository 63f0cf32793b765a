/** Which calls need a person's approval, and that they are not made without it. */
import { expect, test } from "vitest";
import { createToolset, type ApprovalRequest, type RegisteredTool } from "../../../src/agent/index.js";
import { type CallToolsOptions } from "../../../src/agent/adapters/answer-calls.js";
import type { Policy } from "../../../src/core/policy.js";
import { callAnthropic } from "./adapters.js";
import { fakeTool, READS } from "./fake-tool.js";

const NONE: Partial<RegisteredTool> = {};
const ADDS = { annotations: { destructiveHint: false } };
const DESTROYS = { annotations: { destructiveHint: true } };
const UNLOCKED = { ...READS, isLocked: false };

/** A tool "wipe", and the inputs that it was called with. */
function open(more: Partial<RegisteredTool>) {
  const called: unknown[] = [];
  const call = (input: unknown): Promise<{ ok: true; value: string }> => {
    called.push(input);
    return Promise.resolve({ ok: true, value: "wiped" });
  };
  return { called, tools: [fakeTool("wipe", { ...more, call })] };
}

const RULES: readonly (readonly [
  tool: Partial<RegisteredTool>,
  approval: CallToolsOptions["approval"],
  reason: string | undefined,
])[] = [
  [NONE, undefined, " because it may destroy data"],
  [DESTROYS, undefined, " because it may destroy data"],
  [UNLOCKED, undefined, " because it is not reviewed"],
  [{ ...UNLOCKED, hasTrustedHints: true }, undefined, undefined],
  [ADDS, undefined, undefined],
  [ADDS, "writes", " because it does more than read"],
  [READS, "writes", undefined],
  [NONE, "none", undefined],
  [READS, () => true, ""],
  // Whatever does not say false.
  [READS, () => undefined as never, ""],
];

test.each(RULES)(
  "a call of the tool %j with the rule %s needs approval:%s",
  async (more, approval, reason) => {
    const { called, tools } = open(more);
    const answer = await callAnthropic(tools, "wipe", {}, { approval });
    expect(called).toEqual(reason === undefined ? [{}] : []);
    if (reason === undefined) return;
    expect(JSON.parse(answer.text)).toEqual({
      error: "TOOL_NOT_ALLOWED",
      message: `The tool "wipe" was not called: it needs approval${reason}, and the program cannot ask for it (option "approve" is missing). Do not call it again; say what you wanted to do.`,
      retryable: false,
    });
    const approve = (): boolean => true;
    expect(await callAnthropic(tools, "wipe", {}, { approval, approve })).toMatchObject({ text: "wiped" });
  },
);

test.each(["no", "yes", 1, {}, undefined, null, false])("only true approves, not %j", async (said) => {
  const { called, tools } = open({});
  const approve: () => never = () => said as never;
  const message = expect.stringContaining("The user declined the call.") as string;
  const declined = { error: "TOOL_NOT_ALLOWED", message };
  const asking = createToolset(tools, { policy: { writes: true }, approve });
  expect(JSON.parse((await callAnthropic(tools, "wipe", {}, { approve })).text)).toMatchObject(declined);
  expect(JSON.parse((await callAnthropic(asking, "execute", { tool: "wipe" })).text)).toMatchObject(declined);
  expect(called).toEqual([]);
});

test.each<[Partial<RegisteredTool>, CallToolsOptions, Policy, boolean]>([
  [READS, {}, {}, true],
  [READS, { approval: "writes" }, {}, true],
  [ADDS, {}, {}, true],
  [ADDS, { approval: "writes" }, {}, false],
  [NONE, {}, {}, false],
  [UNLOCKED, {}, {}, false],
  [NONE, {}, { annotations: { wipe: { readOnlyHint: true } } }, true],
])("`execute` of %j with %j and the policy %j is called: %j", async (more, options, policy, isCalled) => {
  const { called, tools } = open(more);
  const toolset = createToolset(tools, { policy: { writes: true, ...policy } });
  expect((await callAnthropic(toolset, "execute", { tool: "wipe" }, options)).isError).toBe(!isCalled);
  expect(called).toHaveLength(isCalled ? 1 : 0);
});

test("`execute` of a toolset that asks itself is asked about once", async () => {
  const { called, tools } = open({});
  const asked: string[] = [];
  const approve = ({ tool }: ApprovalRequest): boolean => asked.push(tool.name) > 1;
  const asking = createToolset(tools, { policy: { writes: true }, approve });
  const wipe = async (): Promise<unknown> => {
    const other = { approval: () => true, approve: () => asked.push("asked by the adapter") > 0 };
    return JSON.parse((await callAnthropic(asking, "execute", { tool: "wipe" }, other)).text);
  };
  expect(await wipe()).toMatchObject({ error: "TOOL_NOT_ALLOWED", mode: "confirmation" });
  expect(await wipe()).toMatchObject({ success: true });
  expect([asked, called]).toEqual([["wipe", "wipe"], [{}]]);
});

/** Calls that need a person's approval, in a program that has no way to ask for it. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { callOpenAiTools } from "../../../src/agent/index.js";
import { callAnthropicTools } from "../../../src/agent/adapters/anthropic-tools.js";
import { createToolset } from "../../../src/agent/toolset/create-toolset.js";
import { type CallToolsOptions } from "../../../src/agent/adapters/answer-calls.js";
import type { ApprovalRequest } from "../../../src/agent/registry/approval.js";
import type { RegisteredTool } from "../../../src/core/tool.js";
import { fakeTool } from "./fake-tool.js";
import type { Policy } from "../../../src/core/policy.js";

/** What a model was answered to a call, by each helper. */
const HELPERS: {
  readonly [name: string]: (
    source: Parameters<typeof callOpenAiTools>[0],
    call: { readonly name: string; readonly args: object },
    options?: CallToolsOptions,
  ) => Promise<unknown>;
} = {
  callAnthropicTools: async (source, { name, args }, options) => {
    const block = { type: "tool_use", id: "1", name, input: args };
    const [answer] = await callAnthropicTools(source, [block], options);
    const [part] = answer?.content ?? [];
    expect(answer?.is_error).toBe(true);
    const read: unknown = part?.type === "text" ? JSON.parse(part.text) : part;
    return read;
  },
  "callOpenAiTools, Chat Completions": async (source, { name, args }, options) => {
    const call = { id: "1", type: "function", function: { name, arguments: JSON.stringify(args) } };
    const [message] = await callOpenAiTools(source, [call], options);
    const read: unknown = JSON.parse(message?.content ?? "");
    return read;
  },
  "callOpenAiTools, Responses": async (source, { name, args }, options) => {
    const item = { type: "function_call", call_id: "1", name, arguments: JSON.stringify(args) };
    const [answer] = await callOpenAiTools(source, [item], { ...options, api: "responses" });
    const read: unknown = JSON.parse(typeof answer?.output === "string" ? answer.output : "");
    return read;
  },
};

const REFUSAL = {
  error: "TOOL_NOT_ALLOWED",
  message: expect.stringMatching(
    /^The tool "wipe" was not called: it needs approval( because it (may destroy data|is not reviewed|does more than read))?, and the program cannot ask for it \(option "approve" is missing\)\. Do not call it again; say what you wanted to do\.$/,
  ) as string,
  retryable: false,
};

describe.each(Object.entries(HELPERS))("%s", (_name, ask) => {
  const called: unknown[] = [];
  const spy = (more: Partial<RegisteredTool>): RegisteredTool =>
    fakeTool("wipe", {
      ...more,
      call: (input) => {
        called.push(input);
        return Promise.resolve({ ok: false, error: failure });
      },
    });
  const failure = {
    code: "TOOL_EXECUTION_FAILED",
    message: "called",
    retryable: false,
    tool: "",
    server: "",
  } as const;

  test.each<[string, Partial<RegisteredTool>, CallToolsOptions, boolean]>([
    ["a tool without annotations", {}, {}, false],
    ["a destructive tool", { annotations: { destructiveHint: true } }, {}, false],
    ["a tool that is not locked", { isLocked: false, annotations: { readOnlyHint: true } }, {}, false],
    ["a tool that adds", { annotations: { destructiveHint: false } }, {}, true],
    [
      "a tool that adds, under `writes`",
      { annotations: { destructiveHint: false } },
      { approval: "writes" },
      false,
    ],
    [
      "a tool that reads, under `writes`",
      { annotations: { readOnlyHint: true } },
      { approval: "writes" },
      true,
    ],
    ["a destructive tool, under `none`", {}, { approval: "none" }, true],
    [
      "a tool that a function picks",
      { annotations: { readOnlyHint: true } },
      { approval: () => true },
      false,
    ],
  ])("%s", async (_tool, more, options, isCalled) => {
    called.length = 0;
    const answer = await ask([spy(more)], { name: "wipe", args: {} }, options);
    expect(called).toEqual(isCalled ? [{}] : []);
    expect(answer).toMatchObject(isCalled ? { error: "TOOL_EXECUTION_FAILED" } : REFUSAL);
  });

  test.each(["no", "yes", 1, {}, undefined, null, false])("only true approves, not %j", async (said) => {
    called.length = 0;
    const approve: () => never = () => said as never;
    const answer = await ask([spy({})], { name: "wipe", args: {} }, { approve });
    expect(answer).toMatchObject({ error: "TOOL_NOT_ALLOWED" });
    const asking = createToolset([spy({})], { policy: { writes: true }, approve });
    const declined = await ask(asking, { name: "execute", args: { tool: "wipe" } });
    expect(declined).toMatchObject({ error: "TOOL_NOT_ALLOWED", message: "The user declined the call." });
    expect(called).toEqual([]);
  });

  test("a function that does not say false picks a tool", async () => {
    called.length = 0;
    const approval = () => undefined as never;
    const answer = await ask([spy({})], { name: "wipe", args: {} }, { approval });
    expect(answer).toMatchObject(REFUSAL);
    expect(called).toEqual([]);
  });

  test("an input that does not fit is refused as such, without a call", async () => {
    called.length = 0;
    const tool = spy({ input: z.object({ id: z.number() }) });
    const answer = await ask([tool], { name: "wipe", args: { id: "1" } });
    expect(answer).toMatchObject({ error: "TOOL_INVALID_INPUT", issues: [{ path: "id" }] });
    expect(called).toEqual([]);
  });

  test("`execute` of a toolset is judged by the tool that it calls", async () => {
    const reading = spy({ annotations: { readOnlyHint: true } });
    const execute = (tool: string): { readonly name: string; readonly args: object } => ({
      name: "execute",
      args: { tool },
    });
    const write = { writes: true };
    const called_ = async (
      tool: RegisteredTool,
      policy: Policy,
      options?: CallToolsOptions,
    ): Promise<unknown> => {
      called.length = 0;
      const answer = await ask(createToolset([tool], { policy }), execute("wipe"), options);
      expect(answer).toMatchObject(
        called.length > 0 ? { error: "TOOL_EXECUTION_FAILED" } : { error: /NOT_ALLOWED|DISABLED/ },
      );
      return called.length;
    };
    expect(await called_(reading, write)).toBe(1);
    expect(await called_(reading, write, { approval: "writes" })).toBe(1);
    expect(await called_(spy({ annotations: { destructiveHint: false } }), write)).toBe(1);
    expect(
      await called_(spy({ annotations: { destructiveHint: false } }), write, { approval: "writes" }),
    ).toBe(0);
    expect(await called_(spy({}), write)).toBe(0);
    expect(await called_(spy({ isLocked: false, annotations: { readOnlyHint: true } }), write)).toBe(0);
    const annotated = { writes: true, annotations: { wipe: { readOnlyHint: true } } };
    expect(await called_(spy({}), annotated)).toBe(1);
    // The answer to an unknown name is the toolset's, which suggests near ones.
    expect(await ask(createToolset([reading], { policy: write }), execute("wip"))).toMatchObject({
      error: "TOOL_NOT_FOUND",
    });
  });

  test("`execute` of a toolset is refused, unless the toolset asks", async () => {
    called.length = 0;
    const policy = { writes: true };
    const call = { name: "execute", args: { tool: "wipe" } };
    expect(await ask(createToolset([spy({})], { policy }), call)).toMatchObject(REFUSAL);
    const asked: string[] = [];
    const approve = ({ tool }: ApprovalRequest): boolean => asked.push(tool.name) > 1;
    const asking = createToolset([spy({})], { policy, approve });
    expect(await ask(asking, call)).toMatchObject({ error: "TOOL_NOT_ALLOWED", mode: "confirmation" });
    expect(called).toEqual([]);
    expect(await ask(asking, call)).toMatchObject({ error: "TOOL_EXECUTION_FAILED" });
    expect(asked).toEqual(["wipe", "wipe"]);
    expect(called).toEqual([{}]);
  });
});

import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { createChangeTracker } from "../../../src/agent/replay/change-tracker.js";
import { memoryLines } from "../../../src/agent/replay/parse-changes.js";
import { planReplay } from "../../../src/agent/replay/make-plan.js";
import { replay } from "../../../src/agent/replay/run-replay.js";
import { type AgentResult } from "../../../src/agent/replay/agent-result.js";
import { defineStaticTool, toAiSdkTools, createToolset, createRegistry } from "../../../src/agent/index.js";
import { createCodeTools } from "mcp-codegen/agent/code";
import { type Registry } from "../../../src/agent/registry/registry.js";
import { defineServer, type RecordedCall } from "../../../src/runtime/index.js";
import { openView } from "../../../src/agent/registry/tool-view.js";

const bin = fileURLToPath(new URL("../../../bin/mcp-codegen.js", import.meta.url));
const BAKERY = { command: process.execPath, args: [bin, "example-server"] };
/** Nothing of this server is locked. */
const environments = { sandbox: BAKERY, production: BAKERY };
const bakery = defineServer({ name: "bakery", ...BAKERY, environments });

const noteTool = defineStaticTool({ name: "note", input: z.looseObject({}), execute: () => "noted" });

const client = { callTool: () => Promise.resolve({ content: [] }) };

const bakeryIn = (environment: string): Registry => createRegistry({ servers: [bakery], environment });

const callOf = (toolName: string, input: object = {}) => ({ toolCallId: toolName, toolName, input });
const resultOf = (toolCallId: string, output: unknown = "done") => ({
  type: "tool-result",
  toolCallId,
  output,
});

describe("unlocked tools of a registry", () => {
  test("are recorded by every caller of a registry with a tracker, also by a script", async () => {
    const changes = createChangeTracker();
    const policy = { writes: true };
    const registry = createRegistry({ servers: [bakery], environment: "sandbox", changes, policy });
    const post = { title: "Rye", content: "" };
    const code = createCodeTools(registry);
    const script = `for (const title of ["Rye", "Oat"]) await bakery.createPost({ title, content: "" });
      await bakery.listPosts({});`;
    expect(await code.run(script)).toMatchObject({ isError: false });
    const args = { tool: "bakery__create-post", args: post };
    expect((await createToolset(registry).answer("execute", args)).isError).toBe(false);
    await registry.for("production").call("bakery__create-post", post);
    const tools = await toAiSdkTools(registry, { approve: () => true });
    const output = await tools["create-post"]?.execute(post, { toolCallId: "1" });
    registry.registerStaticTool(noteTool);
    await registry.call("note", {});
    expect(changes.changes().map(({ tool, environment, args: of }) => [tool, environment, of])).toEqual([
      ["create-post", "sandbox", post],
      ["create-post", "sandbox", { title: "Oat", content: "" }],
      ["create-post", "sandbox", post],
      ["create-post", "production", post],
      ["create-post", "sandbox", post],
      ["note", "sandbox", {}],
    ]);
    // From the steps of the agent that called it, as the AI SDK hands them over.
    const tracker = createChangeTracker({ tools: registry });
    const toolCalls = ["create-post", "list-posts"].map((name) => callOf(name, post));
    const toolResults = toolCalls.map(({ toolCallId }) => resultOf(toolCallId, output));
    expect(tracker.trackFromAgentResult({ steps: [{ toolCalls, toolResults }] })).toBe(1);
    expect(tracker.changes()).toMatchObject([
      { tool: "create-post", server: "bakery", environment: "sandbox", args: post, result: output },
    ]);
  });

  test("that a script called are not in an agent's result, which is a warning", () => {
    const warnings: string[] = [];
    const onWarning = (message: string): void => void warnings.push(message);
    const source = createCodeTools(bakeryIn("sandbox"), { prefix: "my_" });
    const tracker = createChangeTracker({ tools: source, onWarning });
    const names = ["my_run_code", "my_search_api"];
    const steps = names.map((name) => ({ toolCalls: [callOf(name)], toolResults: [resultOf(name)] }));
    expect(tracker.trackFromAgentResult({ steps })).toBe(0);
    expect(warnings).toEqual([
      'An agent\'s result does not have the calls of scripts, so those of one script are not recorded (tool "my_run_code"). Pass the tracker as "changes" to createRegistry or connect: their tools record their own calls.',
    ]);
  });

  test("are known by names that were shortened for a provider", async () => {
    const registry = createRegistry();
    registry.registerServerTools("odd", [{ name: "posts.create", inputSchema: { type: "object" } }], {
      client,
    });
    const [name = ""] = Object.keys(await toAiSdkTools(registry));
    expect(name).not.toBe("posts.create");
    const tracker = createChangeTracker({ tools: registry });
    tracker.trackFromAgentResult({ steps: [{ toolCalls: [callOf(name)], toolResults: [resultOf(name)] }] });
    expect(tracker.changes()).toMatchObject([{ tool: "posts.create", server: "odd" }]);
  });
});

describe("the tools of a plan", () => {
  const note: RecordedCall = {
    ...{ tool: "note", server: "", args: {}, result: null, at: "2026-01-01T00:00:00.000Z" },
    environment: "sandbox",
  };
  test.each([
    ["a registry", () => createRegistry({ static: [noteTool] })],
    ["a restricted registry", () => openView(createRegistry({ static: [noteTool] })).restrict({ writes: true })], // prettier-ignore
    ["the tools of a registry", () => createRegistry({ static: [noteTool] }).tools],
    ["a list of registries", () => [createRegistry(), createRegistry({ static: [noteTool] })]],
    ["a list of tools", () => [noteTool]],
  ])("may be %s", async (_what, tools) => {
    const plan = await planReplay([note], { environment: "default", tools: tools() });
    expect(plan.conflicts).toEqual([]);
    expect(await replay(plan, { journal: memoryLines() })).toMatchObject({ status: "complete" });
  });

  test("are those of one environment, which the registry has to know", async () => {
    await expect(
      planReplay([note], { environment: "produktion", tools: bakeryIn("sandbox") }),
    ).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
  });

  test("that are missing name pull, or the reason why the server could not be listed", async () => {
    const change = { ...note, server: "bakery", tool: "gone" };
    const away = defineServer({ name: "bakery", url: "http://127.0.0.1:1/mcp" });
    const odd = { ...change, server: "x; rm -rf /" };
    const listed = createRegistry();
    listed.registerServerTools("bakery", [{ name: "bake", inputSchema: { type: "object" } }], { client });
    for (const [made, environment, tools, words] of [
      [
        change,
        "default",
        listed,
        'The target has no tool "gone" of server "bakery". If the server has it, run "npx mcp-codegen pull bakery".',
      ],
      [change, "default", createRegistry({ servers: [away] }), 'The tools of server "bakery" could not be listed'], // prettier-ignore
      [odd, "default", { server: away }, 'run "npx mcp-codegen pull <server>"'],
    ] as const) {
      const message = expect.stringContaining(words) as string;
      const { conflicts } = await planReplay([made], { environment, tools });
      expect(conflicts).toMatchObject([{ kind: "tool-missing", message }]);
    }
  });
});

describe("values that are not what they should be", () => {
  test.each([[null], [{}], ["create-post"], [{ tool: 1 }]])("%j is not a change", async (value) => {
    const changes: readonly RecordedCall[] = untyped([value]);
    const target = { environment: "production", tools: { server: { name: "x" } } };
    const message = expect.stringMatching(/^Change 1 is invalid: /) as string;
    await expect(planReplay(changes, target)).rejects.toMatchObject({ code: "CHANGES_INVALID", message });
  });

  test("a step that is null has no calls, and keeps its number", () => {
    const tracker = createChangeTracker();
    const call = { toolCallId: "a", toolName: "site__note", input: {} };
    const steps: AgentResult["steps"] = untyped([
      null,
      { toolCalls: null, toolResults: null, content: null, response: null },
      { toolCalls: [null, call], toolResults: [null, { type: "tool-result", toolCallId: "a", output: 1 }] },
    ]);
    expect(tracker.trackFromAgentResult({ steps })).toBe(1);
    expect(tracker.changes()).toMatchObject([{ tool: "note", server: "site", step: 2 }]);
  });
});

/** A value as a program without types passes it. */
function untyped(value: unknown): never {
  return JSON.parse(JSON.stringify(value)) as never;
}

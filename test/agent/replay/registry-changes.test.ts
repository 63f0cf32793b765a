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
import { fixtureCommand } from "../../servers/start-fixture.js";
import { openView } from "../../../src/agent/registry/tool-view.js";

const bin = fileURLToPath(new URL("../../../bin/mcp-codegen.js", import.meta.url));
const BAKERY = { command: process.execPath, args: [bin, "example-server"] };
/** Nothing of this server is locked. */
const environments = { sandbox: BAKERY, production: BAKERY };
const bakery = defineServer({ name: "bakery", ...BAKERY, environments });

const noteTool = defineStaticTool({ name: "note", input: z.looseObject({}), execute: () => "noted" });

const bakeryIn = (environment: string): Registry => createRegistry({ servers: [bakery], environment });

/** The steps of an agent that calls these tools, as the AI SDK hands them over. */
async function runAgent(
  registry: Registry,
  calls: readonly (readonly [name: string, input: object])[],
): Promise<AgentResult> {
  const tools = await toAiSdkTools(registry, { approve: () => true });
  const steps = [];
  for (const [index, [toolName, input]] of calls.entries()) {
    const toolCallId = String(index);
    const output = await tools[toolName]?.execute(input, { toolCallId });
    steps.push({
      toolCalls: [{ type: "tool-call", toolCallId, toolName, input }],
      toolResults: [{ type: "tool-result", toolCallId, toolName, output }],
    });
  }
  return { steps };
}

describe("unlocked tools of a registry", () => {
  test("are recorded from an agent's steps and replayed in another environment", async () => {
    const sandbox = bakeryIn("sandbox");
    const result = await runAgent(sandbox, [
      ["list-posts", {}],
      ["create-post", { title: "Rye", content: "" }],
      ["update-post", { id: 4, status: "publish" }],
    ]);
    const tracker = createChangeTracker({ tools: sandbox });
    expect(tracker.trackFromAgentResult(result)).toBe(2);
    expect(tracker.changes()).toMatchObject([
      { tool: "create-post", server: "bakery", environment: "sandbox", step: 1, result: { id: 4 } },
      { tool: "update-post", server: "bakery", environment: "sandbox", step: 2 },
    ]);
    const plan = await planReplay(tracker.changes(), {
      environment: "production",
      tools: createRegistry({ servers: [bakery], admitUnlocked: true }),
    });
    expect(plan).toMatchObject({ isReady: true, conflicts: [] });
    expect(plan.steps[1]?.references).toMatchObject([{ path: ["id"], from: 1, how: "inferred" }]);
    const report = await replay(plan, { journal: memoryLines() });
    expect(report).toMatchObject({ status: "complete", steps: [{ state: "done" }, { state: "done" }] });
  });

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
    await runAgent(registry, [["create-post", post]]);
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
  });

  test("that a script called are not in an agent's result, which is a warning", () => {
    const warnings: string[] = [];
    const onWarning = (message: string): void => void warnings.push(message);
    const source = createCodeTools(bakeryIn("sandbox"), { prefix: "my_" });
    const tracker = createChangeTracker({ tools: source, onWarning });
    const call = (toolName: string) => ({
      toolCalls: [{ toolCallId: toolName, toolName, input: { code: "" } }],
      toolResults: [{ toolCallId: toolName, toolName, output: "done" }],
    });
    expect(tracker.trackFromAgentResult({ steps: [call("my_run_code"), call("my_search_api")] })).toBe(0);
    expect(warnings).toEqual([
      'An agent\'s result does not have the calls of scripts, so those of one script are not recorded (tool "my_run_code"). Pass the tracker as "changes" to createRegistry or connect: their tools record their own calls.',
    ]);
  });

  test("are known by names that were shortened for a provider", async () => {
    const server = defineServer({ name: "odd", ...fixtureCommand("hostile-names") });
    const registry = createRegistry({ servers: [server] });
    const offered = Object.keys(await toAiSdkTools(registry));
    const renamed = offered.filter((name) => registry.tools.every((tool) => tool.name !== name));
    expect(renamed.length).toBeGreaterThan(0);
    const tracker = createChangeTracker({ tools: registry });
    const steps = renamed.map((toolName) => ({
      toolCalls: [{ toolCallId: toolName, toolName, input: {} }],
      toolResults: [{ type: "tool-result", toolCallId: toolName, output: "done" }],
    }));
    tracker.trackFromAgentResult({ steps });
    const own = new Set(registry.tools.map(({ name }) => name.replace("odd__", "")));
    expect(tracker.changes().filter(({ tool }) => !own.has(tool))).toEqual([]);
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
    for (const [made, environment, tools, words] of [
      [
        change,
        "production",
        bakeryIn("sandbox"),
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

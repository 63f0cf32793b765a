/** A promise in place of tools, servers, calls, changes or code is refused in one line, which says to write "await". */
import { expect, test } from "vitest";
import * as agent from "../../src/agent/index.js";
import * as node from "../../src/agent/modules/index.js";
import * as replay from "../../src/agent/replay/index.js";
import { createCodeTools } from "../../src/code-mode/index.js";
import { McpCodegenError } from "../../src/core/errors.js";
import { connectTools } from "../../src/codegen.js";
import * as runtime from "../../src/runtime/index.js";
import * as serve from "../../src/serve/index.js";
import * as testing from "../../src/testing/index.js";
import * as example from "../../generated/example/index.js";

const promise = Promise.resolve({}) as never;
const note = agent.defineStaticTool({ name: "note", inputSchema: { type: "object" }, execute: () => ({}) });
const registry = agent.createRegistry({ static: [note] });
const session = agent.createToolset(registry, { show: "found" });
const tracker = replay.createChangeTracker();
// Whatever they return.
const registering: {
  registerStaticTool(tool: never): unknown;
  registerServerTools(server: string, tools: readonly never[]): unknown;
} = registry;
const tracking: { track(change: never): unknown } = tracker;
const code = createCodeTools(registry);
const token = false;
const target = { environment: "production", tools: example };

/** What the functions take beside the promise. */
const REST: Readonly<Record<string, unknown>> = {
  toLangChainTools: () => undefined,
  toMastraTools: () => undefined,
  serveHttp: { port: 0, token },
  createServeHandler: { token },
  serveStdio: {},
};
const FUNCTIONS = Object.entries({ ...runtime, ...agent, ...node, ...replay, ...serve, ...testing }).flatMap(
  ([name, made]: readonly [string, unknown]) =>
    typeof made === "function" && !/Error$|^(?:watchTools|memoryLines)$/.test(name)
      ? [[name, () => Reflect.apply(made, undefined, [promise, REST[name]]) as unknown] as const]
      : [],
);

const CALLS: readonly (readonly [what: string, call: () => unknown])[] = [
  ["createRegistry servers", () => agent.createRegistry({ servers: [promise] })],
  ["createRegistry static", () => agent.createRegistry({ static: [promise] })],
  ["createToolset options", () => agent.createToolset(registry, promise)],
  ["createToolSearch tools", () => agent.createToolSearch([promise])],
  ["toAiSdkTools list", () => agent.toAiSdkTools([note, promise])],
  ["toAiSdkTools object", () => agent.toAiSdkTools({ note, other: promise })],
  ["callAnthropicTools", () => agent.callAnthropicTools(registry, promise)],
  ["callAnthropicTools block", () => agent.callAnthropicTools(registry, [promise])],
  ["callOpenAiTools", () => agent.callOpenAiTools(registry, promise)],
  ["callGeminiTools", () => agent.callGeminiTools(registry, promise)],
  ["toLangChainTools tool", () => agent.toLangChainTools(registry, promise)],
  ["registerStaticTool", () => registering.registerStaticTool(promise)],
  ["registerServerTools", () => registering.registerServerTools("shop", promise)],
  ["registerServerTools list", () => registering.registerServerTools("shop", [promise])],
  ["registry.getTool", () => registry.getTool(promise)],
  ["registry.getTools", () => registry.getTools(promise)],
  ["registry.restrict", () => registry.restrict(promise)],
  ["registry.onChange", () => registry.onChange(promise)],
  ["session.search", () => session.search(promise)],
  ["createCodeTools", () => createCodeTools(promise)],
  ["code.check", () => code.check(promise)],
  ["code.run", () => code.run(promise)],
  ["createChangeTracker store", () => replay.createChangeTracker({ store: promise })],
  ["createChangeTracker tools", () => replay.createChangeTracker({ tools: promise })],
  ["tracker.track", () => tracking.track(promise)],
  ["tracker.with", () => tracker.with(promise)],
  ["tracker.trackFromAgentResult", () => tracker.trackFromAgentResult(promise)],
  ["planReplay changes", () => replay.planReplay([promise], target)],
  ["planReplay tools", () => replay.planReplay([], { environment: "production", tools: promise })],
  ["planReplay tools list", () => replay.planReplay([], { environment: "production", tools: [promise] })],
  ["replay journal", async () => replay.replay(await replay.planReplay([], target), { journal: promise })],
  ["connectTools server", () => connectTools(promise, {})],
  ["connectTools tools", () => connectTools(example.server, promise)],
  ["connectTools tool", () => connectTools(example.server, { add: promise })],
  ["connect", () => example.connect(promise)],
  ["connect client", () => example.connect({ client: promise })],
  ["mockServer handlers", () => testing.mockServer(example, promise)],
];

test.each([...FUNCTIONS, ...CALLS])("%s", async (_what, call) => {
  let outcome: unknown;
  try {
    outcome = await call();
  } catch (error) {
    outcome = error instanceof McpCodegenError ? `${error.message} ${error.hint ?? ""}` : error;
  }
  expect(outcome instanceof Error ? String(outcome) : JSON.stringify(outcome)).toMatch(
    /promise.*[Ww]rite \\*"await\\*" before it/,
  );
});

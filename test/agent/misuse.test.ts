/** What programs without types get wrong is refused or warned about, since an agent would otherwise do more or less than it may. */
import { expect, test } from "vitest";
import * as z from "zod";
import {
  callAnthropicTools,
  callGeminiTools,
  callOpenAiTools,
  createRegistry,
  createToolSearch,
  createToolset,
  defineStaticTool,
  toAiSdkTools,
} from "../../src/agent/index.js";
import type { RegistryOptions } from "../../src/agent/registry/registry.js";
import { createDiscoveryHandler, createServeHandler, serveHttp } from "../../src/serve/index.js";
import { connectTools } from "../../src/codegen.js";
import { lockedTool } from "./registry/fake-server.js";
import { defineServer, McpCodegenError } from "../../src/runtime/index.js";

let written = 0;
const shop = defineServer({ name: "shop", contract: "1.0.0" });
const client = {
  callTool: () => {
    written += 1;
    return Promise.resolve({ content: [], structuredContent: {} });
  },
};
const add = lockedTool(shop, "add");
const note = defineStaticTool({
  name: "note",
  inputSchema: { type: "object" },
  execute: () => {
    written += 1;
    return {};
  },
});
const openShop = (options: RegistryOptions = {}) =>
  createRegistry({ servers: [connectTools(shop, { add }, { client })], static: [note], ...options });

test.each([null, 1n, Symbol("x"), 0, {}] as never[])("%s in place of a name is explained", async (value) => {
  expect(await createToolset(openShop()).answer(value, {})).toMatchObject({
    isError: true,
    structuredContent: { error: "TOOL_NOT_FOUND" },
  });
  const registry = openShop();
  for (const method of ["for", "invalidate", "removeServerTools", "isStale", "refresh"] as const)
    await expect(Promise.resolve().then((): unknown => registry[method](value))).rejects.toBeInstanceOf(
      McpCodegenError,
    );
});

test("null in place of options, and what does not call tools, are refused", async () => {
  const answer = await createToolset(openShop()).answer("introspect", {}, null as never);
  expect(answer).toMatchObject({ isError: true, structuredContent: { error: "VALIDATION_ERROR" } });
  for (const options of [null, { clint: client }] as never[])
    expect(() => {
      openShop().registerServerTools("shop", [add], options);
    }).toThrow(McpCodegenError);
});

test("a misspelt option of a call makes no call", async () => {
  written = 0;
  const toolset = createToolset(openShop(), { policy: { writes: true } });
  for (const options of [{ role: "guest" }, { roles: "guest" }, { timeot: 1 }] as never[])
    expect(await toolset.answer("execute", { tool: "add" }, options)).toMatchObject({ isError: true });
  const timeouts = ["1s", Infinity, 0].map((timeout) => ({ timeout }));
  for (const options of [
    { timeot: 1 },
    ...timeouts,
    { retry: 1.5 },
    { changes: {} },
    { client: {} },
  ] as never[]) {
    for (const name of ["add", "note"]) {
      const words = `^The options of tool "${name}": (?:unknown option|invalid) .*\\. (?:Did|Use)`;
      const error = { code: "TOOL_INVALID_INPUT", message: expect.stringMatching(words) as string };
      expect(await openShop().call(name, {}, options)).toMatchObject({ ok: false, error });
    }
  }
  expect(written).toBe(0);
  await expect(openShop().getTools({ servr: "shop" } as never)).rejects.toMatchObject({ code: "USAGE" });
  const tools = createToolSearch([note.definition]);
  await expect(tools.search("note", { limt: 1 } as never)).rejects.toThrow('search: unknown option "limt".');
  await expect(tools.search("note", { limit: 1.5 })).rejects.toThrow("search: invalid limit: 1.5.");
  await expect(tools.search(undefined as never)).rejects.toThrow("search: invalid query: undefined.");
  const signal = new AbortController() as never;
  expect(await note.safe({}, { signal })).toMatchObject({ ok: false, error: { code: "TOOL_INVALID_INPUT" } });
  expect(await openShop().call("shop__add", {}, { signal })).toMatchObject({ ok: false });
  expect(() => {
    openShop().registerServerTools("other", Promise.resolve([]) as never);
  }).toThrow("registerServerTools: invalid tools: a promise.");
  expect(written).toBe(0);
});

test("a call that would be recorded nowhere, and a server with two endpoints, are refused", async () => {
  const result = await openShop().call("shop__add", {}, { mode: "new" });
  expect(result.ok ? "" : result.error.message).toMatch(
    /^"mode" is set without "record" and "replay"\. Name the folder/,
  );
  expect(await openShop().call("shop__add", {}, { mode: "new", replay: "" })).toMatchObject({ ok: true });
  const both = { url: "https://shop.example/mcp", command: "shop" };
  for (const [settings, place] of [
    [both, ""],
    [{ environments: { test: both } }, "environments.test: "],
  ] as const)
    expect(() => defineServer({ name: "shop", ...settings })).toThrow(
      `defineServer: ${place}"url" and "command" are both set.`,
    );
});

test.each([
  ["", "is empty"],
  ["secret", "is too short to be safe"],
])("the token %j is refused at every door", async (token, problem) => {
  const message = `The bearer token ${problem}.`;
  const toolset = createToolset(openShop());
  await expect(serveHttp(toolset, { port: 0, token })).rejects.toThrow(message);
  await expect(createServeHandler(toolset, { token, hosts: [] })).rejects.toThrow(message);
  expect(() => createDiscoveryHandler(openShop(), { token })).toThrow(message);
});

test("a shape in place of a schema, and a call without a name, are refused", async () => {
  const shape = { name: "note", input: { text: z.string() } } as never;
  expect(() => defineStaticTool(shape)).toThrow("defineStaticTool: invalid input: an object.");
  const calls = [{ type: "text", text: "Hello" }] as never;
  const message = "callGeminiTools: response.functionCalls[0] has no name.";
  await expect(callGeminiTools(note, calls)).rejects.toMatchObject({ message });
});

test.each([
  ["a forgotten await", Promise.resolve({}), 'a promise cannot be sent: write "await" before it'],
  ["a Map", new Map([["a", 1]]), "a value of Map cannot be sent"],
  ["one inside", { items: new Set([1]) }, "a value of Set cannot be sent"],
  ["bytes", { file: new Uint8Array(3) }, "a value of Uint8Array cannot be sent"],
  ["an error", { reason: new Error("x") }, "a value of Error cannot be sent"],
])("%s as input is refused, since it would be sent as an empty object", async (_, input, problem) => {
  written = 0;
  const result = await openShop().call("shop__add", input);
  expect(result).toMatchObject({ ok: false, error: { code: "TOOL_INVALID_INPUT" } });
  expect(JSON.stringify(result)).toContain(JSON.stringify(problem).slice(1, -1));
  expect(await note.safe(Promise.resolve({}) as never)).toMatchObject({ ok: false });
  expect(written).toBe(0);
});

test("names in the policy and the settings of a registry that nothing has are warnings, each once", async () => {
  const warnings: string[] = [];
  const registry = openShop({
    policy: {
      writes: { shopp: true, static: true },
      roles: { guest: { deny: [{ names: ["shop__ad", "no*"], categories: ["contnt"] }] } },
      role: "guest",
      annotations: { "shop__ad*": { readOnlyHint: true }, "lst_*": { readOnlyHint: true } },
    },
    enabled: { sho: false, elsewhere: true },
    onWarning: (message) => void warnings.push(message),
  });
  for (let times = 0; times < 2; times++) await registry.getTools();
  await registry.restrict("guest").getTools();
  expect(warnings).toEqual([
    'createRegistry: enabled names "sho", but the registry has no such server. Did you mean "shop"?',
    'No server is called "shopp", which "writes" names.',
    'No tool matches "shop__ad", which role "guest" denies.',
    'No category of a tool matches "contnt", which role "guest" denies.',
    'No tool matches "lst_*", which "annotations" names.',
  ]);
});

const ANTHROPIC = "callAnthropicTools(source, message.content)";
const CHAT = "callOpenAiTools(source, message.tool_calls)";
const RESPONSES = 'callOpenAiTools(source, response.output, { api: "responses" })';
const GEMINI = "callGeminiTools(source, response.functionCalls)";
const CALLERS = {
  [ANTHROPIC]: (calls: never) => callAnthropicTools(openShop(), calls),
  [CHAT]: (calls: never) => callOpenAiTools(openShop(), calls),
  [RESPONSES]: (calls: never) => callOpenAiTools(openShop(), calls, { api: "responses" }),
  [GEMINI]: (calls: never) => callGeminiTools(openShop(), calls),
};
const named = { id: "1", name: "note" };
const json = { name: "note", arguments: "{}" };
const sdkCall = { type: "tool-call", toolCallId: "1", toolName: "note", input: {} };
const FORMS: readonly (readonly [words: string, use: string, call: object])[] = [
  ["a call of Anthropic", ANTHROPIC, { type: "tool_use", ...named, input: {} }],
  ["a call of OpenAI's Chat Completions", CHAT, { id: "1", type: "function", function: json }],
  ["a call of OpenAI's Responses", RESPONSES, { type: "function_call", call_id: "1", ...json }],
  ["a call of Gemini", GEMINI, { name: "note", args: {} }],
  ["a part of Gemini's content", GEMINI, { functionCall: { name: "note", args: {} } }],
  ["a part of Gemini's content", GEMINI, { text: "I will note it." }],
  ["a call of the AI SDK", "toAiSdkTools(source)", sdkCall],
  ["a call of LangChain.js", "toLangChainTools(source, tool)", { type: "tool_call", ...named, args: {} }],
];
const PAIRS = Object.entries(CALLERS).flatMap(([name, run]) =>
  FORMS.map(([words, use, call]) => ({ name, run, words, use, call })),
);

test.each(PAIRS)("$name with $words: $call", async ({ name, run, words, use, call }) => {
  written = 0;
  if (use === name && words.startsWith("a call")) {
    expect(await run([call] as never)).toHaveLength(1);
    return;
  }
  const message = expect.stringContaining(`[0] is ${words}.`) as string;
  await expect(run([call] as never)).rejects.toMatchObject({ code: "USAGE", message, hint: `Use ${use}.` });
  expect(written).toBe(0);
});

test.each(Object.entries(CALLERS))("%s refuses messages, whose calls it would not find", async (_, run) => {
  const calls = [{ role: "assistant", tool_calls: [{ id: "1", function: json }] }];
  await expect(run(calls as never)).rejects.toThrow(/\[0\] is a message\.$/);
});

test("a registry takes the names that models may call, in every view of it", async () => {
  const open = { writes: true };
  const views = [openShop(), openShop({ policy: open }), openShop().restrict(open)];
  for (const view of views)
    for (const name of ["add", "shop__add", "note"])
      expect(await view.call(name, {}), name).toMatchObject({ ok: true });
  const other = defineServer({ name: "bar", contract: "1.0.0" });
  const bar = lockedTool(other, "add");
  const both = createRegistry({
    servers: [connectTools(shop, { add }, { client }), connectTools(other, { bar }, { client })],
  });
  const code = "TOOL_NOT_FOUND";
  const several = 'Several tools are called "add". Use one of: "shop__add", "bar__add".';
  expect(await both.call("add", {})).toMatchObject({ error: { code, message: several } });
  const reading = openShop({ policy: {} });
  expect(await reading.call("add", {})).toMatchObject({ error: { code: "WRITES_DISABLED" } });
});

test("a list of a registry's tools keeps its approvals, and refuses another environment", async () => {
  const asked: string[] = [];
  const url = "https://shop.example/mcp";
  const remote = defineServer({ ...shop, environments: { sandbox: { url }, live: { url } } });
  const wipe = defineStaticTool({ name: "wipe", inputSchema: { type: "object" }, execute: () => ({}) });
  const registry = createRegistry({
    servers: [lockedTool(remote, "add")],
    static: [wipe],
    environment: "sandbox",
    approve: ({ name }) => asked.push(name) === 0,
    onWarning: () => undefined,
  });
  const call = { type: "tool_use", id: "1", name: "wipe", input: {} };
  const lists = [
    await registry.getTools(),
    (await registry.getTools()).map((tool) => ({ ...tool, description: "Wipes." })),
    await registry.restrict({ writes: true }).getTools(),
  ];
  for (const list of lists) {
    await callAnthropicTools(list, [call]);
    await createToolset(list, { policy: { writes: true } }).answer("execute", { tool: "wipe" });
    await expect(toAiSdkTools(list, { environment: "live" })).rejects.toMatchObject({
      message: 'Tools for models: the tools are of the environment "sandbox", not "live".',
      hint: "Pass the registry or the toolset, not a list of its tools.",
    });
    await toAiSdkTools(list, { environment: "sandbox" });
  }
  expect(asked).toEqual(["wipe", "wipe", "wipe", "wipe", "wipe", "wipe"]);
  const metaTools = await createToolset(registry, { approval: "none" }).getTools();
  await expect(toAiSdkTools(metaTools, { environment: "live" })).rejects.toMatchObject({ code: "USAGE" });
  const mixed = [...(await registry.getTools()), ...(await openShop({ approval: "none" }).getTools())];
  await expect(toAiSdkTools(mixed)).rejects.toThrow("the tools are of registries with different approvals.");
});

test("a request of node:http is refused with how to adapt it", async () => {
  const request = { method: "POST", url: "/mcp", headers: { host: "localhost" } } as never;
  const discover = createDiscoveryHandler(openShop(), { token: false });
  await expect(discover(request)).rejects.toMatchObject({
    message: "createDiscoveryHandler: invalid request: an object.",
    hint: "Use a Request. For node:http, write createServer(nodeListener(handler)).",
  });
  const serve = await createServeHandler(openShop(), { token: false });
  const hint = "Use a Request. For node:http, write createServer(nodeListener(handler)), or use serveHttp.";
  await expect(serve(request)).rejects.toMatchObject({ code: "USAGE", hint });
  const ofListener = { method: "POST", url: "/mcp", headers: { get: () => "localhost" } } as never;
  await expect(serve(ofListener)).rejects.toMatchObject({ code: "USAGE", hint });
  await serve.close();
});

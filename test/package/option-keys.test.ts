/** Every public function that takes options refuses keys and values that TypeScript would refuse. */
import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { PassThrough } from "node:stream";
import * as agent from "../../src/agent/index.js";
import * as node from "../../src/agent/modules/index.js";
import * as replay from "../../src/agent/replay/index.js";
import { connectTools } from "../../src/codegen.js";
import * as runtime from "../../src/runtime/index.js";
import * as serve from "../../src/serve/index.js";
import * as testing from "../../src/testing/index.js";
import * as example from "../../generated/example/index.js";
import { McpCodegenError } from "../../src/core/errors.js";
import { createCodeTools } from "../../src/code-mode/index.js";

interface Row {
  readonly name: string;
  /** Options that the function takes. */
  readonly good?: object;
  /** Wrong values by option, besides those that are wrong for all. */
  readonly wrong?: { readonly [option: string]: readonly unknown[] };
  readonly call: (options: never) => unknown;
}

const tool = agent.defineStaticTool({
  name: "note",
  annotations: { readOnlyHint: true },
  input: { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } },
  inputSchema: () => ({ type: "object" }),
  execute: () => "noted",
});
const registry = agent.createRegistry({ static: [tool] });
const toolset = agent.createToolset(registry);
const session = agent.createToolset(registry, { show: "found" });
const approvals = {
  approval: ["destroys", "", true, 1, {}],
  approve: [true, "yes", 1],
  environment: [1, {}, []],
};
const raw = { layers: undefined, deny: [{ names: ["*"] }] };
const stream = { stdin: new PassThrough(), stdout: new PassThrough() };
const journal = replay.memoryLines();
const target = { environment: "production", tools: example };
const plan = await replay.planReplay([], target);
const project = { cwd: "/nowhere", variables: {} };
const connectOptions = {
  environment: [1, {}],
  mode: ["never", true],
  output: ["strikt", false],
  timeout: ["60s", -1, NaN],
  retry: [true, "2", -1],
  auth: ["Bearer x", { berer: "x" }, { bearer: 1 }, { basic: { user: "a", password: "b" } }, { type: "oauth2" }], // prettier-ignore
  headers: ["x", [], { "x-site": 1 }, new Headers({ "x-site": "a" })],
  logArguments: ["no", 1],
  onInput: [true],
  changes: ["changes.jsonl"],
};

/** The options were taken. */
function withoutLock(error: unknown): void {
  if (!(error instanceof McpCodegenError) || error.code !== "LOCK_NOT_FOUND") throw error;
}

const ROWS: readonly Row[] = [
  {
    name: "runtime defineServer",
    good: { name: "shop" },
    wrong: {
      name: [undefined, 1],
      url: [1, new URL("https://shop.example/mcp")],
      args: ["run"],
      transport: ["stdio"],
      auth: [...connectOptions.auth, () => "token"],
      headers: connectOptions.headers,
      environments: [[], { sandbox: { ulr: "https://shop.example/mcp" } }, { sandbox: "https://shop.example/mcp" }], // prettier-ignore
      variants: [{ admin: { hedaers: {} } }],
      timeouts: [60, { call: "60s" }, { cal: 1 }],
      trust: [{ newTool: true }, true],
      output: ["strikt"],
    },
    call: (o) => runtime.defineServer(o),
  },
  { name: "connectTools", wrong: connectOptions, call: (o) => connectTools(example.server, {}, o) },
  { name: "a generated connect", wrong: connectOptions, call: (o) => example.connect(o) },
  {
    name: "a policy",
    wrong: {
      focusMode: [1, {}],
      role: [[1], null],
      writes: ["false", 1, { shop: "no" }, []],
      roles: [
        [],
        "viewer",
        { viewer: "deny" },
        { viewer: null },
        { viewer: { denny: [] } },
        { viewer: { deny: {} } },
        { viewer: { deny: [{}] } },
        { viewer: { deny: ["delete_all"] } },
        { viewer: { deny: [null] } },
        { viewer: { allow: [{ name: ["a"] }] } },
        { viewer: { allow: [{ categories: undefined }] } },
        { viewer: { allow: [{ categories: "content" }] } },
        { viewer: { allow: [{ names: [undefined] }] } },
        { viewer: { deny: [{ effects: ["destroy"] }] } },
        { viewer: { deny: [{ effects: "destroys" }] } },
      ],
      focusModes: [{ mine: { allow: [{ effect: ["reads"] }] } }, { mine: { allow: "all" } }],
      annotations: [{ "*": { readonlyHint: true } }, { "*": { readOnlyHint: "false" } }, { "*": true }, []],
    },
    call: (o) => agent.createToolset(registry, { policy: o }),
  },
  {
    name: "agent createRegistry",
    wrong: {
      servers: [example, "shop"],
      static: [tool],
      admitUnlocked: ["no", 1],
      enabled: [["shop"], { shop: "no" }],
      ttl: ["5m", -1],
      categories: [{ "a*": 1 }],
      mode: ["always"],
    },
    call: (o) => agent.createRegistry(o),
  },
  {
    name: "agent jsonSchemaToZod",
    wrong: { dialect: ["draft7"], formats: [true], defaults: ["send"] },
    call: (o) => agent.jsonSchemaToZod({ type: "object" }, o),
  },
  {
    name: "agent createToolset",
    wrong: {
      policy: [raw, "read-only"],
      prefix: [1],
      approval: ["all"],
      approve: [true],
      maxResult: ["x", NaN],
    },
    call: (o) => agent.createToolset(registry, o),
  },
  {
    name: "agent createToolset of found tools",
    wrong: { policy: [raw], core: ["*", [1]], found: ["a"], limit: ["5", 0, 1.5], maxActive: ["20", -1] },
    good: { show: "found" },
    call: (o) => agent.createToolset(registry, o),
  },
  { name: "agent createToolSearch", wrong: { embedder: ["model", true] }, call: (o) => agent.createToolSearch([], o) }, // prettier-ignore
  {
    name: "serve createDiscoveryHandler",
    good: { token: false },
    wrong: { token: [true, null, 0, ""] },
    call: (o) => serve.createDiscoveryHandler(registry, o),
  },
  {
    name: "agent defineStaticTool",
    good: { name: "a", inputSchema: { type: "object" } },
    wrong: {
      name: [undefined, 1],
      inputSchema: ["object", null],
      execute: ["run"],
      input: ["string"],
      annotations: [true, { readOnlyHnt: true }, { readOnlyHint: "true" }],
    },
    call: (o) => agent.defineStaticTool(o),
  },
  { name: "agent toAiSdkTool", wrong: approvals, call: (o) => agent.toAiSdkTool(tool, o) },
  { name: "agent toAiSdkTools", wrong: { ...approvals, deferLoading: [() => true] }, call: (o) => agent.toAiSdkTools([], o) }, // prettier-ignore
  { name: "agent toAiSdkRun", wrong: approvals, call: (o) => agent.toAiSdkRun(session, o) },
  { name: "agent toAnthropicTools", wrong: { deferLoading: ["yes"] }, call: (o) => agent.toAnthropicTools([], o) }, // prettier-ignore
  { name: "agent callAnthropicTools", wrong: approvals, call: (o) => agent.callAnthropicTools([], [], o) },
  { name: "agent toOpenAiTools", wrong: { api: ["response"] }, call: (o) => agent.toOpenAiTools([], o) },
  { name: "agent callOpenAiTools", wrong: { ...approvals, api: ["Chat"] }, call: (o) => agent.callOpenAiTools([], [], o) }, // prettier-ignore
  { name: "agent toGeminiTools", wrong: { environment: [1] }, call: (o) => agent.toGeminiTools([], o) },
  {
    name: "agent toOpenAiTools for Responses",
    good: { api: "responses" },
    wrong: { deferLoading: [() => true] },
    call: (o) => agent.toOpenAiTools([], o),
  },
  { name: "agent callGeminiTools", wrong: approvals, call: (o) => agent.callGeminiTools([], [], o) },
  { name: "agent toLangChainTools", wrong: approvals, call: (o) => agent.toLangChainTools([], () => undefined, o) }, // prettier-ignore
  { name: "agent toMastraTools", wrong: approvals, call: (o) => agent.toMastraTools([], () => undefined, o) },
  { name: "agent toOpenAiAgentTools", wrong: approvals, call: (o) => agent.toOpenAiAgentTools([], o) },
  { name: "agent toTanStackTools", wrong: approvals, call: (o) => agent.toTanStackTools([], o) },
  { name: "agent systemPrompt", wrong: { environment: [1] }, call: (o) => agent.systemPrompt([], o) },
  {
    name: "node keepVectors",
    good: { path: "vectors", model: "any" },
    wrong: { path: [1], model: [{}] },
    call: (o) => node.keepVectors({ embed: () => Promise.resolve([]) }, o),
  },
  {
    name: "replay createChangeTracker",
    wrong: { store: ["changes.jsonl"], tools: ["shop"], environment: [{}], clock: [0] },
    call: (o) => replay.createChangeTracker(o),
  },
  {
    name: "replay planReplay",
    good: target,
    wrong: { accept: ["foreign-id"], skip: [3], references: ["same"] },
    call: (o) => replay.planReplay([], o),
  },
  { name: "replay replay", good: { journal }, wrong: { journal: ["journal.jsonl"], onStep: [true] }, call: (o) => replay.replay(plan, o) }, // prettier-ignore
  {
    name: "node discoverTools",
    good: { roots: [] },
    wrong: {
      strict: ["yes"],
      onDuplicate: ["throw"],
      tools: ["tools/**", { patterns: "a" }, { pattern: [] }],
      roots: ["tools", [1]],
    },
    call: (o) => node.discoverTools(o),
  },
  {
    name: "node watchTools",
    good: { roots: [], signal: AbortSignal.abort() },
    wrong: { strict: [1] },
    call: (o) => node.watchTools(o).next(),
  },
  { name: "node openChangeFile", wrong: { fsync: ["yes", 1] }, call: (o) => { node.openChangeFile("/dev/null", o).close(); } }, // prettier-ignore
  {
    name: "serve serveStdio",
    good: stream,
    wrong: { policy: [raw], prefix: [1], instructions: [{}] },
    call: async (o) => (await serve.serveStdio(toolset, o)).close(),
  },
  {
    name: "serve serveHttp",
    good: { port: 0, token: "0123456789abcdef" },
    wrong: { token: [undefined, null, true, "short"], port: ["80"], hosts: ["localhost"], policy: [raw] },
    call: async (o) => (await serve.serveHttp(toolset, o)).close(),
  },
  {
    name: "serve createServeHandler",
    good: { token: "0123456789abcdef" },
    wrong: { token: [undefined, null, true, ""], hosts: ["localhost"] },
    call: async (o) => (await serve.createServeHandler(toolset, o)).close(),
  },
  {
    name: "serve openToolset",
    good: project,
    wrong: { servers: ["shop"], allowUnlocked: ["no"], role: [1] },
    call: async (o) => {
      await serve.openToolset(o).catch((error: unknown) => {
        if (error instanceof McpCodegenError && error.code === "CONFIG_NOT_FOUND") return;
        throw error;
      });
    },
  },
  {
    name: "testing mockServer",
    wrong: {
      fail: ["some", 2, () => true],
      latency: [-1, "1s", [5]],
      boundary: ["yes"],
      cassette: [1],
      seed: [{}],
    },
    call: (o) => testing.mockServer(example, {}, o),
  },
  {
    name: "testing checkContract",
    good: { lock: "/nowhere/mcp-codegen.lock.json" },
    wrong: { lock: [1], name: [{}], update: ["yes"] },
    call: (o) => testing.checkContract({ command: "nothing" }, o).catch(withoutLock),
  },
  {
    name: "testing assertContract",
    good: { lock: "/nowhere/mcp-codegen.lock.json" },
    wrong: { lock: [1], name: [{}], update: ["yes"] },
    call: (o) => testing.assertContract({ command: "nothing" }, o).catch(withoutLock),
  },
];

/** Functions that take no options, or whose second argument is checked in other tests. */
const WITHOUT_OPTIONS = [
  // Its matcher passes them to `checkContract`.
  "contractMatchers",
  ...["McpCodegenError", "ServerRequestError", "ToolCallError", "abilitiesClient"],
  ...["nodeListener", "memoryLines", "parseChanges"],
  ...["openJournal", "readChanges"],
];

/** How a call fails; undefined if it does not. */
async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error;
  }
}

test("every function of the entry points is in this table", () => {
  const exported = [agent, node, replay, runtime, serve, testing].flatMap((entry) => Object.keys(entry));
  const listed = [...ROWS.map(({ name }) => name.replace(/^\w+ /, "")), ...WITHOUT_OPTIONS];
  expect(exported.filter((name) => !listed.includes(name))).toEqual([]);
});

describe.each(ROWS)("$name", ({ call, good = {}, wrong = {} }) => {
  const attempt = (options: unknown): Promise<unknown> => failureOf(() => call(options as never));

  test("takes its options, and options that are undefined", async () => {
    expect(await attempt(good)).toBeUndefined();
    const nothing = Object.keys(wrong).filter((key) => !(key in good));
    expect(
      await attempt({ ...Object.fromEntries(nothing.map((key) => [key, undefined])), ...good }),
    ).toBeUndefined();
  });

  test("refuses any other key", async () => {
    const key = fc.string({ minLength: 1, maxLength: 12 }).filter((name) => !(name in {}));
    await fc.assert(
      fc.asyncProperty(key, fc.anything(), async (name, value) => {
        const unknown = `x${name}`;
        const error = await attempt({ ...good, [unknown]: value });
        expect(error).toMatchObject({ code: "USAGE" });
        expect((error as Error).message).toContain(`unknown option "${unknown}"`);
      }),
      { numRuns: 20, seed: 34 },
    );
  });

  const values = Object.entries(wrong).flatMap(([key, given]) => given.map((value) => ({ key, value })));
  test.each(values)("refuses $key: $value", async ({ key, value }) => {
    const error = await attempt({ ...good, [key]: value });
    expect(error).toBeInstanceOf(McpCodegenError);
    expect((error as McpCodegenError).exitCode).toBe(2);
  });

  test("refuses options that are not an object", async () => {
    for (const value of [null, "options", 1, [], [good]])
      expect(await attempt(value)).toMatchObject({ code: "USAGE" });
  });
});

test.each([
  ["toAnthropicTools", { provider: "openai" }],
  ["callAnthropicTools", { strict: true }],
  ["toOpenAiTools", { provider: "openai" }],
  ["toOpenAiTools", { deferLoading: true }],
  ["callOpenAiTools", { api: "responses", cacheControl: { type: "ephemeral" } }],
  ["toGeminiTools", { strict: true }],
  ["callGeminiTools", { provider: "google" }],
  ["toAiSdkTools", { strict: true }],
  ["toOpenAiAgentTools", { provider: "openai" }],
  ["toTanStackTools", { signal: AbortSignal.abort() }],
] as const)("%s refuses an option of other adapters: %j", async (name, options: object) => {
  const row = ROWS.find((each) => each.name === `agent ${name}`);
  expect(await failureOf(() => row?.call(options as never))).toMatchObject({
    message: `${name}: unknown option "${Object.keys(options).at(-1)}".`,
  });
});

test("a policy object with a role from JSON never allows what it meant to deny", () => {
  const words = [
    "deny",
    "denny",
    "Deny",
    "allow",
    "alow",
    "names",
    "name",
    "effects",
    "categories",
    "category",
  ];
  const word = fc.constantFrom(...words);
  const value = fc.oneof(
    fc.constant(undefined),
    fc.constantFrom("delete_all", "destroys"),
    fc.array(fc.constantFrom("delete_all", "destroys", "destroy", undefined), { maxLength: 2 }),
  );
  const selector = fc.dictionary(word, value, { maxKeys: 2 });
  fc.assert(
    fc.property(fc.dictionary(word, fc.array(selector, { maxLength: 2 }), { maxKeys: 2 }), (rules) => {
      try {
        registry.restrict({ role: "viewer", roles: { viewer: rules }, writes: true });
      } catch (error) {
        expect(error).toMatchObject({ code: "USAGE" });
        return;
      }
      // What was taken consists of known keys, and every selector has a condition.
      expect(Object.keys(rules).every((key) => key === "allow" || key === "deny")).toBe(true);
      for (const each of Object.values(rules).flat())
        expect(
          Object.entries(each).some(
            ([key, condition]) => ["names", "effects", "categories"].includes(key) && condition !== undefined,
          ),
        ).toBe(true);
    }),
    { numRuns: 2_000, seed: 34 },
  );
});

/** Everything that takes a policy. */
const DOORS: Readonly<Record<string, (policy: agent.Policy) => unknown>> = {
  "a registry": (policy) => registry.restrict(policy),
  "a part of a registry": (policy) => registry.restrict({}).restrict(policy),
  "a toolset": (policy) => agent.createToolset(registry, { policy }),
  "a part of a toolset": (policy) => toolset.restrict(policy),
  "a session": (policy) => agent.createToolset(registry, { show: "found", policy }),
  "a part of a session": (policy) => session.restrict(policy),
  scripts: (policy) => createCodeTools(registry, { policy }),
  "a part of scripts": (policy) => createCodeTools(registry).restrict(policy),
  "an adapter": (policy) => agent.toAiSdkTools(registry, { policy }),
  "calls of a model": (policy) => agent.callAnthropicTools(registry, [], { policy }),
  "a framework's adapter": (policy) => agent.toTanStackTools(registry, { policy }),
  "a system prompt": (policy) => agent.systemPrompt(registry, { policy }),
  "serving over HTTP": (policy) => serve.serveHttp(registry, { port: 0, token: false, policy }),
  "serving over stdio": (policy) => serve.serveStdio(registry, { ...stream, policy }),
  "serving in a program": (policy) => serve.createServeHandler(registry, { token: false, policy }),
  "serving a toolset": (policy) => serve.createServeHandler(toolset, { token: false, policy }),
};

describe.each(Object.entries(DOORS))("the policy of %s", (_name, open) => {
  test("is a plain object, and one with a misspelt key is refused with the nearest", async () => {
    const misspelt: object = { writs: true };
    expect(await failureOf(() => open(misspelt))).toMatchObject({
      code: "USAGE",
      message: expect.stringMatching(/^\w+: policy: unknown option "writs"\.$/) as string,
      hint: expect.stringContaining('Did you mean "writes"?') as string,
    });
    const inRules: object = { roles: { viewer: { denny: [] } } };
    expect(await failureOf(() => open(inRules))).toMatchObject({
      code: "USAGE",
      hint: expect.stringContaining('Did you mean "deny"?') as string,
    });
    const inSelector: object = { roles: { viewer: { deny: [{ name: ["a"] }] } } };
    expect(await failureOf(() => open(inSelector))).toMatchObject({
      code: "USAGE",
      hint: expect.stringContaining('Did you mean "names"?') as string,
    });
    expect(await failureOf(() => open({ role: ["content-editor", "owner"] }))).toMatchObject({
      code: "CONFIG_INVALID",
      message: 'There is no role "owner".',
    });
  });
});

test.each([
  ["a registry", () => agent.createRegistry({ servers: [runtime.defineServer({ name: "static", url: "http://localhost:1/" })] })], // prettier-ignore
  ["a registry's server without a list", () => { agent.createRegistry().registerServerTools("static", []); }], // prettier-ignore
])("a server called static is refused: %s", (_what, call) => {
  expect(call).toThrow('A server must not be called "static".');
});

import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { connectTools, throughAbility } from "../../../src/codegen.js";
import { type ServerDefinition, defineServer } from "../../../src/runtime/index.js";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import type { RegistryOptions } from "../../../src/agent/registry/registry.js";
import { createToolset } from "../../../src/agent/index.js";
import { lockedTool, namesIn } from "./fake-server.js";
import { fixtureCommand, startFixture } from "../../servers/start-fixture.js";

/** A generated index of the drifted fixture, as it is locked without any drift. */
function locked(settings: Partial<ServerDefinition>, ...tools: readonly string[]) {
  const server = defineServer({ name: "shop", contract: "2.1.0", ...settings });
  return { server, ...Object.fromEntries(tools.map((name) => [name, lockedTool(server, name)])) };
}

describe("a server without a lock", () => {
  test("has the tools that it lists, all pages of them, and they are called with their input validated", async () => {
    const paged = defineServer({ name: "paged", ...fixtureCommand("paged") });
    const registry = createRegistry({ servers: [paged] });
    const tools = await registry.getTools();
    expect(tools.map(({ name }) => name)).toEqual(
      [1, 2, 3, 4].flatMap((page) => [1, 2].map((tool) => `paged__page-${page}-tool-${tool}`)),
    );
    expect(tools.every(({ isLocked }) => !isLocked)).toBe(true);
    expect(tools[0]?.inputSchema()).toMatchObject({ required: ["id"] });
    const value = { text: "called page-4-tool-1" };
    expect(await registry.call("paged__page-4-tool-1", { id: 1 })).toMatchObject({ ok: true, value });
    const error = { code: "TOOL_INVALID_INPUT", tool: "page-4-tool-1", server: "paged" };
    const refused = await registry.call("paged__page-4-tool-1", { id: "x", more: undefined });
    expect(refused).toMatchObject({ ok: false, error });
  });

  test("has no tool where only locked ones are offered, and a call says why", async () => {
    const server = defineServer({ name: "shop", ...fixtureCommand("drifted", "--drift", "tool-added") });
    const registry = createRegistry({ servers: [{ server }], admitUnlocked: false });
    const message =
      'Tool "shop__refund-order" is not offered: Server "shop" is not locked. Run "npx mcp-codegen pull shop".';
    await registry.refresh();
    expect(await registry.call("shop__refund-order", {})).toMatchObject({ error: { message } });
  });

  test("is asked again when a client that was passed hears that its list has changed", async () => {
    const client = new Client({ name: "own", version: "1.0.0" });
    const heard: string[] = [];
    client.fallbackNotificationHandler = ({ method }) => {
      heard.push(method);
      return Promise.resolve();
    };
    await client.connect(new StdioClientTransport(fixtureCommand("changes-list", "--notify", "yes")));
    onTestFinished(() => client.close());
    const servers = [connectTools(defineServer({ name: "own" }), {}, { client })];
    const registry = createRegistry({ servers });
    expect(await namesIn(registry)).not.toContain("own__new");
    await registry.call("own__change", { id: 1 });
    await vi.waitFor(async () => {
      expect(await namesIn(registry)).toContain("own__new");
    });
    expect(heard).toContain("notifications/tools/list_changed");
  });
});

test("an unlocked tool is read with the settings of its server, and its defaults are sent", async () => {
  const inputSchema = {
    type: "object",
    properties: { mail: { type: "string", format: "email" }, most: { type: "integer", default: 5 } },
    required: ["mail"],
  };
  const sent: unknown[] = [];
  const client = {
    listTools: () => Promise.resolve({ tools: [{ name: "listed", inputSchema }] }),
    callTool: (call: unknown) => {
      sent.push(call);
      return Promise.resolve({ content: [] });
    },
  };
  const server = defineServer({ name: "shop", defaults: "parse", formats: "assert" });
  const registry = createRegistry({ servers: [connectTools(server, {}, { client })] });
  expect(await namesIn(registry)).toEqual(["shop__listed"]);
  for (const tool of ["listed", "given"]) {
    if (tool === "given") registry.registerServerTools("shop", [{ name: tool, inputSchema }]);
    expect(await registry.call(`shop__${tool}`, { mail: "no address" })).toMatchObject({
      error: { code: "TOOL_INVALID_INPUT" },
    });
    await registry.call(`shop__${tool}`, { mail: "a@example.com" });
    expect(sent.pop()).toEqual({ name: tool, arguments: { mail: "a@example.com", most: 5 } });
  }
  expect(sent).toEqual([]);
});

test("a server may have hyphens in its name, which are underscores in names of tools", async () => {
  const client = { callTool: () => Promise.resolve({ content: [] }) };
  const tool = { name: "find", inputSchema: { type: "object" }, annotations: { destructiveHint: false } };
  const settings = { "my-shop": { newTools: true, hints: true } };
  const registry = createRegistry({
    servers: [{ name: "my-shop", ...fixtureCommand("paged") }, defineServer({ name: "a-b-c" })],
    trust: settings,
    enabled: { "a-b-c": false },
    policy: { writes: { "my-own": true, "my-shop": true } },
  });
  registry.registerServerTools("my-own", [tool], { client });
  expect(registry.servers.map(({ name, isEnabled }) => [name, isEnabled])).toEqual([
    ["my_shop", true],
    ["a_b_c", false],
    ["my_own", true],
  ]);
  const [first] = await registry.getTools({ server: "my-shop" });
  expect(first).toMatchObject({ name: "my_shop__page-1-tool-1", hasTrustedHints: true });
  expect((await registry.refresh("my-shop")).servers).toHaveProperty("my_shop");
  for (const name of ["my_own__find", "my-own__find"])
    expect(await registry.call(name, {})).toMatchObject({ ok: true });
  const deny = [{ names: ["my-own__f*"] }];
  const denied = registry.restrict({ focusMode: "no", focusModes: { no: { deny } }, writes: true });
  expect(denied.decide("my_own__find").isAllowed).toBe(false);
  expect(await createToolset(registry).answer("execute", { tool: "my-own__find" })).toMatchObject({
    isError: false,
  });
  registry.removeServerTools("my-own");
  expect(await registry.getTools({ server: "my-own" })).toEqual([]);
});

describe("a server with a lock", () => {
  test("that has a new tool is a warning, once, and a trusted one marks it", async () => {
    const servers = [
      locked(fixtureCommand("drifted", "--drift", "tool-added"), "find-orders", "cancel-order"),
    ];
    const warnings: string[] = [];
    const onWarning = (message: string): void => void warnings.push(message);
    const registry = createRegistry({ servers, onWarning });
    for (let time = 0; time < 2; time += 1) await registry.refresh();
    expect(warnings).toEqual([
      'Server "shop" has a tool that is not locked, so it is not offered: refund-order. Run "npx mcp-codegen pull shop", or set "trust": { "newTools": true } of the server in the configuration.',
    ]);
    const trust = { newTools: true, hints: true };
    const configured = servers.map(({ server, ...tools }) => ({ ...tools, server: { ...server, trust } }));
    for (const options of [{ servers, trust: { shop: trust } }, { servers: configured }])
      expect(await createRegistry(options).getTools({ isLocked: false })).toMatchObject([
        { name: "shop__refund-order", hasTrustedHints: true },
      ]);
    const doubting = createRegistry({ servers: configured, trust: { shop: { hints: false } } });
    const [unsure] = await doubting.getTools({ isLocked: false });
    expect(unsure).not.toHaveProperty("hasTrustedHints");
    createRegistry({ servers, onWarning, trust: { shopp: { hints: true }, elsewhere: {} } });
    expect(warnings.slice(1)).toEqual([
      'createRegistry: trust names "shopp", but the registry has no such server. Did you mean "shop"?',
    ]);
    expect(() => createRegistry({ servers, trust: { shop: { hint: true } as never } })).toThrow(
      'createRegistry: trust.shop: unknown option "hint"',
    );
  });

  test("has what is locked and live; what it no longer lists is gone after a refresh, and told", async () => {
    const registry = createRegistry({
      servers: [locked(fixtureCommand("drifted", "--drift", "tool-removed"), "find-orders", "cancel-order")],
    });
    const changes: unknown[] = [];
    registry.onChange((change) => changes.push(change));
    expect(await namesIn(registry)).toEqual(["shop__find-orders"]);
    const gone = { added: [], removed: ["shop__cancel-order"] };
    expect(changes).toEqual([{ ...gone, byCategory: { commerce: gone } }]);
    const message =
      'The server does not know tool "cancel-order" of contract 2.1.0 of "shop". Run "npx mcp-codegen check shop".';
    const error = { code: "TOOL_NOT_FOUND", tool: "cancel-order", server: "shop", message };
    expect(await registry.call("shop__cancel-order", { id: 1 })).toMatchObject({ ok: false, error });
  });

  const added = locked(fixtureCommand("drifted", "--drift", "tool-added"), "find-orders", "cancel-order");
  const inSandbox = { ...added, server: { ...added.server, environments: { sandbox: {}, production: {} } } };
  const marked = { ...added, server: { ...added.server, environments: { eu: { production: false } } } };

  const production = { servers: [inSandbox], environment: "production" };
  const sandbox = { servers: [inSandbox], environment: "sandbox" };
  const untrusted = { shop: { newTools: false }, other: {} };

  test.each<[string, RegistryOptions, boolean]>([
    ["nowhere in particular", { servers: [added] }, false],
    ["in production", production, false],
    ["in the sandbox", sandbox, true],
    ["in an environment that is marked", { servers: [marked], environment: "eu" }, true],
    ["in production, when asked for", { ...production, admitUnlocked: true }, true],
    ["in the sandbox, unless forbidden", { ...sandbox, admitUnlocked: false }, false],
    ["in production, of a trusted server", { ...production, trust: { shop: { newTools: true } } }, true],
    ["in the sandbox, of one that is not trusted", { ...sandbox, trust: untrusted }, false],
  ])("%s: a live tool that is not locked is offered or refused", async (_where, options, isOffered) => {
    const registry = createRegistry(options);
    const report = await registry.refresh("shop");
    expect(report.ok).toBe(true);
    expect(await registry.getTool("shop__find-orders")).toMatchObject({ isLocked: true });
    const refund = await registry.getTool("shop__refund-order");
    const result = await registry.call("shop__refund-order", {});
    if (isOffered) {
      expect(refund).toMatchObject({ isLocked: false });
      expect(refund?.isProduction ?? false).toBe(options.environment === "production");
      expect(report.added).toEqual(["shop__refund-order"]);
      expect(result).toMatchObject({ ok: true });
      expect(await registry.getTools({ isLocked: false })).toMatchObject([{ name: "shop__refund-order" }]);
    } else {
      expect(refund).toBeUndefined();
      const value = { toolCount: 2, refused: [{ tool: "refund-order" }] };
      expect(report.servers["shop"]).toMatchObject({ value });
      const message =
        'Tool "shop__refund-order" is not offered: It is not locked in contract 2.1.0 of "shop". Run "npx mcp-codegen pull shop".';
      expect(result).toMatchObject({ ok: false, error: { code: "TOOL_NOT_ALLOWED", message } });
    }
  });

  test("that cannot be listed, through a client without listTools, is as it is locked", async () => {
    const server = defineServer({ name: "shop", contract: "1.0.0" });
    const client = { callTool: () => Promise.resolve({ content: [] }) };
    const registry = createRegistry({
      servers: [connectTools(server, { sell: lockedTool(server, "sell") }, { client })],
    });
    expect(registry.isStale("shop")).toBe(false);
    expect((await registry.refresh()).ok).toBe(true);
    expect(await namesIn(registry)).toEqual(["shop__sell"]);
  });
});

describe("the default server of the WordPress adapter", () => {
  const settings = fixtureCommand("wordpress", "--server", "default");

  test("has its abilities as tools, not its meta-tools", async () => {
    const registry = createRegistry({ servers: [defineServer({ name: "site", ...settings })] });
    const names = await namesIn(registry);
    expect(names).toContain("site__content-get-post");
    expect(names.filter((name) => name.includes("mcp-adapter"))).toEqual([]);
    expect(names).not.toContain("site__content-private");
    const created = await registry.call("site__content-create-post", { title: "Hello" });
    expect(created).toMatchObject({ ok: true, value: { title: "Hello" } });
    // "required: true" inside a property is how WordPress says it.
    const refused = { ok: false, error: { code: "TOOL_INVALID_INPUT" } };
    expect(await registry.call("site__content-create-post", {})).toMatchObject(refused);
    expect(await registry.call("site__content-delete-posts", { input: [99] })).toMatchObject({ ok: true });
  });

  test.each([
    ["through the execute tool", "default", "mcp-adapter-default-server"],
    ["as tools of their own", "custom", "shop"],
  ])("gives abilities the categories of the REST API, and else guesses, %s", async (_, kind, path) => {
    for (const [rest, category, notes] of [
      ["open", "reading", undefined],
      ["closed", "content", [expect.stringContaining("were not read")]],
    ] as const) {
      const site = await startFixture("wordpress", { args: ["--server", kind, "--rest", rest] });
      onTestFinished(() => site.close());
      const url = site.url.replace("/mcp", `/wp-json/mcp/${path}`);
      const auth = { basic: { username: "editor", password: "abcd efgh" } };
      const registry = createRegistry({ servers: [defineServer({ name: "site", url, auth })] });
      const { site: listing } = (await registry.refresh()).servers;
      expect(listing?.ok === true ? listing.value.notes : []).toEqual(notes);
      expect((await registry.getTool("site__content-list-posts"))?.category).toBe(category);
    }
  });

  test("keeps the locked abilities that it shows, and loses those that it does not", async () => {
    const server = defineServer({ name: "site", contract: "1.0.0", ...settings });
    const ability = (name: string, registered: string) =>
      lockedTool(server, name, { through: () => throughAbility(registered) });
    const index = {
      server,
      getPost: ability("content-get-post", "content/get-post"),
      gone: ability("content-gone", "content/gone"),
    };
    const registry = createRegistry({ servers: [index] });
    const report = await registry.refresh();
    expect(report.removed).toEqual(["site__content-gone"]);
    expect(await namesIn(registry)).toEqual(["site__content-get-post"]);
    const listing = report.servers["site"];
    const refused = listing?.ok === true ? listing.value.refused.map(({ tool }) => tool) : [];
    expect(refused).toContain("content-create-post");
    // It has its meta-tools when those are what is locked.
    const name = "mcp-adapter-execute-ability";
    const meta = { server, execute: lockedTool(server, name) };
    expect(await namesIn(createRegistry({ servers: [meta] }))).toEqual([`site__${name}`]);
  });
});

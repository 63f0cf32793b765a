/** What a session shows, finds and calls. */
import { describe, expect, test } from "vitest";
import { createChangeTracker } from "../../../src/agent/replay/change-tracker.js";
import { callAnthropicTools, defineStaticTool, toAnthropicTools } from "../../../src/agent/index.js";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import { createToolset } from "../../../src/agent/toolset/create-toolset.js";
import type { FoundOptions, ToolSession } from "../../../src/agent/toolset/toolset.js";
import * as z from "zod";
import { fakeTool } from "../adapters/fake-tool.js";
import { fakeRegistry, shopTools, searchIn } from "./fake-registry.js";

async function shown(session: ToolSession): Promise<readonly string[]> {
  return (await session.getTools()).map(({ name }) => name);
}

function open(options: Partial<FoundOptions> = {}) {
  const registry = fakeRegistry(shopTools());
  return { registry, session: createToolset(registry, { show: "found", ...options }) };
}

describe("what is active", () => {
  test("is the search tool at first, and what a search has found then, with its schemas", async () => {
    const { session } = open();
    expect(await shown(session)).toEqual(["search_tools"]);
    const { tools, names, total } = await searchIn(session, { query: "create an invoice" });
    // Tools that fit much less are only named.
    expect(tools).toHaveLength(1);
    expect(names).toHaveLength(4);
    expect(total).toBe(12);
    const invoice = {
      name: "shop__create_invoice",
      description: "Creates a new invoice.",
      category: "sales",
    };
    expect(tools[0]).toEqual({ ...invoice, server: "shop", score: expect.any(Number) as unknown });
    expect(await shown(session)).toEqual(["search_tools", ...tools.map(({ name }) => name)]);
    expect((await session.getTools())[1]?.inputSchema()).toEqual({ type: "object" });
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ["a name", ["shop__list_order"], ["shop__list_order"]],
    ["a server's own name", ["list_order"], ["shop__list_order"]],
    [
      "patterns, in the order of the source",
      ["list_ledger", "*_order"],
      ["shop__list_order", "shop__create_order", "shop__delete_order", "shop__list_ledger"],
    ],
    ["a pattern with the server", ["shop__delete_l*"], ["shop__delete_ledger"]],
    ["twice the same", ["list_order", "list_or*"], ["shop__list_order"]],
  ])("begins with the core tools: %s", async (_what, core, expected) => {
    const { session } = open({ core });
    expect(await shown(session)).toEqual(["search_tools", ...expected]);
    await searchIn(session, { query: "delete order" });
    expect((await shown(session)).slice(0, expected.length + 1)).toEqual(["search_tools", ...expected]);
  });

  test("is empty again for a new conversation, whatever a search of the old one still finds", async () => {
    const { session } = open({ core: ["list_order"] });
    await searchIn(session, { query: "create invoice" });
    const late = searchIn(session, { query: "delete parcel" });
    session.clear();
    expect((await late).tools).not.toEqual([]);
    expect(await shown(session)).toEqual(["search_tools", "shop__list_order"]);
  });

  test("keeps as many found tools as allowed: those found or called last, in the order in which they came", async () => {
    const roles = { clerk: { deny: [{ names: ["*_supplier", "list_ledger"] }] } };
    const settings = { core: ["*_ledger"], limit: 3, maxActive: 3, policy: { writes: true, roles } };
    const { registry, session } = open(settings);
    const find = async (...queries: readonly string[]): Promise<readonly string[]> => {
      for (const query of queries) await searchIn(session, { query });
      return session.found.map((name) => name.replace("shop__", ""));
    };
    const first = ["create_invoice", "list_coupon", "delete_parcel"];
    expect(await find("create invoice", "list coupon", "delete parcel")).toEqual(first);
    await session.call("shop__create_invoice", {});
    const second = ["create_invoice", "delete_parcel", "create_supplier"];
    expect(await find("create supplier")).toEqual(second);
    // Found again, a tool keeps its place. A core tool has none.
    const third = ["delete_parcel", "create_supplier", "list_warehouse"];
    expect(await find("delete parcel", "list ledger", "list warehouse")).toEqual(third);
    const restricted = await shown(session.restrict("clerk"));
    const ledgers = ["shop__create_ledger", "shop__delete_ledger"];
    expect(restricted).toEqual(["search_tools", ...ledgers, "shop__delete_parcel", "shop__list_warehouse"]);
    // Of several that a search brings, the best one stays longest.
    const { tools } = await searchIn(session, { query: "order" });
    const orders = tools.map(({ name }) => name.replace("shop__", ""));
    expect(orders).toHaveLength(3);
    expect(await find("create invoice")).toEqual([...orders.slice(0, 2), "create_invoice"]);
    // What is not there any more leaves, and does not come back.
    const all = registry.tools;
    registry.tools = all.filter(({ name }) => name !== `shop__${orders[0] ?? ""}`);
    await session.getTools();
    registry.tools = all;
    expect((await shown(session)).slice(4)).toEqual([`shop__${orders[1] ?? ""}`, "shop__create_invoice"]);
  });

  test("goes on elsewhere with what was found", async () => {
    const { registry, session } = open({ limit: 2 });
    await searchIn(session, { query: "create invoice" });
    await searchIn(session, { query: "delete parcel" });
    const kept = JSON.parse(JSON.stringify(session.found)) as string[];
    const next = createToolset(registry, { show: "found", found: kept });
    expect(await shown(next)).toEqual(await shown(session));
    expect(await next.call("shop__create_invoice", {})).toMatchObject({ ok: true });
    const cored = createToolset(registry, { show: "found", found: kept, core: ["create_invoice"] });
    expect((await shown(cored)).filter((name) => name === "shop__create_invoice")).toHaveLength(1);
    // The bound and the policy hold for it as for a search.
    const policy = { focusMode: "read-only" };
    const strict = createToolset(registry, { show: "found", found: ["shop__list_order", ...kept], policy });
    expect(await shown(strict)).toEqual(["search_tools", "shop__list_order", ...kept.filter(isRead)]);
    const small = createToolset(registry, { show: "found", found: kept, maxActive: 1 });
    expect(small.found).toEqual(kept.slice(-1));
  });

  test("calls the tool that the source has now", async () => {
    const { registry, session } = open();
    await searchIn(session, { query: "create invoice" });
    const call = () => Promise.resolve({ ok: true as const, value: "new" });
    registry.tools = registry.tools.map((tool) => ({ ...tool, call }));
    expect(await session.call("shop__create_invoice", {})).toEqual({ ok: true, value: "new" });
    const [, invoice] = await session.getTools();
    registry.tools = [];
    expect(await invoice?.call({})).toMatchObject({ ok: false, error: { code: "TOOL_NOT_FOUND" } });
  });

  test("goes by names that every provider takes, in answers as in definitions", async () => {
    const long = `shop__${"very_".repeat(20)}long`;
    const registry = fakeRegistry([
      fakeTool("shop__posts.publish", { server: "shop", description: "Publishes an article." }),
      fakeTool(long, { server: "shop", description: "Archives an article." }),
    ]);
    const session = createToolset(registry, { show: "found", policy: { writes: true } });
    const { tools } = await searchIn(session, { query: "article" });
    const names = tools.map(({ name }) => name);
    expect(names.every((name) => /^[\w-]{1,64}$/.test(name))).toBe(true);
    expect(await shown(session)).toEqual(["search_tools", ...names]);
    for (const name of names) expect(await session.call(name, { at: name })).toMatchObject({ ok: true });
    expect(registry.called.toSorted()).toEqual(["shop__posts.publish", long].toSorted());
  });
});

const UNKNOWN = 'There is no category "stok". Did you mean "stock"? Categories: "sales", "stock"';

describe("a search", () => {
  test.each([
    [{}, "Missing query or category."],
    [{ query: "" }, "query"],
    [{ query: 1 }, "query"],
    [{ query: "order", limit: 6 }, "limit"],
    [{ query: "order", limit: 0 }, "limit"],
    [{ query: "order", page: 2 }, "page"],
    ["order", "object"],
    [null, "Missing query or category."],
    [{ query: "order ".repeat(1_000) }, "query"],
  ])("of %j is refused", async (input, reason) => {
    const error = { code: "TOOL_INVALID_INPUT", message: expect.stringContaining(reason) as string };
    expect(await open().session.call("search_tools", input)).toMatchObject({ ok: false, error });
  });

  test("goes by category as well", async () => {
    const { session } = open({ limit: 2 });
    // Of a large category, only names: nothing says which tools matter.
    const all = await searchIn(session, { category: "stock" });
    expect(all).toMatchObject({
      tools: [],
      total: 15,
      suggestion: "Search for one of these names to load the tool.",
    });
    expect(all.names).toHaveLength(15);
    const [name = ""] = all.names ?? [];
    expect(await searchIn(session, { query: name })).toMatchObject({ tools: [{ name }] });
    const { session: large } = open({ limit: 15 });
    expect((await searchIn(large, { category: "stock" })).tools).toHaveLength(15);
    const { tools } = await searchIn(session, { query: "order", category: "stock" });
    expect(tools.every(({ category }) => category === "stock")).toBe(true);
  });

  test("adds what may be meant as well, unless the best tool fits too well for that", async () => {
    const all = ["list_user_posts", "list_posts_in_group", "list_pages"].map((name) => fakeTool(name));
    const session = createToolset(fakeRegistry(all), { show: "found" });
    const tools = [{ name: "list_posts_in_group" }, { name: "list_user_posts" }];
    expect(await searchIn(session, { query: "posts" })).toMatchObject({ tools });
    const certain = { tools: tools.slice(1), names: ["list_posts_in_group"] };
    expect(await searchIn(session, { query: "list user posts" })).toMatchObject(certain);
  });

  test("adds a tool with a long definition only if it is the best one", async () => {
    const description = "For members. ".repeat(600);
    const named = ["list_posts", "delete_parcel"].map((name) => fakeTool(name));
    const tools = [...named, fakeTool("list_group_posts", { description })];
    const session = createToolset(fakeRegistry(tools), { show: "found" });
    const found = await searchIn(session, { query: "posts" });
    expect(found).toMatchObject({ tools: [{ name: "list_posts" }], names: ["list_group_posts"] });
    // It is the best one for its own request.
    const both = await searchIn(session, { query: "delete a parcel and list group posts" });
    expect(both.tools.map(({ name }) => name).slice(0, 2)).toEqual(["delete_parcel", "list_group_posts"]);
    session.clear();
    await searchIn(session, { query: found.names?.[0] });
    expect(await shown(session)).toContain("list_group_posts");
  });

  test("that fits no tool well names the nearest ones, and adds none", async () => {
    const { session } = open();
    const unfit = await searchIn(session, { query: "customer parcel ledger warehouse coupon invoice" });
    const advice = expect.stringContaining("No tool fits well") as unknown;
    expect(unfit).toMatchObject({ tools: [], suggestion: advice });
    expect(unfit.names).not.toEqual([]);
    const query = "zzzzzz";
    const suggestion = "Try other words, or a category alone.";
    expect(await searchIn(session, { query })).toEqual({ tools: [], total: 0, query, suggestion });
    const unknown = await searchIn(session, { category: "stok" });
    expect(unknown).toMatchObject({ total: 0, suggestion: expect.stringContaining(UNKNOWN) as string });
    expect(await shown(session)).toEqual(["search_tools"]);
  });

  test("goes by another name with a prefix, and hides a tool of the same name with a warning", async () => {
    const { session } = open({ prefix: "shop_" });
    expect(await shown(session)).toEqual(["shop_search_tools"]);

    const warnings: string[] = [];
    const registry = fakeRegistry([
      fakeTool("search_tools", { description: "Searches for hammers." }),
      fakeTool("hammer", { description: "Hits." }),
    ]);
    const onWarning = (message: string): void => void warnings.push(message);
    const other = createToolset(registry, { show: "found", core: ["*"], onWarning });
    expect(await shown(other)).toEqual(["search_tools", "hammer"]);
    const { tools } = await searchIn(other, { query: "search for hammers" });
    expect(tools.map(({ name }) => name)).not.toContain("search_tools");
    await other.getTools();
    expect(warnings).toEqual(['Tool "search_tools" is hidden by the session\'s search tool. Set "prefix".']);
    expect(registry.called).toEqual([]);
  });
});

test.each([
  ["an undiscovered tool", "shop__delete_order", 'Tool "shop__delete_order" is not among your tools now.'],
  ["a tool under another name", "delete_order", 'Tool "delete_order" is not among your tools now.'],
  ["a mistyped name", "shop__delete_oder", 'Nearest: "shop__delete_order"'],
  ["an unknown name", "zzzzzz", 'There is no tool "zzzzzz". Find'],
  ["an inherited key", "constructor", 'There is no tool "constructor".'],
])("%s, which is not active, cannot be called", async (_what, name, words) => {
  const { registry, session } = open({ core: ["list_order"] });
  const result = await session.call(name, {});
  expect(result).toMatchObject({ ok: false, error: { code: "TOOL_NOT_FOUND", retryable: false } });
  const message = result.ok ? "" : result.error.message;
  for (const part of [words, '"search_tools"']) expect(message).toContain(part);
  expect(registry.called).toEqual([]);
});

test("a policy hides: nothing of it is found, named, shown or called, not even a core tool", async () => {
  const policy = { focusMode: "read-only" };
  const { registry, session } = open({ policy, core: ["*_order"] });
  expect(await shown(session)).toEqual(["search_tools", "shop__list_order"]);
  const { tools } = await searchIn(session, { query: "delete invoice" });
  expect(tools.every(({ name }) => isRead(name))).toBe(true);
  const refused = await session.call("shop__delete_invoice", {});
  expect(refused).toMatchObject({ ok: false, error: { code: "TOOL_NOT_FOUND" } });
  expect(JSON.stringify(refused).replaceAll("shop__delete_invoice", "")).not.toContain("delete_");
  // What only the missing permission to write forbids is shown.
  const reading = createToolset(registry, { show: "found", policy: {} });
  await searchIn(reading, { query: "delete invoice" });
  const disabled = await reading.call("shop__delete_invoice", {});
  expect(disabled).toMatchObject({ ok: false, error: { code: "WRITES_DISABLED" } });
  expect(registry.called).toEqual([]);
});

describe("settings", () => {
  test.each<[Partial<FoundOptions>, string]>([
    [{ limit: 0 }, '"limit" of the session is 0.'],
    [{ limit: 1.5 }, '"limit" of the session is 1.5.'],
    [{ limit: Symbol("x") as never }, '"limit" of the session is a symbol.'],
    [JSON.parse('{ "limit": null }') as object, '"limit" of the session is null.'],
    [{ maxActive: -1 }, '"maxActive" of the session is -1.'],
    [{ maxActive: Number.NaN }, '"maxActive" of the session is NaN.'],
    [{ prefix: "my tools." }, "Invalid toolset prefix"],
    [{ limit: 6, maxActive: 5 }, '"limit" of the session is 6, more than "maxActive" (5).'],
  ])("%j are refused", (options, message) => {
    expect(() => open(options)).toThrow(message);
  });

  test("an endless name is shortened in the error", async () => {
    const endless = await open().session.call("x".repeat(1_000_000), {});
    expect(endless.ok ? "" : endless.error.message.length).toBeLessThan(400);
  });

  test("fewer active tools than a search brings by default are as many as it brings", async () => {
    expect((await searchIn(open({ maxActive: 2 }).session, { query: "order" })).tools).toHaveLength(2);
  });

  const embed = (): Promise<never> => Promise.reject(new Error("No\u001b[31m\nnetwork."));
  test.each<[string, Partial<FoundOptions>, string]>([
    ["an embedder that fails", { embedder: { embed } }, "The embedder failed, so the search uses words only: No [31m network."], // prettier-ignore
    ["a missing core tool", { core: ["list_oder", "list_order"] }, 'No tool matches "list_oder", a core pattern of the session.'], // prettier-ignore
  ])("%s is reported once", async (_what, options, warning) => {
    const warnings: string[] = [];
    const { session } = open({ ...options, onWarning: (message) => warnings.push(message) });
    for (const query of ["order", "invoice"]) await searchIn(session, { query });
    await session.getTools();
    expect(warnings).toEqual([warning]);
  });
});

test("a session in another environment is the same conversation there", async () => {
  const [here, elsewhere] = [fakeRegistry(shopTools()), fakeRegistry(shopTools(), "sandbox")];
  const registry = { ...here, environments: ["default", "sandbox"], for: () => elsewhere };
  const session = createToolset(registry, { show: "found" });
  await searchIn(session, { query: "create invoice" });
  const there = session.for("sandbox");
  expect(there).toBe(session.for("sandbox"));
  expect(there.environment).toBe("sandbox");
  expect(await shown(there)).toEqual(await shown(session));
  expect(await there.call("shop__create_invoice", {})).toMatchObject({ ok: true });
  expect([here.called, elsewhere.called]).toEqual([[], ["shop__create_invoice"]]);
  there.clear();
  expect(await shown(session)).toEqual(["search_tools"]);
});

test("a session tracks changes of the tools that were called, and never of a search", async () => {
  const changes = createChangeTracker();
  const clock = defineStaticTool({ name: "clock", input: z.object({}), execute: () => "noon" });
  const session = createToolset(createRegistry({ static: [clock] }), { show: "found" });
  await session.call("search_tools", { query: "clock" }, { changes });
  await session.call("clock", {}, { changes });
  expect(changes.changes().map(({ tool }) => tool)).toEqual(["clock"]);
});

test("calls of one message are of the tools that were there before it", async () => {
  const registry = fakeRegistry(shopTools());
  const session = createToolset(registry, { show: "found", limit: 1, maxActive: 1 });
  const asked: string[] = [];
  const turn = async (...calls: readonly (readonly [name: string, query?: string])[]) => {
    const content = calls.map(([name, query], at) => ({
      ...{ type: "tool_use", id: String(at), name, input: query === undefined ? {} : { query } },
    }));
    const approve = ({ tool }: { readonly tool: { readonly name: string } }) => asked.push(tool.name) > 0;
    const results = await callAnthropicTools(session, content, { approve });
    return results.map((result) => JSON.stringify(result.content));
  };
  const unknown = await turn(["shop__delete_order"], ["search_tools", "delete order"]);
  expect(unknown[0]).toMatch(/TOOL_NOT_FOUND.*is not among your tools now.*search_tools/);
  expect(registry.called).toEqual([]);
  const active = ["search_tools", "shop__delete_order"];
  expect((await toAnthropicTools(session)).map(({ name }) => name)).toEqual(active);
  // The search removes the tool that the same message calls.
  await turn(["search_tools", "list coupon"], ["shop__delete_order"]);
  await turn(["shop__delete_order"]);
  expect([registry.called, asked]).toEqual([["shop__delete_order"], ["shop__delete_order"]]);
});

function isRead(name: string): boolean {
  return name.startsWith("shop__list_");
}

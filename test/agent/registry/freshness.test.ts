import { afterEach, describe, expect, test, vi } from "vitest";
import { defineServer, type Logger } from "../../../src/runtime/index.js";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import type { RegistryChange } from "../../../src/agent/registry/registered-tool.js";
import { FakeServer, namesIn, registryOf } from "./fake-server.js";

afterEach(() => {
  delete process.env["SHOP_MCP_ENABLED"];
});

describe("a list of tools", () => {
  test.each([
    ["the time that the server states", 60_000, undefined, 60_000],
    ["at least a second", 1, undefined, 1_000],
    ["at most a day", 1e12, undefined, 86_400_000],
    ["five minutes if the server states 0", 0, undefined, 300_000],
    ["five minutes by default", undefined, undefined, 300_000],
    ["ttl, whatever the server states", 60_000, 10, 10],
  ])("is stale at first, and then fresh for %s", async (_name, ttlMs, ttl, expected) => {
    const shop = new FakeServer();
    shop.ttlMs = ttlMs;
    const { registry, pass } = registryOf({ shop }, ttl === undefined ? {} : { ttl });
    expect([shop.lists, registry.isStale("shop")]).toEqual([0, true]);
    await registry.getTools();
    pass(expected - 1);
    expect(registry.isStale("shop")).toBe(false);
    pass(1);
    expect(registry.isStale("shop")).toBe(true);
  });

  test("is only of the server that a name or a filter says", async () => {
    const [shop, zoo] = [new FakeServer(), new FakeServer()];
    const { registry } = registryOf({ shop, zoo });
    await registry.getTool("shop__a");
    await registry.getTools({ server: "shop" });
    await registry.getTool("nobody__a");
    await registry.getTool("plain");
    expect([shop.lists, zoo.lists]).toEqual([1, 0]);
  });

  test("is shared by those who ask at a time", async () => {
    const shop = new FakeServer();
    const changes: RegistryChange[] = [];
    const { registry } = registryOf({ shop });
    registry.onChange((change) => changes.push(change));
    const [one, other] = await Promise.all([
      registry.refresh(),
      registry.refresh("shop"),
      registry.getTools(),
    ]);
    expect([shop.lists, changes.length]).toEqual([1, 1]);
    expect([one.added, other.added]).toEqual([["shop__a"], ["shop__a"]]);
  });

  test("is in the order of the configuration, whichever server answers first", async () => {
    const [shop, zoo] = [new FakeServer(), new FakeServer()];
    const end = shop.close();
    shop.tools = ["b", "a"];
    const { registry } = registryOf({ shop, zoo });
    const names = namesIn(registry);
    await registry.getTools({ server: "zoo" });
    end();
    expect(await names).toEqual(["shop__a", "shop__b", "zoo__a"]);
  });

  test("is asked for anew once it is invalidated, and what was asked before does not count", async () => {
    const shop = new FakeServer();
    const { registry } = registryOf({ shop });
    const end = shop.close();
    const before = registry.refresh();
    await Promise.resolve();
    registry.invalidate();
    shop.tools = ["b"];
    shop.gate = Promise.resolve();
    expect(await namesIn(registry)).toEqual(["shop__b"]);
    end();
    expect(await before).toMatchObject({ ok: true, added: [] });
    expect(await namesIn(registry)).toEqual(["shop__b"]);
    expect(shop.lists).toBe(2);
    registry.invalidate("default");
    expect(registry.isStale("shop")).toBe(true);
    expect(() => {
      registry.invalidate("moon");
    }).toThrow(/an environment "moon"/);
  });
});

describe("while a stale list is read", () => {
  test("the last known tools are given, and the new ones when they are there", async () => {
    const shop = new FakeServer();
    const { registry, pass } = registryOf({ shop });
    expect(await namesIn(registry)).toEqual(["shop__a"]);
    const end = shop.close();
    shop.tools = ["b"];
    pass(300_000);
    // Were these waiting for the list, the test would not end.
    expect(await namesIn(registry)).toEqual(["shop__a"]);
    expect(await registry.getTool("shop__a")).toBeDefined();
    expect(await registry.call("shop__a", {})).toMatchObject({ ok: true });
    end();
    await vi.waitFor(async () => {
      expect(await namesIn(registry)).toEqual(["shop__b"]);
    });
    expect(shop.lists).toBe(2);
  });

  test("a name that is not known waits for the list", async () => {
    const shop = new FakeServer();
    const { registry, pass } = registryOf({ shop });
    await registry.getTools();
    const end = shop.close();
    shop.tools = ["a", "b"];
    pass(300_000);
    await registry.getTools();
    const asked = [registry.getTool("shop__b"), registry.getTool("shop__c")];
    end();
    const [known, unknown] = await Promise.all(asked);
    expect(known?.name).toBe("shop__b");
    expect(unknown).toBeUndefined();
    expect(shop.lists).toBe(2);
  });
});

describe("a server that fails", () => {
  test("keeps its last tools, is reported in a result, and fails alone", async () => {
    const [shop, zoo] = [new FakeServer(), new FakeServer()];
    const { registry, pass } = registryOf({ shop, zoo });
    await registry.getTools();
    shop.error = new Error("Out of bread");
    zoo.tools = ["a", "lion"];
    const message = 'The tools of server "shop" could not be listed: Out of bread';
    const error = { code: "TOOL_UNAVAILABLE", server: "shop", message };
    const servers = { shop: { ok: false, error }, zoo: { ok: true, value: { toolCount: 2, refused: [] } } };
    const report = { ok: false, added: ["zoo__lion"], removed: [], servers };
    expect(await registry.refresh()).toMatchObject(report);
    expect(await namesIn(registry)).toEqual(["shop__a", "zoo__a", "zoo__lion"]);
    expect(registry.servers).toMatchObject([
      { name: "shop", isEnabled: true, toolCount: 1, error },
      { name: "zoo", isEnabled: true, toolCount: 2 },
    ]);
    shop.error = undefined;
    pass(1);
    expect((await registry.refresh("shop")).ok).toBe(true);
    expect(registry.servers[0]).not.toHaveProperty("error");
  });

  test("is left alone for half a minute, unless somebody insists", async () => {
    const shop = new FakeServer();
    shop.error = new Error("Closed");
    const { registry, pass } = registryOf({ shop });
    await registry.getTools();
    pass(29_999);
    await registry.getTools();
    expect([shop.lists, registry.isStale("shop")]).toEqual([1, true]);
    await registry.refresh();
    expect(shop.lists).toBe(2);
    pass(30_000);
    await registry.getTools();
    await vi.waitFor(() => {
      expect(shop.lists).toBe(3);
    });
    registry.invalidate();
    await registry.getTools();
    expect(shop.lists).toBe(4);
  });
});

describe("what comes and goes", () => {
  test("is reported by category, once for each change", async () => {
    const shop = new FakeServer();
    const { registry } = registryOf({ shop });
    const told: RegistryChange[] = [];
    registry.onChange(() => {
      throw new Error("a listener's own fault");
    });
    const stop = registry.onChange((change) => told.push(change));
    await registry.refresh();
    await registry.refresh();
    shop.tools = ["b", "c"];
    const report = await registry.refresh();
    stop();
    shop.tools = [];
    await registry.refresh();
    const first = { added: ["shop__a"], removed: [] };
    const second = { added: ["shop__b", "shop__c"], removed: ["shop__a"] };
    expect(report).toMatchObject(second);
    expect(told).toEqual(
      [first, second].map((change) => ({ ...change, byCategory: { uncategorized: change } })),
    );
  });

  test("is logged, with one trace id for what happens together", async () => {
    const [shop, zoo] = [new FakeServer(), new FakeServer()];
    zoo.error = new Error("Closed");
    const events: (readonly [string, { readonly [name: string]: unknown }])[] = [];
    const logger: Logger = (event, fields) => {
      events.push([event, fields]);
      throw new Error("a full disk");
    };
    const { registry } = registryOf({ shop, zoo }, { logger });
    await registry.refresh();
    const traceId = expect.stringMatching(/^[0-9a-f]{32}$/) as string;
    expect(new Set(events.map(([, fields]) => fields["traceId"]))).toEqual(new Set([traceId]));
    // The servers are listed at the same time, so either may end first.
    expect(Object.fromEntries(events)).toMatchObject({
      "tools.discovery.started": { serverCount: 2, environment: "default" },
      "tools.discovery.server.success": { server: "shop", toolCount: 1 },
      "tools.discovery.server.failed": {
        server: "zoo",
        message: expect.stringContaining("Closed") as string,
      },
      "tools.registry.updated": { staticCount: 0, serverCount: 2 },
    });
    expect(events).toHaveLength(4);
    expect([events[0]?.[0], events[3]?.[0]]).toEqual(["tools.discovery.started", "tools.registry.updated"]);
    registry.removeServerTools("shop");
    const removed = { server: "shop", removedCount: 1 };
    expect(events.slice(4)).toMatchObject([["tools.registry.server.removed", removed]]);
  });
});

describe("a server that is switched off", () => {
  test("by configuration has no tools from the next refresh on, and has them again when it is switched on", async () => {
    const shop = new FakeServer();
    const enabled: { shop: boolean } = { shop: true };
    const events: string[] = [];
    const { registry } = registryOf({ shop }, { enabled, logger: (event) => events.push(event) });
    await registry.getTools();
    enabled.shop = false;
    expect(await namesIn(registry)).toEqual(["shop__a"]);
    expect(await registry.refresh()).toMatchObject({ ok: true, servers: {}, removed: ["shop__a"] });
    expect(await namesIn(registry)).toEqual([]);
    expect(events).toContain("tools.registry.server.removed");
    const error = { code: "TOOL_NOT_FOUND", message: 'Server "shop" is switched off.' };
    expect(await registry.call("shop__a", {})).toMatchObject({ ok: false, error });
    enabled.shop = true;
    shop.error = new Error("Not yet awake");
    expect(await registry.refresh()).toMatchObject({ ok: false, added: ["shop__a"] });
  });

  test.each([
    ...["false", "FALSE", "0", "off", "no"].map((value) => [value, true, []] as const),
    ["maybe", false, []],
    ["true", false, ["shop__a"]],
  ] as const)("by SHOP_MCP_ENABLED=%s, and else by configuration: %s", async (value, shop, names) => {
    process.env["SHOP_MCP_ENABLED"] = value;
    const server = new FakeServer();
    const { registry } = registryOf({ shop: server }, { enabled: { shop } });
    expect(await namesIn(registry)).toEqual(names);
    expect(server.lists).toBe(names.length);
  });
});

test("environments are those that servers have, each a registry of its own", () => {
  const settings = { url: "http://127.0.0.1:9/", environments: { sandbox: {}, production: {} } };
  const registry = createRegistry({ servers: [defineServer({ name: "shop", ...settings })] });
  expect(registry.environments).toEqual(["default", "sandbox", "production"]);
  expect(registry.for("default")).toBe(registry);
  const sandbox = registry.for("sandbox");
  expect(sandbox.environment).toBe("sandbox");
  expect(registry.for("sandbox")).toBe(sandbox);
  expect(sandbox.for("default")).toBe(registry);
  expect(() => registry.for("moon")).toThrow(
    expect.objectContaining({ code: "SERVER_UNKNOWN", hint: 'Known: "default", "sandbox", "production".' }),
  );
});

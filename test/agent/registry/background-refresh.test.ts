/** When a registry lists a server again: the server is slow, or says that its list has changed. */
import { expect, onTestFinished, test, vi } from "vitest";
import { connectTools } from "../../../src/codegen.js";
import { type ServerDefinition, defineServer } from "../../../src/runtime/index.js";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import type { RegistryChange } from "../../../src/agent/registry/registered-tool.js";
import { lockedTool, namesIn } from "./fake-server.js";
import { WeakListeners } from "../../../src/runtime/client/caller.js";
import { limitReactions } from "../../../src/agent/registry/refresh-servers.js";
import { fixtureCommand, startFixture } from "../../servers/start-fixture.js";

test("a server that hangs in tools/list is given up after timeouts.list, and keeps its locked tools", async () => {
  const settings = { contract: "1.0.0", ...fixtureCommand("slow", "--at", "list", "--delay", "60000") };
  const server = defineServer({ name: "slow", ...settings, timeouts: { list: 100 } });
  const time = { now: 0 };
  const warnings: string[] = [];
  const connection = connectTools(server, { find: lockedTool(server, "find") });
  const paged = defineServer({ name: "paged", ...fixtureCommand("paged") });
  const onWarning = (message: string): void => void warnings.push(message);
  const registry = createRegistry({ servers: [connection, paged], now: () => time.now, onWarning });
  const names = await namesIn(registry);
  expect(names).toContain("slow__find");
  expect(names).toHaveLength(9);
  expect(warnings).toEqual([
    'The tools of server "slow" could not be listed: The server "slow" did not list its tools within 100 ms. Raise timeouts.list if it needs longer.',
  ]);
  time.now = 600_000;
  expect(await namesIn(registry)).toEqual(names);
  await connection.close();
});

test.each([
  ["stdio", "stdio", []],
  ["stdio, by a subscription", "stdio", ["--era", "modern"]],
  ["HTTP, on a stream of its own", "http", []],
  ["HTTP, on the stream of the answer", "http", ["--answer", "sse"]],
  ["HTTP, by a subscription", "http", ["--era", "modern"]],
])("a server that says that its list has changed is asked again, over %s", async (_name, transport, more) => {
  const args = ["--notify", "yes", ...more];
  let settings: Partial<ServerDefinition> = fixtureCommand("changes-list", ...args);
  if (transport === "http") {
    const fixture = await startFixture("changes-list", { args });
    onTestFinished(() => fixture.close());
    settings = { url: fixture.url };
  }
  const connection = connectTools(defineServer({ name: "shop", ...settings }), {});
  onTestFinished(() => connection.close());
  const registry = createRegistry({ servers: [connection] });
  expect(await namesIn(registry)).not.toContain("shop__new");
  const change = new Promise<RegistryChange>((resolve) => {
    registry.onChange(resolve);
  });
  await registry.call("shop__change", { id: 1 });
  expect((await change).added).toEqual(["shop__new"]);
  expect(await namesIn(registry)).toContain("shop__new");
});

test("reactions to changed lists come once for a burst, and five seconds after the one before", () => {
  vi.useFakeTimers({ now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  const asked: string[] = [];
  const receive = limitReactions(Date.now, (server) => asked.push(`${server} ${Date.now()}`));
  for (let n = 0; n < 10; n += 1) receive("shop");
  receive("zoo");
  vi.advanceTimersByTime(100);
  expect(asked).toEqual(["shop 100", "zoo 100"]);
  receive("shop");
  vi.advanceTimersByTime(4_999);
  expect(asked).toHaveLength(2);
  vi.advanceTimersByTime(1);
  expect(asked.at(-1)).toBe("shop 5100");
  vi.advanceTimersByTime(60_000);
  receive("shop");
  vi.advanceTimersByTime(100);
  expect(asked.at(-1)).toBe("shop 65200");
});

test("a weak listener is called once, however often it was added", () => {
  const heard: number[] = [];
  const listener = (value: number): void => {
    heard.push(value);
  };
  const listeners = new WeakListeners<number>();
  listeners.add(listener);
  listeners.add(listener);
  listeners.call(1);
  expect(heard).toEqual([1]);
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connectTools } from "../../../src/codegen.js";
import type { Result } from "../../../src/core/call.js";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import { answerStatus } from "../../../src/serve/discovery-handler.js";
import { startFaultProxy, type Fault, type FaultProxy } from "../../servers/fault-proxy.js";
import { startFixture } from "../../servers/start-fixture.js";
import { countingTools } from "./counting-tools.js";

let fixture: Awaited<ReturnType<typeof startFixture>>;
let proxy: FaultProxy;
let fault: Fault = "none";

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  fault = "none";
  fixture = await startFixture("counting");
  proxy = await startFaultProxy(fixture.url, ({ method }) => (method === "tools/call" ? fault : "none"));
});
afterEach(async () => {
  vi.useRealTimers();
  await proxy.close();
  await fixture.close();
});

test("a PHP notice in front of an answer warns that the tool may have run", async () => {
  const { tools } = countingTools({ url: proxy.url });
  fault = "php-notice";
  const message = messageOf(await tools.write.safe({}, ONCE));
  expect(message).toContain("sent a PHP notice in its answer (HTTP 200)");
  expect(message).toContain("The tool may have run");
});

test("while it is open, the status of a registry is not connected", async () => {
  const { server, tools } = countingTools({ url: proxy.url });
  const registry = createRegistry({ servers: [{ server, ...tools }] });
  const status = async (): Promise<unknown> => (await answerStatus(registry)).body["environments"];
  const [environment = ""] = registry.environments;
  const connected = { [environment]: { connected: true } };
  expect(await status()).toMatchObject(connected);
  fault = "error-500";
  for (let n = 0; n < 3; n += 1) await tools.read.safe({}, ONCE);
  const errors = { counting: expect.stringContaining("failed 3 times in a row") as string };
  expect(await status()).toMatchObject({ [environment]: { connected: false, errors } });
  fault = "none";
  passSeconds(30);
  await tools.read.safe({}, ONCE);
  expect(await status()).toMatchObject(connected);
});

const ONCE = { retry: false } as const;
const passSeconds = (seconds: number): void => void vi.setSystemTime(Date.now() + seconds * 1000);
const messageOf = (result: Result<unknown>): string => (result.ok ? "" : result.error.message);
const requests = (): number => proxy.requests.length;

test("three failures in a row open it for thirty seconds, then one call tries", async () => {
  const { tools } = countingTools({ url: proxy.url });
  fault = "error-500";
  for (let n = 0; n < 2; n += 1) expect(messageOf(await tools.read.safe({}, ONCE))).toContain("HTTP 500");
  fault = "none";
  await tools.read({});
  fault = "error-500";
  for (let n = 0; n < 3; n += 1) expect(messageOf(await tools.read.safe({}, ONCE))).toContain("HTTP 500");

  const asked = requests();
  fault = "none";
  passSeconds(12);
  const open = await tools.read.safe({});
  expect(open).toMatchObject({ error: { code: "TOOL_UNAVAILABLE", retryable: true } });
  expect(messageOf(open)).toContain(
    '"counting" failed 3 times in a row and is left alone; it is tried again in 18 s.',
  );
  expect(messageOf(open)).toContain("HTTP 500");
  passSeconds(17);
  expect(await tools.read.safe({})).toMatchObject({ ok: false });
  expect(requests()).toBe(asked);

  passSeconds(1);
  fault = "error-500";
  const [first, ...others] = await Promise.all([1, 2, 3].map(() => tools.read.safe({}, ONCE)));
  expect(first && messageOf(first)).toMatch(
    /^Tool "read" could not be called: The server at .* \(HTTP 500\)/,
  );
  for (const other of others) expect(messageOf(other)).toContain("tried again in 30 s");
  expect(requests()).toBe(asked + 1);

  passSeconds(30);
  fault = "none";
  const together = await Promise.all([1, 2, 3].map(() => tools.read.safe({})));
  expect(together.map(({ ok }) => ok)).toEqual([true, true, true]);
});

test("it belongs to the endpoint, and all connections share it", async () => {
  const { server, tools } = countingTools({ url: proxy.url, environments: { other: { url: fixture.url } } });
  await using one = connectTools(server, tools, ONCE);
  await using two = connectTools(server, tools, { ...ONCE, headers: { "x-other": "yes" } });
  fault = "reset";
  for (const connection of [one, two, one]) {
    expect(messageOf(await connection.read.safe({}))).toContain("closed the connection");
  }
  for (const connection of [one, two])
    expect(messageOf(await connection.read.safe({}))).toContain("left alone");
  expect(await tools.read.safe({}, { environment: "other" })).toMatchObject({ ok: true });
  expect(await tools.read.safe({}, { url: fixture.url })).toMatchObject({ ok: true });
});

test("what the endpoint is not to blame for does not count", async () => {
  const { tools } = countingTools({ url: proxy.url });
  for (let n = 0; n < 4; n += 1) {
    expect(await tools.failing.safe({}, ONCE)).toMatchObject({ error: { code: "TOOL_INVALID_INPUT" } });
    // @ts-expect-error: a wrong type
    expect(await tools.read.safe({ id: "x" })).toMatchObject({ error: { code: "TOOL_INVALID_INPUT" } });
    fault = "hang";
    const stopped = tools.read.safe({}, { signal: AbortSignal.timeout(20) });
    expect(await stopped).toMatchObject({ error: { retryable: false } });
    fault = "garbage";
    expect(messageOf(await tools.read.safe({}))).toContain("not an MCP message");
    fault = "none";
  }
  expect(await tools.read.safe({})).toMatchObject({ ok: true });
});

test("time-outs count, and a connection that calls share fails once", async () => {
  const { tools } = countingTools({ url: proxy.url, timeouts: { connect: 2_000 } });
  fault = "hang";
  for (let n = 0; n < 2; n += 1)
    expect(await tools.read.safe({}, { timeout: 20 })).toMatchObject({ ok: false });
  expect(messageOf(await tools.read.safe({}, { timeout: 20 }))).toContain("within 20 ms");
  expect(messageOf(await tools.read.safe({}))).toContain("left alone");

  await proxy.fall();
  const again = countingTools({ url: proxy.url }).tools;
  for (let n = 0; n < 2; n += 1) {
    const failed = await Promise.all([1, 2, 3, 4].map(() => again.read.safe({}, ONCE)));
    for (const result of failed) expect(messageOf(result)).toContain("refuses connections");
  }
  await proxy.rise();
  fault = "none";
  expect(await again.read.safe({})).toMatchObject({ ok: true });
});

test("a call that waits for another one's try can be aborted", async () => {
  const { tools } = countingTools({ url: proxy.url });
  fault = "reset";
  for (let n = 0; n < 3; n += 1) await tools.read.safe({}, ONCE);
  passSeconds(30);
  fault = "hang";
  const trial = tools.read.safe({}, { timeout: 200 });
  const waiting = tools.write.safe({ id: 1 }, { signal: AbortSignal.timeout(20) });
  expect(await waiting).toMatchObject({ error: { message: expect.stringContaining("aborted") as string } });
  expect(await trial).toMatchObject({ ok: false });
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connectTools } from "../../../src/codegen.js";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import { answerStatus } from "../../../src/serve/discovery-handler.js";
import type { Fault, FaultProxy } from "../../servers/fault-proxy.js";
import { openFixture, openProxy } from "../open-fixture.js";
import { countingTools } from "./counting-tools.js";

const ONCE = { retry: false } as const;
let fixture: Awaited<ReturnType<typeof openFixture>>;
let proxy: FaultProxy;
let fault: Fault = "none";

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  fault = "none";
  fixture = await openFixture("counting");
  proxy = await openProxy(fixture.url, ({ method }) => (method === "tools/call" ? fault : "none"));
});
afterEach(() => {
  vi.useRealTimers();
});

const passSeconds = (seconds: number): void => void vi.setSystemTime(Date.now() + seconds * 1000);
type Read = ReturnType<typeof countingTools>["tools"]["read"];
/** Calls a tool, and returns the words of its error, or none. */
const wordsOf = async (read: Read, options: Parameters<Read>[1] = ONCE): Promise<string> => {
  const result = await read.safe({}, options);
  return result.ok ? "" : result.error.message;
};
/** Lets a tool fail so often in a row. */
async function fail(read: Read, times: number, kind: Fault, words: string): Promise<void> {
  fault = kind;
  for (let n = 0; n < times; n += 1) expect(await wordsOf(read)).toContain(words);
}

test("while it is open, the status of a registry is not connected", async () => {
  const { server, tools } = countingTools({ url: proxy.url });
  const registry = createRegistry({ servers: [{ server, ...tools }] });
  const status = async (): Promise<unknown> =>
    Object.values((await answerStatus(registry)).body["environments"] as object)[0];
  expect(await status()).toMatchObject({ connected: true });
  await fail(tools.read, 3, "error-500", "HTTP 500");
  const errors = { counting: expect.stringContaining("failed 3 times in a row") as string };
  expect(await status()).toMatchObject({ connected: false, errors });
  fault = "none";
  passSeconds(30);
  await tools.read({});
  expect(await status()).toMatchObject({ connected: true });
});

test("three failures in a row open it for thirty seconds, then one call tries", async () => {
  const { read } = countingTools({ url: proxy.url }).tools;
  await fail(read, 2, "error-500", "HTTP 500");
  fault = "none";
  await read({});
  await fail(read, 3, "error-500", "HTTP 500");

  const asked = proxy.requests.length;
  fault = "none";
  passSeconds(12);
  const words = /"counting" failed 3 times in a row and is left alone; it is tried again in 18 s\..*HTTP 500/;
  const message = expect.stringMatching(words) as string;
  expect(await read.safe({})).toMatchObject({
    error: { code: "TOOL_UNAVAILABLE", retryable: true, message },
  });
  passSeconds(17);
  expect(await wordsOf(read, {})).toContain("left alone");
  expect(proxy.requests).toHaveLength(asked);

  passSeconds(1);
  fault = "error-500";
  const [first, ...others] = await Promise.all([1, 2, 3].map(() => wordsOf(read)));
  expect(first).toMatch(/^Tool "read" could not be called: The server at .* \(HTTP 500\)/);
  for (const other of others) expect(other).toContain("tried again in 30 s");
  expect(proxy.requests).toHaveLength(asked + 1);

  passSeconds(30);
  fault = "none";
  expect(await Promise.all([1, 2, 3].map(() => wordsOf(read)))).toEqual(["", "", ""]);
});

test("it belongs to the endpoint, and all connections share it", async () => {
  const { server, tools } = countingTools({ url: proxy.url, environments: { other: { url: fixture.url } } });
  await using one = connectTools(server, tools, ONCE);
  await using two = connectTools(server, tools, { ...ONCE, headers: { "x-other": "yes" } });
  for (const { read } of [one, two, one]) await fail(read, 1, "reset", "closed the connection");
  for (const { read } of [one, two]) expect(await wordsOf(read)).toContain("left alone");
  for (const elsewhere of [{ environment: "other" }, { url: fixture.url }])
    expect(await wordsOf(tools.read, elsewhere)).toBe("");
});

test("what the endpoint is not to blame for does not count", async () => {
  const { failing, read } = countingTools({ url: proxy.url }).tools;
  for (let n = 0; n < 4; n += 1) {
    fault = "none";
    expect(await failing.safe({}, ONCE)).toMatchObject({ error: { code: "TOOL_INVALID_INPUT" } });
    // @ts-expect-error: a wrong type
    expect(await read.safe({ id: "x" })).toMatchObject({ error: { code: "TOOL_INVALID_INPUT" } });
    fault = "hang";
    expect(await wordsOf(read, { signal: AbortSignal.timeout(20) })).toContain("aborted");
    await fail(read, 1, "garbage", "not an MCP message");
  }
  fault = "none";
  expect(await wordsOf(read)).toBe("");
});

test("time-outs count, and a connection that calls share fails once", async () => {
  const { read } = countingTools({ url: proxy.url, timeouts: { connect: 2_000 } }).tools;
  fault = "hang";
  for (let n = 0; n < 3; n += 1) expect(await wordsOf(read, { timeout: 20 })).toContain("within 20 ms");
  expect(await wordsOf(read)).toContain("left alone");

  await proxy.fall();
  const again = countingTools({ url: proxy.url }).tools.read;
  for (let n = 0; n < 2; n += 1)
    for (const words of await Promise.all([1, 2, 3, 4].map(() => wordsOf(again))))
      expect(words).toContain("refuses connections");
  await proxy.rise();
  fault = "none";
  expect(await wordsOf(again)).toBe("");
});

test("a call that waits for another one's try can be aborted", async () => {
  const { read, write } = countingTools({ url: proxy.url }).tools;
  await fail(read, 3, "reset", "closed the connection");
  passSeconds(30);
  fault = "hang";
  const trial = wordsOf(read, { timeout: 200 });
  expect(await wordsOf(write, { signal: AbortSignal.timeout(20) })).toContain("aborted");
  expect(await trial).toContain("within 200 ms");
});

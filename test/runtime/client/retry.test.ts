import { beforeEach, describe, expect, test } from "vitest";
import { connectTools } from "../../../src/codegen.js";
import type { Fault, FaultProxy } from "../../servers/fault-proxy.js";
import { openFixture, openProxy } from "../open-fixture.js";
import type { CallOptions, Connection } from "../../../src/runtime/index.js";
import { type CountingTools, countingTools, tallyOf } from "./counting-tools.js";

let url: string;
let proxy: FaultProxy;
let tools: CountingTools;
let connect: (options?: CallOptions) => CountingTools & Connection;
/** What happens to the next calls of tools, and to what opens sessions. */
let callFaults: Fault[] = [];
let openingFaults: Fault[] = [];

beforeEach(async () => {
  callFaults = [];
  openingFaults = [];
  ({ url } = await openFixture("counting"));
  proxy = await openProxy(url, ({ method }) => {
    if (method === "tools/call") return callFaults.shift() ?? "none";
    return (method === "initialize" ? openingFaults.shift() : undefined) ?? "none";
  });
  const counting = countingTools({ url: proxy.url });
  ({ tools } = counting);
  connect = (options) => connectTools(counting.server, tools, options);
});

const timesCalled = (): number => proxy.requests.filter(({ method }) => method === "tools/call").length;

const PASSING: readonly Fault[] = ["reset", "reset-mid-answer", "cut", "error-500", "error-500-after"];

describe("a read", () => {
  test.each(PASSING)("is tried again after %s", async (fault) => {
    callFaults = [fault, fault];
    expect((await tools.read({ id: 7 })).text).toBe("read 7");
    expect(timesCalled()).toBe(3);
    callFaults = [fault, fault, fault];
    const error = { code: "TOOL_UNAVAILABLE", retryable: true };
    expect(await tools.read.safe({ id: 7 })).toMatchObject({ error });
  });

  test("is tried as often as asked", async () => {
    await using bound = connect({ retry: 0 });
    for (const [called, options, ok] of [
      [tools, { retry: false }, false],
      [bound, {}, false],
      [bound, { retry: 1 }, true],
      [tools, { retry: Number.NaN }, false],
    ] as const) {
      callFaults = ["reset"];
      expect(await called.read.safe({}, options)).toMatchObject({ ok });
    }
  });

  test("is not tried again after a failure that another try cannot fix", async () => {
    callFaults = ["garbage", "none"];
    expect(await tools.read.safe({})).toMatchObject({
      error: { code: "TOOL_UNAVAILABLE", retryable: false },
    });
    callFaults = ["hang-after", "none"];
    expect(await tools.read.safe({}, { timeout: 100 })).toMatchObject({ error: { retryable: true } });
    expect(timesCalled()).toBe(2);
  });

  test("is given up when its signal aborts between two tries, or its time is over", async () => {
    callFaults = Array.from({ length: 20 }, () => "reset");
    const controller = new AbortController();
    const aborted = tools.read.safe({}, { retry: 10, signal: controller.signal });
    await expect.poll(timesCalled).toBeGreaterThan(0);
    controller.abort();
    expect(await aborted).toMatchObject({ error: { code: "TOOL_UNAVAILABLE", retryable: false } });
    const before = timesCalled();
    expect(await tools.read.safe({}, { retry: 10, timeout: 50 })).toMatchObject({ ok: false });
    expect(timesCalled()).toBe(before + 1);
  });
});

describe("a write", () => {
  const AFTER: readonly Fault[] = ["reset-after", "reset-mid-answer", "cut", "error-500-after", "garbage"];

  test.each([...AFTER, "reset", "error-500", "hang-after"] as const)(
    "is sent once, whatever %s says of what became of it",
    async (fault) => {
      callFaults = [fault];
      const result = await tools.write.safe({ id: 1 }, { retry: 5, timeout: 300 });
      expect(result).toMatchObject({ error: { code: "TOOL_UNAVAILABLE" } });
      expect(timesCalled()).toBe(1);
    },
  );

  test("is sent again when no connection was made", async () => {
    openingFaults = ["error-500", "reset-mid-answer"];
    expect((await tools.write({ id: 1 })).text).toBe("written 1");
    await proxy.fall();
    const later = tools.write.safe({ id: 2 }, { retry: 10 });
    const message = expect.stringContaining("refuses connections") as string;
    expect(await tools.write.safe({ id: 3 }, { retry: false })).toMatchObject({ error: { message } });
    await proxy.rise();
    expect(await later).toMatchObject({ ok: true });
    expect((await tallyOf(url)).written).toEqual({ 1: 1, 2: 1 });
  });

  test.each(["read", "write"])(
    "is not sent a third time when the new session ends too (%s)",
    async (name) => {
      await tools.write({ id: 1 });
      callFaults = ["session-loss", "session-loss"];
      const message = expect.stringContaining("ended two sessions in a row") as string;
      const error = { code: "TOOL_UNAVAILABLE", retryable: false, message };
      expect(await tools[name]?.safe({ id: 2 }, { retry: 5 })).toMatchObject({ error });
      expect(timesCalled()).toBe(3);
      expect((await tallyOf(url)).written).toEqual({ 1: 1 });
    },
  );

  test("is not sent again when the tool speaks of a session of its own", async () => {
    const message = expect.stringContaining("Checkout session not found") as string;
    expect(await tools.failing.safe({})).toMatchObject({ error: { message } });
    expect((await tallyOf(url)).failures).toBe(1);
    expect(proxy.requests.filter(({ method }) => method === "initialize")).toHaveLength(1);
  });
});

test("a closed connection is not tried again", async () => {
  const bound = connect();
  callFaults = ["hang"];
  const waiting = bound.read.safe({});
  await expect.poll(timesCalled).toBe(1);
  await bound.close();
  const closed = { code: "TOOL_UNAVAILABLE", retryable: false };
  expect(await waiting).toMatchObject({ error: closed });
  expect(await bound.read.safe({})).toMatchObject({ error: closed });
  expect(timesCalled()).toBe(1);
});

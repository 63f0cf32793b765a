import { setTimeout } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { connectTools } from "../../../src/codegen.js";
import type { Result } from "../../../src/core/call.js";
import { FAULTS, type Fault, type ProxiedRequest } from "../../servers/fault-proxy.js";
import { openFixture, openProxy } from "../open-fixture.js";
import { countingTools, tallyOf } from "./counting-tools.js";
import { runs } from "../../sample.js";

const SEED = Number(process.env["SEED"] ?? 20_260_801);
/** Calls of each of the two kinds of server. */
const RUNS = runs(500, 2.5);
const AT_A_TIME = 50;
const TIMEOUT = 500;
const SHARE_OF_FAULTS = 0.3;

/** Numbers between 0 and 1, the same for the same seed. */
function numbersFrom(seed: number): () => number {
  // From zero, all numbers would be zero.
  let state = (seed % 0x7fffffff) + 1;
  return () => (state = (state * 48_271) % 0x7fffffff) / 0x7fffffff;
}

interface Call {
  readonly id: number;
  readonly tool: "read" | "write";
  readonly isDown: boolean;
  readonly result: Result<unknown>;
}

afterEach(() => {
  vi.useRealTimers();
});

/**
 * Calls, many at a time, of which every request may meet a fault; and now and then the whole server is gone for a
 * moment. Each batch is half a minute later than the last, so that a breaker that is open lets one of its calls try.
 */
async function callUnderFaults(answer: "json" | "sse"): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  const random = numbersFrom(SEED);
  const { url } = await openFixture("counting", { args: ["--answer", answer] });
  const choose = ({ method }: ProxiedRequest): Fault => {
    if (method === "DELETE") return "none";
    // What befalls the opening of a session befalls all the calls that wait for it.
    if (random() >= (method === "tools/call" ? SHARE_OF_FAULTS : SHARE_OF_FAULTS / 4)) return "none";
    return FAULTS[Math.floor(random() * FAULTS.length)] ?? "none";
  };
  const proxy = await openProxy(url, choose);
  const { server, tools } = countingTools({ url: proxy.url, timeouts: { connect: TIMEOUT, call: TIMEOUT } });
  const calls: Call[] = [];
  await using connection = connectTools(server, tools);
  for (let batch = 0; batch < RUNS / AT_A_TIME; batch += 1) {
    vi.setSystemTime(batch * 31_000);
    const isDown = batch % 4 === 3;
    if (isDown) await proxy.fall();
    const running = Array.from({ length: AT_A_TIME }, async (_, index) => {
      const id = batch * AT_A_TIME + index;
      const tool = random() < 0.5 ? "read" : "write";
      calls.push({ id, tool, isDown, result: await connection[tool].safe({ id }) });
    });
    if (isDown) {
      await setTimeout(100);
      await proxy.rise();
    }
    await Promise.all(running);
  }
  // What is still under way in the server counts as well.
  await setTimeout(300);
  judge(calls, (await tallyOf(url)).written);
}

const failedWith = (words: string, { result }: Call): boolean =>
  !result.ok && result.error.message.includes(words);
const isKeptAway = (call: Call): boolean => failedWith("is left alone", call);
/** By a server that hangs, or a machine that is busy. */
const isLate = (call: Call): boolean => failedWith("Raise timeouts.", call);

function judge(calls: readonly Call[], written: Readonly<Record<string, number>>): void {
  expect(calls).toHaveLength(RUNS);
  expect(Object.entries(written).filter(([, times]) => times > 1)).toEqual([]);
  const writes = calls.filter(({ tool }) => tool === "write");
  expect(writes.filter(({ id, result }) => result.ok && written[id] !== 1)).toEqual([]);
  expect(writes.filter((call) => isKeptAway(call) && written[call.id] !== undefined)).toEqual([]);
  for (const { result } of calls) {
    // Where no ping gets through, only the message of an error shows that a session ended.
    if (!result.ok && !result.error.message.includes("Session not found"))
      expect(result.error.code).toBe("TOOL_UNAVAILABLE");
  }
  // Another try does not help after garbage or refused credentials, nor while the server is gone.
  const reads = calls.filter(
    (call) =>
      call.tool === "read" &&
      (call.result.ok || (call.result.error.retryable && !call.isDown && !isKeptAway(call) && !isLate(call))),
  );
  expect(reads.filter(({ result }) => result.ok).length).toBeGreaterThanOrEqual(reads.length * 0.85);
}

test.each(["json", "sse"] as const)(
  "a thousand calls under faults are each settled, and no write is done twice, with answers as %s",
  callUnderFaults,
);

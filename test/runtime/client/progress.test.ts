import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { connectTools } from "../../../src/codegen.js";
import type { Progress } from "../../../src/core/call.js";
import { startFaultProxy, type FaultProxy } from "../../servers/fault-proxy.js";
import { startFixture } from "../../servers/start-fixture.js";
import { countingTools } from "./counting-tools.js";

let fixture: Awaited<ReturnType<typeof startFixture>>;
let proxy: FaultProxy;

beforeEach(async () => {
  fixture = await startFixture("counting", { args: ["--answer", "sse"] });
  proxy = await startFaultProxy(fixture.url, () => "none");
});
afterEach(async () => {
  await proxy.close();
  await fixture.close();
});

describe("progress", () => {
  test("is handed over to the call that it belongs to", async () => {
    const { server, tools } = countingTools({ url: fixture.url });
    await using connection = connectTools(server, tools);
    const heard: Progress[][] = [[], []];
    const calls = heard.map((list) =>
      connection.steps({}, { onProgress: (progress) => list.push(progress) }),
    );
    expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(["watched", "watched"]);
    const message = expect.stringMatching(/^step 1/) as string;
    const steps = [
      { progress: 1, total: 3, message },
      { progress: 2, total: 3 },
      { progress: 3, total: 3 },
    ];
    expect(heard).toMatchObject([steps, steps]);
  });

  test("is not asked for by those who do not listen, and a listener cannot make a call fail", async () => {
    const { tools } = countingTools({ url: fixture.url });
    expect((await tools.steps({})).text).toBe("not watched");
    const onProgress = (): void => {
      throw new Error("A listener failed.");
    };
    expect((await tools.steps({}, { onProgress })).text).toBe("watched");
  });

  test("does not give a call more time", async () => {
    const { tools } = countingTools({ url: fixture.url });
    let told = 0;
    const result = await tools.steps.safe({ delay: 400 }, { timeout: 500, onProgress: () => (told += 1) });
    expect(result).toMatchObject({ error: { code: "TOOL_UNAVAILABLE" } });
    expect(told).toBeLessThan(3);
  });
});

test("an abort and a time-out cancel the call at the server", async () => {
  const { server, tools } = countingTools({ url: proxy.url });
  await using connection = connectTools(server, tools);
  await connection.read({});
  const stopped = connection.steps.safe({ delay: 300 }, { signal: AbortSignal.timeout(50) });
  const message = 'The call of tool "steps" was aborted.';
  expect(await stopped).toMatchObject({ error: { code: "TOOL_UNAVAILABLE", retryable: false, message } });
  const late = await connection.steps.safe({ delay: 300 }, { timeout: 50 });
  expect(late).toMatchObject({ error: { retryable: true } });
  const cancelled = (): unknown[] =>
    proxy.requests
      .filter(({ method }) => method === "notifications/cancelled")
      .map(({ body }) => (JSON.parse(body) as { params: { requestId: unknown } }).params.requestId);
  await expect.poll(cancelled).toHaveLength(2);
  const asked = proxy.requests
    .filter(({ tool }) => tool === "steps")
    .map(({ body }) => (JSON.parse(body) as { id: unknown }).id);
  expect(cancelled()).toEqual(asked);
});

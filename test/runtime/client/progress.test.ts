import { expect, test } from "vitest";
import { connectTools } from "../../../src/codegen.js";
import type { Progress } from "../../../src/core/call.js";
import { openFixture, openProxy } from "../open-fixture.js";
import { countingTools } from "./counting-tools.js";

test("progress is handed over to the call that it belongs to, if it listens", async () => {
  const { url } = await openFixture("counting", { args: ["--answer", "sse"] });
  const { server, tools } = countingTools({ url });
  await using connection = connectTools(server, tools);
  const heard: Progress[][] = [[], []];
  const calls = heard.map((list) => connection.steps({}, { onProgress: (progress) => list.push(progress) }));
  expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(["watched", "watched"]);
  const message = expect.stringMatching(/^step 1/) as string;
  const steps = [{ progress: 1, message }, { progress: 2 }, { progress: 3 }];
  expect(heard).toMatchObject([steps, steps].map((list) => list.map((step) => ({ ...step, total: 3 }))));
  expect((await tools.steps({})).text).toBe("not watched");
  const onProgress = (): void => {
    throw new Error("A listener cannot make a call fail.");
  };
  expect((await tools.steps({}, { onProgress })).text).toBe("watched");
});

test("an abort and a time-out, to which progress adds nothing, cancel the call at the server", async () => {
  const { url } = await openFixture("counting", { args: ["--answer", "sse"] });
  const proxy = await openProxy(url);
  const { server, tools } = countingTools({ url: proxy.url });
  await using connection = connectTools(server, tools);
  await connection.read({});
  const stopped = await connection.steps.safe({ delay: 300 }, { signal: AbortSignal.timeout(50) });
  const message = 'The call of tool "steps" was aborted.';
  expect(stopped).toMatchObject({ error: { code: "TOOL_UNAVAILABLE", retryable: false, message } });
  let heard = 0;
  const late = await connection.steps.safe({ delay: 400 }, { timeout: 500, onProgress: () => (heard += 1) });
  expect(late).toMatchObject({ error: { code: "TOOL_UNAVAILABLE", retryable: true } });
  expect(heard).toBeLessThan(3);
  const messages = () =>
    proxy.requests.flatMap(({ body }) => (body === "" ? [] : [JSON.parse(body) as Sent]));
  const cancelled = () => messages().flatMap(({ params }) => params?.requestId ?? []);
  await expect.poll(cancelled).toHaveLength(2);
  expect(cancelled()).toEqual(messages().flatMap(({ id, params }) => (params?.name === "steps" ? [id] : [])));
});

interface Sent {
  readonly id?: number;
  readonly params?: { readonly name?: string; readonly requestId?: number };
}

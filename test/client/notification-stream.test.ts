import { expect, onTestFinished, test, vi } from "vitest";
import { NotificationStream } from "../../src/client/streams.js";

/** A stream whose requests get these answers; records its requests and messages. */
function open(answer: () => Response | Promise<never>) {
  const signals: AbortSignal[] = [];
  const messages: string[] = [];
  const stream = new NotificationStream(
    (signal) => {
      signals.push(signal);
      return Promise.resolve().then(answer);
    },
    (text) => messages.push(text),
  );
  return { stream, signals, messages };
}

function eventStream(...texts: readonly string[]): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of texts) controller.enqueue(new TextEncoder().encode(text));
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

test("opens while requests are in flight once it is wanted, and passes on messages", async () => {
  const texts = ["event: message\ndata: {}\n", "\n: comment\n\n"];
  const { stream, signals, messages } = open(() => eventStream(...texts));
  stream.setBusy(true);
  expect(signals).toHaveLength(0);
  stream.listen();
  stream.listen();
  expect(signals).toHaveLength(1);
  await vi.waitUntil(() => messages.length > 0);
  expect(messages).toEqual(["{}"]);
  stream.close();
  expect(signals[0]?.aborted).toBe(true);
  stream.setBusy(true);
  expect(signals).toHaveLength(1);
});

test("closes a second after the last request, and reopens with the next", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { stream, signals } = open(() => eventStream());
  stream.listen();
  for (const _request of [1, 2]) {
    stream.setBusy(true);
    stream.setBusy(false);
    vi.advanceTimersByTime(999);
  }
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  vi.advanceTimersByTime(1);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  stream.setBusy(true);
  expect(signals).toHaveLength(2);
});

test.each([
  ["not requested again after HTTP 405", 1, () => new Response("", { status: 405 })],
  [
    "not requested again after a page",
    1,
    () => new Response("<html>", { headers: { "content-type": "text/html" } }),
  ],
  ["reopened with the next request when it breaks", 2, () => Promise.reject(new TypeError("fetch failed"))],
])("is %s", async (_what, requests, answer) => {
  const { stream, signals, messages } = open(answer);
  stream.listen();
  stream.setBusy(true);
  await vi.waitUntil(() => signals[0]?.aborted);
  stream.setBusy(false);
  stream.setBusy(true);
  expect([signals.length, messages]).toEqual([requests, []]);
});

import { describe, expect, test, vi } from "vitest";
import { NotificationStream } from "../../src/client/streams.js";

/** A stream whose requests get these answers; records its requests and messages. */
function open(answer: () => Response) {
  const signals: AbortSignal[] = [];
  const messages: string[] = [];
  const stream = new NotificationStream(
    (signal) => {
      signals.push(signal);
      return Promise.resolve(answer());
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

describe("NotificationStream", () => {
  test("opens while requests are in flight once it is wanted, and passes on messages", async () => {
    const { stream, signals, messages } = open(() =>
      eventStream("event: message\ndata: {}\n", "\n: comment\n\n"),
    );
    stream.setBusy(true);
    expect(signals).toHaveLength(0);
    stream.listen();
    stream.listen();
    expect(signals).toHaveLength(1);
    await vi.waitFor(() => {
      expect(messages).toEqual(["{}"]);
    });
    stream.close();
    expect(signals[0]?.aborted).toBe(true);
    stream.setBusy(true);
    expect(signals).toHaveLength(1);
  });

  test("closes a second after the last request, and reopens with the next", () => {
    vi.useFakeTimers();
    try {
      const { stream, signals } = open(() => eventStream());
      stream.listen();
      stream.setBusy(true);
      stream.setBusy(false);
      vi.advanceTimersByTime(999);
      stream.setBusy(true);
      stream.setBusy(false);
      vi.advanceTimersByTime(999);
      expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
      vi.advanceTimersByTime(1);
      expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
      stream.setBusy(true);
      expect(signals).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([
    ["405", () => new Response("", { status: 405 })],
    ["a page", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
  ])("is not requested again after %s", async (_what, answer) => {
    const { stream, signals, messages } = open(answer);
    stream.listen();
    stream.setBusy(true);
    await vi.waitFor(() => {
      expect(signals[0]?.aborted).toBe(true);
    });
    stream.setBusy(false);
    stream.setBusy(true);
    expect([signals.length, messages]).toEqual([1, []]);
  });

  test("reopens with the next request when it breaks", async () => {
    const { stream, signals } = open(() => {
      throw new TypeError("fetch failed");
    });
    stream.listen();
    stream.setBusy(true);
    await vi.waitFor(() => {
      expect(signals[0]?.aborted).toBe(true);
    });
    stream.setBusy(true);
    expect(signals).toHaveLength(2);
  });
});

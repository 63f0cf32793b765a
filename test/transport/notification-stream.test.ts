import { describe, expect, test, vi } from "vitest";
import { NotificationStream } from "../../src/transport/notification-stream.js";

/** Answers of a server to the requests for its stream, and what was asked of it. */
function open(answer: () => Response) {
  const signals: AbortSignal[] = [];
  const heard: string[] = [];
  const stream = new NotificationStream(
    (signal) => {
      signals.push(signal);
      return Promise.resolve(answer());
    },
    (text) => heard.push(text),
  );
  return { stream, signals, heard };
}

function eventStream(...texts: readonly string[]): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of texts) controller.enqueue(new TextEncoder().encode(text));
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

describe("the stream of a server's own messages", () => {
  test("is opened when it is wanted and requests are in flight, and hands over messages", async () => {
    const { stream, signals, heard } = open(() =>
      eventStream("event: message\ndata: {}\n", "\n: comment\n\n"),
    );
    stream.setBusy(true);
    expect(signals).toHaveLength(0);
    stream.listen();
    stream.listen();
    expect(signals).toHaveLength(1);
    await vi.waitFor(() => {
      expect(heard).toEqual(["{}"]);
    });
    stream.close();
    expect(signals[0]?.aborted).toBe(true);
    stream.setBusy(true);
    expect(signals).toHaveLength(1);
  });

  test("ends a second after the last request, and is opened again by the next", () => {
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
  ])("is not asked for again after %s", async (_what, answer) => {
    const { stream, signals, heard } = open(answer);
    stream.listen();
    stream.setBusy(true);
    await vi.waitFor(() => {
      expect(signals[0]?.aborted).toBe(true);
    });
    stream.setBusy(false);
    stream.setBusy(true);
    expect([signals.length, heard]).toEqual([1, []]);
  });

  test("that breaks is opened again by the next request", async () => {
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

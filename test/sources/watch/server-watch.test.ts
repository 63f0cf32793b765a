import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { McpCodegenError } from "../../../src/core/errors.js";
import type { ServerSnapshot } from "../../../src/core/snapshot.js";
import type { ListenEvents, Session } from "../../../src/client/session.js";
import { ServerWatch, type ServerWatchOptions } from "../../../src/sources/watch/server-watch.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

class FakeSession implements Session {
  readonly identity = { serverInfo: {}, protocolVersion: "", capabilities: {} };
  isClosed = false;
  isHeld = false;
  events: ListenEvents = {};
  onNotification?: Session["onNotification"] & object;
  listen(events: ListenEvents = {}): void {
    this.events = events;
    events.onStart?.();
  }
  announce(): void {
    this.onNotification?.("notifications/tools/list_changed", {});
  }
  hold(): () => void {
    this.isHeld = true;
    return () => undefined;
  }
  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }
  receiveRequests = (): void => undefined;
  request = (): Promise<never> => Promise.reject(new Error("not requested"));
  watchProgress = (): never => {
    throw new Error("not watched");
  };
  scrub = (text: string): string => text;
}

function snapshotOf(
  capabilities: ServerSnapshot["identity"]["capabilities"],
  ttlMs?: number,
): ServerSnapshot {
  return {
    server: "shop",
    identity: { serverInfo: {}, protocolVersion: "2025-11-25", capabilities },
    listing: { clientCapabilities: {}, pages: 1 },
    ...(ttlMs !== undefined && { ttlMs }),
    tools: [],
    unusable: {},
    diagnostics: [],
  };
}

const SILENT = snapshotOf({ tools: {} });
const ANNOUNCING = snapshotOf({ tools: { listChanged: true } });

/** A watch with its wakes and sessions. */
function watchOf(more: Partial<ServerWatchOptions> = {}) {
  const sessions: FakeSession[] = [];
  const wake = vi.fn();
  const watch = new ServerWatch({
    isStarted: false,
    lists: ["tools"],
    interval: undefined,
    wake,
    onError: (error) => {
      throw error;
    },
    open: () => {
      const session = new FakeSession();
      sessions.push(session);
      return Promise.resolve(session);
    },
    ...more,
  });
  const list = async (snapshot: ServerSnapshot | undefined, isChanged = false): Promise<void> => {
    watch.resume({ isListed: snapshot !== undefined, isChanged, ...(snapshot && { snapshot }) });
    await watch.settled();
  };
  /** Returns the seconds until the next wake, within two days. */
  const nextWake = (): number => {
    const before = wake.mock.calls.length;
    for (let second = 0; second < 172_800; second += 1) {
      if (wake.mock.calls.length > before) return second;
      vi.advanceTimersByTime(1_000);
    }
    return Number.POSITIVE_INFINITY;
  };
  return { watch, sessions, wake, list, nextWake };
}

describe("a server without notifications", () => {
  test.each([
    ["thirty seconds", SILENT, undefined, 30],
    ["the time that it states", snapshotOf({}, 7_000), undefined, 7],
    ["a second, where it states less", snapshotOf({}, 3), undefined, 1],
    ["a day, where it states more", snapshotOf({}, 1e12), undefined, 86_400],
    ["thirty seconds, where it states 0", snapshotOf({}, 0), undefined, 30],
    ["the interval of the user", snapshotOf({}, 7_000), 5_000, 5],
  ])("is read again after %s", async (_name, snapshot, interval, seconds) => {
    const { list, nextWake, sessions } = watchOf({ interval });
    await list(snapshot);
    expect([nextWake(), sessions]).toEqual([seconds, []]);
  });

  test("that fails is tried again after pauses that double up to thirty seconds, and start again once it answers", async () => {
    const { list, nextWake } = watchOf();
    const pauses: number[] = [];
    for (const snapshot of [...Array<undefined>(7), SILENT, undefined]) {
      await list(snapshot);
      pauses.push(nextWake());
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30, 30, 1]);
  });
});

describe("a server with notifications", () => {
  test("is read once when the session is open, and then when it announces a change", async () => {
    const { list, nextWake, sessions, wake, watch } = watchOf();
    await list(ANNOUNCING);
    expect([wake.mock.calls.length, sessions[0]?.isHeld, watch.mode]).toEqual([
      1,
      true,
      { by: "notifications" },
    ]);
    await list(ANNOUNCING);
    sessions[0]?.announce();
    expect([wake.mock.calls.length, sessions.length, nextWake()]).toEqual([2, 1, Number.POSITIVE_INFINITY]);
  });

  test("is read at most once a second", async () => {
    const { list, sessions, wake } = watchOf();
    await list(ANNOUNCING);
    for (let index = 0; index < 50; index += 1) sessions[0]?.announce();
    expect(wake).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(1_000);
    expect(wake).toHaveBeenCalledTimes(3);
    vi.advanceTimersByTime(60_000);
    expect(wake).toHaveBeenCalledTimes(3);
  });

  test("is read again after its session ended, with pauses that grow while sessions end at once", async () => {
    const { list, nextWake, sessions } = watchOf();
    const pauses: number[] = [];
    for (let index = 0; index < 4; index += 1) {
      await list(ANNOUNCING);
      sessions.at(-1)?.events.onEnd?.(false);
      pauses.push(nextWake());
    }
    expect(pauses).toEqual([1, 2, 4, 8]);
    await list(ANNOUNCING);
    vi.advanceTimersByTime(30_000);
    sessions.at(-1)?.events.onEnd?.(false);
    expect(nextWake()).toBe(1);
    expect(sessions.map(({ isClosed }) => isClosed)).toEqual([true, true, true, true, true]);
  });

  test("is polled once it refuses to send them", async () => {
    const { list, nextWake, sessions, watch } = watchOf();
    await list(ANNOUNCING);
    sessions[0]?.events.onEnd?.(true);
    expect([nextWake(), watch.mode]).toEqual([30, { by: "polling", milliseconds: 30_000 }]);
    await list(ANNOUNCING);
    expect([nextWake(), sessions.length]).toEqual([30, 1]);
  });

  test("is tried again if a session cannot be opened", async () => {
    const open = (): Promise<never> => Promise.reject(new McpCodegenError("SERVER_UNREACHABLE", "Down."));
    const { list, nextWake } = watchOf({ open });
    await list(ANNOUNCING);
    expect(nextWake()).toBe(1);
  });

  test("is polled too if it is started for each list, and then gets a session with its new code", async () => {
    const { list, nextWake, sessions } = watchOf({ isStarted: true });
    await list(ANNOUNCING);
    expect(nextWake()).toBe(30);
    await list(ANNOUNCING);
    expect([nextWake(), sessions.length]).toEqual([30, 1]);
    await list(ANNOUNCING, true);
    expect(sessions.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    // A process that lists other tools each time must not be started without end.
    await list(ANNOUNCING, true);
    expect(sessions).toHaveLength(2);
    // Its script was written: the list was read without a poll or a notification before.
    await list(ANNOUNCING, true);
    expect(sessions.map(({ isClosed }) => isClosed)).toEqual([true, true, false]);
  });

  test("is polled if it does not announce all lists that are locked", async () => {
    const { list, nextWake } = watchOf({ lists: ["tools", "prompts"] });
    await list(snapshotOf({ tools: { listChanged: true }, prompts: {} }));
    expect(nextWake()).toBe(30);
  });
});

test("ends its session and wakes no more once it is closed", async () => {
  const { list, nextWake, sessions, watch, wake } = watchOf();
  await list(ANNOUNCING);
  sessions[0]?.announce();
  sessions[0]?.announce();
  await watch.close();
  await list(undefined);
  expect([sessions[0]?.isClosed, wake.mock.calls.length, nextWake()]).toEqual([
    true,
    2,
    Number.POSITIVE_INFINITY,
  ]);
});

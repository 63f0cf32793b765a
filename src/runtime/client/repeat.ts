import { ExponentialBackoff, halfJitterGenerator } from "cockatiel";
import type { AbortSignalLike } from "../../transport/abort-signal.js";
import { systemClock } from "../clock.js";
import { waitUnlessAborted } from "./wait-unless-aborted.js";

const DEFAULT_RETRIES = 2;
const MOST_RETRIES = 10;
/** Milliseconds. Half of each pause is left to chance, so that clients do not come back all at once. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;

export interface RepeatOptions {
  /** How often after the first time; at most ten times. Default: 2. */
  readonly retry?: number | false;
  /** Milliseconds for all of it. */
  readonly limit: number | undefined;
  readonly signal?: AbortSignalLike;
  readonly mayRepeat: (error: unknown) => boolean;
}

/** What the work comes to, tried again with growing pauses while it fails in a way that may be repeated. */
export async function repeat<T>(
  work: (timeout: number | undefined) => Promise<T>,
  { retry = DEFAULT_RETRIES, limit, signal, mayRepeat }: RepeatOptions,
): Promise<T> {
  const start = systemClock();
  let left = retry === false ? 0 : Math.min(Number.isNaN(retry) ? 0 : retry, MOST_RETRIES);
  let pause = new ExponentialBackoff({
    generator: halfJitterGenerator,
    initialDelay: FIRST_PAUSE,
    maxDelay: LONGEST_PAUSE,
  }).next();
  let timeout = limit;
  for (;;) {
    try {
      return await work(timeout);
    } catch (error) {
      if (left < 1 || signal?.aborted === true || !mayRepeat(error)) throw error;
      if (limit !== undefined) timeout = start + limit - systemClock() - pause.duration;
      if (timeout !== undefined && timeout <= 0) throw error;
    }
    await sleep(pause.duration, signal);
    pause = pause.next(undefined);
    left -= 1;
  }
}

async function sleep(milliseconds: number, signal: AbortSignalLike | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  try {
    await waitUnlessAborted(passed, signal);
  } finally {
    clearTimeout(timer);
  }
}

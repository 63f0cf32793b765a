import {
  BrokenCircuitError,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  halfJitterGenerator,
  handleWhen,
} from "cockatiel";
import { explainError, McpCodegenError } from "../../core/errors.js";
import type { AbortSignalLike } from "../../core/abort-signal.js";
import { systemClock } from "../events.js";
import type { ServerDefinition } from "../../core/tool.js";
import { isEndpointFailure, markUnsent, noteOutage, sleep, waitUnlessAborted } from "./caller.js";

const FAILURES = 3;
const PAUSE = 30_000;
/** As many as there may be shared clients, see `pooled-client.ts`. */
const MOST_PER_SERVER = 64;

/** By server, environment and URL: all connections to an endpoint share its breaker. */
const breakers = /* @__PURE__ */ new WeakMap<ServerDefinition, Map<string, Breaker>>();

/** The circuit breaker of a configured endpoint; all credentials share it. */
export function findBreaker(
  server: ServerDefinition,
  { environment, url }: { readonly environment?: string | undefined; readonly url?: string | undefined },
): Breaker {
  const ofServer = breakers.get(server) ?? new Map<string, Breaker>();
  breakers.set(server, ofServer);
  const key = JSON.stringify([environment, url]);
  const note = (reason: string | undefined): void => {
    // Another URL says nothing about the configured one.
    if (url === undefined) noteOutage(server, environment, reason);
  };
  const breaker = ofServer.get(key) ?? createBreaker(server.name, note);
  ofServer.delete(key);
  ofServer.set(key, breaker);
  const [oldest] = ofServer.keys();
  if (ofServer.size > MOST_PER_SERVER && oldest !== undefined) ofServer.delete(oldest);
  return breaker;
}

type Breaker = ReturnType<typeof createBreaker>;

/**
 * Keeps calls from an endpoint that is down. After it caused three calls in a row to fail, calls fail at once for thirty
 * seconds. Then one call is sent, and calls that come meanwhile wait for its outcome.
 */
function createBreaker(name: string, note: (reason: string | undefined) => void) {
  let opened = 0;
  let reason = "";
  // Calls that shared a session fail with one error, which counts as one failure.
  const counted = new WeakSet<Error>();
  const isNewFailure = (error: Error): boolean => {
    if (!isEndpointFailure(error) || counted.has(error)) return false;
    counted.add(error);
    reason = explainError(error);
    return true;
  };
  const policy = circuitBreaker(handleWhen(isNewFailure), {
    halfOpenAfter: PAUSE,
    breaker: new ConsecutiveBreaker(FAILURES),
  });
  policy.onBreak(() => {
    opened = systemClock();
    note(`${JSON.stringify(name)} failed ${FAILURES} times in a row. The last failure: ${reason}`);
  });
  policy.onReset(() => {
    note(undefined);
  });
  return {
    /** @throws McpCodegenError `SERVER_UNREACHABLE` at once while the breaker is open; otherwise the error of `work` */
    run: async <T>(work: () => Promise<T>, signal: AbortSignalLike | undefined): Promise<T> => {
      try {
        if (policy.state !== CircuitState.HalfOpen) return await policy.execute(work);
        const waiting = policy.execute(async () => {
          // Do not retry for a caller that has stopped waiting.
          await waitUnlessAborted(Promise.resolve(), signal);
          return work();
        });
        return await waitUnlessAborted(waiting, signal);
      } catch (error) {
        if (!(error instanceof BrokenCircuitError)) throw error;
        const seconds = Math.max(1, Math.ceil((opened + PAUSE - systemClock()) / 1000));
        const message = `${JSON.stringify(name)} failed ${FAILURES} times in a row and is left alone; it is tried again in ${seconds} s.`;
        const hint = `The last failure: ${reason}`;
        throw markUnsent(new McpCodegenError("SERVER_UNREACHABLE", message, { hint }));
      }
    },
  };
}

const DEFAULT_RETRIES = 2;
const MOST_RETRIES = 10;
/** Milliseconds. Half of each pause is random, so that clients do not come back all at once. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;

interface RepeatOptions {
  /** How many times to repeat, at most ten. Default: 2. */
  readonly retry?: number | false | undefined;
  /** Milliseconds for all attempts together. */
  readonly limit: number | undefined;
  readonly signal?: AbortSignalLike | undefined;
  readonly mayRepeat: (error: unknown) => boolean;
}

/** Returns a function that repeats work with growing pauses while it fails with an error that `mayRepeat` accepts. */
export function repeated<T>(
  work: (timeout: number | undefined) => Promise<T>,
  { retry = DEFAULT_RETRIES, limit, signal, mayRepeat }: RepeatOptions,
): () => Promise<T> {
  return async () => {
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
  };
}

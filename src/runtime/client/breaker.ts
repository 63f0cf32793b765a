import { BrokenCircuitError, circuitBreaker, CircuitState, ConsecutiveBreaker, handleWhen } from "cockatiel";
import { explainError, McpCodegenError } from "../../contract/errors.js";
import type { AbortSignalLike } from "../../transport/abort-signal.js";
import { systemClock } from "../clock.js";
import type { ServerDefinition } from "../tool.js";
import { noteOutage } from "./outages.js";
import { isEndpointFailure, markUnsent } from "./failures.js";
import { waitUnlessAborted } from "./wait-unless-aborted.js";

const FAILURES = 3;
const PAUSE = 30_000;
/** As many as there may be shared connections; see `find-shared-caller.ts`. */
const MOST_PER_SERVER = 64;

/** By server, environment and address, so that all connections to an endpoint know what became of the others. */
const breakers = /* @__PURE__ */ new WeakMap<ServerDefinition, Map<string, Breaker>>();

/** The circuit breaker of a configured endpoint; all credentials share it. */
export function findBreaker(
  server: ServerDefinition,
  { environment, url }: { readonly environment?: string; readonly url?: string },
): Breaker {
  const ofServer = breakers.get(server) ?? new Map<string, Breaker>();
  breakers.set(server, ofServer);
  const key = JSON.stringify([environment, url]);
  const note = (reason: string | undefined): void => {
    // A connection to an address of its own does not speak for the server.
    if (url === undefined) noteOutage(server, environment, reason);
  };
  const breaker = ofServer.get(key) ?? new Breaker(server.name, note);
  ofServer.delete(key);
  ofServer.set(key, breaker);
  const [oldest] = ofServer.keys();
  if (ofServer.size > MOST_PER_SERVER && oldest !== undefined) ofServer.delete(oldest);
  return breaker;
}

/**
 * Keeps calls from an endpoint that is down: after three calls in a row that failed by its fault, none is let through
 * for thirty seconds, then one. What that one comes to decides, and calls that come meanwhile wait for it.
 */
class Breaker {
  readonly #name: string;
  readonly #policy;
  #opened = 0;
  #reason = "";

  constructor(name: string, note: (reason: string | undefined) => void = () => undefined) {
    this.#name = name;
    // Calls that shared a connection fail with one error, which is one failure.
    const counted = new WeakSet<Error>();
    const isNewFailure = (error: Error): boolean => {
      if (!isEndpointFailure(error) || counted.has(error)) return false;
      counted.add(error);
      this.#reason = explainError(error);
      return true;
    };
    this.#policy = circuitBreaker(handleWhen(isNewFailure), {
      halfOpenAfter: PAUSE,
      breaker: new ConsecutiveBreaker(FAILURES),
    });
    this.#policy.onBreak(() => {
      this.#opened = systemClock();
      note(`${JSON.stringify(name)} failed ${FAILURES} times in a row. The last failure: ${this.#reason}`);
    });
    this.#policy.onReset(() => {
      note(undefined);
    });
  }

  /** @throws McpCodegenError `SERVER_UNREACHABLE` at once while the breaker is open; whatever `work` throws. */
  async run<T>(work: () => Promise<T>, signal: AbortSignalLike | undefined): Promise<T> {
    try {
      if (this.#policy.state !== CircuitState.HalfOpen) return await this.#policy.execute(work);
      const waiting = this.#policy.execute(async () => {
        // Do not retry for a caller that has stopped waiting.
        await waitUnlessAborted(Promise.resolve(), signal);
        return work();
      });
      return await waitUnlessAborted(waiting, signal);
    } catch (error) {
      if (!(error instanceof BrokenCircuitError)) throw error;
      const seconds = Math.max(1, Math.ceil((this.#opened + PAUSE - systemClock()) / 1000));
      const message = `${JSON.stringify(this.#name)} failed ${FAILURES} times in a row and is left alone; it is tried again in ${seconds} s.`;
      const hint = `The last failure: ${this.#reason}`;
      throw markUnsent(new McpCodegenError("SERVER_UNREACHABLE", message, { hint }));
    }
  }
}

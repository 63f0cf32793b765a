import type { Endpoint } from "../../client/endpoint.js";
import type { Session } from "../../client/session.js";
import { getOwn, type JsonValue } from "../../core/json.js";
import type { ConnectOptions } from "../../core/call.js";
import type { ServerDefinition } from "../../core/tool.js";
import {
  type CallerOptions,
  ClosedError,
  isSessionDoubted,
  isSessionLost,
  isUnauthorized,
  markUnsent,
  waitUnlessAborted,
  WeakListeners,
} from "./caller.js";

const LIST_CHANGED = "notifications/tools/list_changed";
const ELICITATION_COMPLETE = "notifications/elicitation/complete";

/** A program that calls no tool needs no client. */
const loadOpening = async () => import("./open-server.js");

export interface PooledSession {
  readonly endpoint: Endpoint;
  readonly session: Session;
  inFlight: number;
}

/**
 * Opens a session with a server when a call needs one, and shares it. A session that failed to open or broke is replaced
 * for the next call. A replaced session stays open until the calls in it have ended.
 */
export class SessionPool {
  readonly #server: ServerDefinition;
  readonly #options: ConnectOptions;
  readonly #onAnswered: (elicitationId: JsonValue | undefined) => void;
  /** All sessions that are not closed. */
  readonly #alive = new Set<PooledSession>();
  readonly #listeners = new WeakListeners<Session>();
  #isClosed = false;
  /** Whether new sessions declare that questions can be answered: from the first call on that has a handler. */
  #canAnswer: boolean;
  /** The session that calls share; absent if the next call opens one. */
  #current: Promise<PooledSession> | undefined;
  /** The session of `#current`, once it is open. */
  #opened: PooledSession | undefined;
  /** The session that was opened last. It outlives `#opened`, since errors are scrubbed after a session is lost. */
  #latest: Session | undefined;

  /** @param onAnswered called when a server reports that a person has finished at an address */
  constructor(
    server: ServerDefinition,
    options: ConnectOptions,
    onAnswered: (elicitationId: JsonValue | undefined) => void,
  ) {
    this.#server = server;
    this.#options = options;
    this.#onAnswered = onAnswered;
    this.#canAnswer = options.onInput !== undefined;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get canAnswer(): boolean {
    return this.#canAnswer;
  }

  /** Returns a session, which {@link release} gives back. */
  async acquire({ signal, onInput }: CallerOptions): Promise<PooledSession> {
    if (this.#isClosed) throw new ClosedError(this.#server.name);
    if (onInput !== undefined && !this.#canAnswer) this.#declareAnswers();
    else if (this.#opened?.session.isClosed === true) this.leave(this.#opened);
    const pooled = await waitUnlessAborted(this.#current ?? this.#open(), signal);
    pooled.inFlight += 1;
    return pooled;
  }

  release(pooled: PooledSession): void {
    pooled.inFlight -= 1;
    this.#closeIfLeft(pooled);
  }

  /** Makes the next call open another session. */
  leave(pooled: PooledSession): void {
    // Of several calls that find a session gone, only the first may drop it.
    if (this.#opened === pooled) this.#dropCurrent();
    this.#closeIfLeft(pooled);
  }

  /**
   * Leaves a session that the server may no longer accept. Returns whether a new one may succeed: after a refusal of the
   * credentials, only if variables now give other ones or another address.
   */
  async replace(pooled: PooledSession, error: unknown): Promise<boolean> {
    if (!isSessionLost(error) && !isSessionDoubted(error) && !isUnauthorized(error)) return false;
    this.leave(pooled);
    if (!isUnauthorized(error)) return true;
    const { resolveServer } = await loadOpening();
    const now = resolveServer(this.#server, this.#options);
    return fingerprintOf(now) !== fingerprintOf(pooled.endpoint);
  }

  listen(listener: (session: Session) => void): void {
    this.#listeners.add(listener);
    this.#opened?.session.listen();
  }

  scrub(text: string): string {
    return this.#latest?.scrub(text) ?? text;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#current?.catch(() => undefined);
    this.#dropCurrent();
    await Promise.all([...this.#alive].map(({ session }) => session.close()));
    this.#alive.clear();
  }

  #declareAnswers(): void {
    const opened = this.#opened;
    this.#canAnswer = true;
    this.#dropCurrent();
    if (opened !== undefined) this.#closeIfLeft(opened);
  }

  #dropCurrent(): void {
    this.#current = undefined;
    this.#opened = undefined;
  }

  #open(): Promise<PooledSession> {
    const current = this.#openSession(this.#canAnswer).then(
      (pooled) => {
        this.#alive.add(pooled);
        this.#latest = pooled.session;
        if (this.#current === current) this.#opened = pooled;
        return pooled;
      },
      (error: unknown) => {
        if (this.#current === current) this.#dropCurrent();
        throw error instanceof Error ? markUnsent(error) : error;
      },
    );
    this.#current = current;
    return current;
  }

  async #openSession(canAnswer: boolean): Promise<PooledSession> {
    const { resolveServer, openServer } = await loadOpening();
    const endpoint = resolveServer(this.#server, this.#options);
    const session = await openServer(this.#server, endpoint, { ...this.#options, canAnswer });
    session.onNotification = (method, params) => {
      if (method === LIST_CHANGED) this.#listeners.call(session);
      if (method === ELICITATION_COMPLETE) this.#onAnswered(getOwn(params, "elicitationId"));
    };
    if (canAnswer) session.receiveRequests();
    if (this.#listeners.hasAny) session.listen();
    return { endpoint, session, inFlight: 0 };
  }

  #closeIfLeft(pooled: PooledSession): void {
    if (this.#opened === pooled || pooled.inFlight > 0 || !this.#alive.delete(pooled)) return;
    void pooled.session.close();
  }
}

/** The settings of an endpoint, without the tokens that it got since. */
function fingerprintOf(endpoint: Endpoint): string {
  return JSON.stringify({ ...endpoint, secrets: undefined, tokens: undefined });
}

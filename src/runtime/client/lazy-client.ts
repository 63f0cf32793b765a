import { McpCodegenError } from "../../contract/errors.js";
import { getOwn, type JsonObject } from "../../contract/json.js";
import type { Endpoint } from "../../transport/endpoint.js";
import type { Session } from "../../transport/session.js";
import type { ConnectOptions } from "../call-options.js";
import type { OnInput } from "../input-question.js";
import type { ServerDefinition } from "../tool.js";
import { callTool } from "./call-tool.js";
import type { Caller, CallerOptions, ReadRequest, RequestOrigin, ToolRequest, UseOptions } from "./caller.js";
import { exchange } from "./exchange.js";
import {
  ClosedError,
  isPassing,
  isSessionLost,
  isUnauthorized,
  isUnsent,
  isWorthRepeating,
  markUnsent,
} from "./failures.js";
import { InputAsker } from "./input-asker.js";
import { capabilitiesOf, openServer, resolveServer } from "./open-server.js";
import { waitUnlessAborted } from "./wait-unless-aborted.js";
import { WeakListeners } from "./weak-listeners.js";

const LIST_CHANGED = "notifications/tools/list_changed";
const ELICITATION_COMPLETE = "notifications/elicitation/complete";

interface Opened {
  readonly endpoint: Endpoint;
  readonly session: Session;
  inFlight: number;
}

/** What is done in a session. */
type Work<T> = (session: Session, options: UseOptions) => Promise<T>;

/**
 * A connection to a server that is made when it is needed. Calls that come while it is being made share it; one that
 * could not be made, or broke, is made anew by the next call.
 */
export class LazyClient implements Caller {
  readonly #server: ServerDefinition;
  readonly #options: ConnectOptions;
  #opening: Promise<Opened> | undefined;
  /** What `#opening` came to. */
  #opened: Opened | undefined;
  /** What is not closed yet: sessions that were left stay for the calls that are in them. */
  readonly #alive = new Set<Opened>();
  readonly #listeners = new WeakListeners<Session>();
  #lastSession: Session | undefined;
  #inFlight = 0;
  #isRetired = false;
  #isClosed = false;
  /** Whether sessions declare that somebody can answer questions: from the first call on that has a handler. */
  #canAnswer: boolean;
  /** The calls that run now, which may be asked. */
  readonly #askers = new Set<InputAsker>();

  /** The handler of all calls; absent where each call has its own. */
  readonly #onInput: OnInput | undefined;

  /** @param more.isShared whether the options are those of the first call, whose handler is not that of others */
  constructor(
    server: ServerDefinition,
    options: ConnectOptions,
    { isShared = false }: { readonly isShared?: boolean } = {},
  ) {
    this.#server = server;
    this.#options = options;
    this.#onInput = isShared ? undefined : options.onInput;
    this.#canAnswer = options.onInput !== undefined;
  }

  call(request: ToolRequest, options: CallerOptions): Promise<unknown> {
    const { origin, isRepeatable } = request;
    return this.#ask({ origin, isRepeatable }, options, (session, given, asker) =>
      callTool(session, request, given, asker),
    );
  }

  read(request: ReadRequest, options: CallerOptions): Promise<JsonObject> {
    return this.#ask({ origin: request.origin, isRepeatable: true }, options, (session, given, asker) =>
      exchange(session, request, given, asker),
    );
  }

  /** Sends a request whose answer may be questions. */
  async #ask(
    { origin, isRepeatable }: { readonly origin: RequestOrigin; readonly isRepeatable: boolean },
    options: CallerOptions,
    send: (session: Session, options: UseOptions, asker: InputAsker) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const { onInput } = options;
    const asker = new InputAsker(origin, onInput);
    const work: Work<JsonObject> = (session, given) => {
      asker.enter(
        capabilitiesOf(this.#server, { variant: this.#options.variant, canAnswer: this.#canAnswer }),
        (text) => session.scrub(text),
      );
      return send(session, given, asker).catch((error: unknown) => {
        if (onInput !== this.#onInput && asker.mayBeAskedLater(error)) this.#leaveSession(session);
        throw error;
      });
    };
    this.#askers.add(asker);
    try {
      return await this.#run(work, options, () => isRepeatable && !asker.hasAsked);
    } finally {
      this.#askers.delete(asker);
    }
  }

  /**
   * Leaves a session in which a call was given up while its server was asking: what the server asks next must not reach
   * the handler of another call.
   */
  #leaveSession(session: Session): void {
    if (this.#opened?.session === session) this.#leave(this.#opened);
  }

  /** Declares from now on that somebody can answer questions. What was opened before ends with the calls in it. */
  #reopen(): void {
    this.#canAnswer = true;
    const before = this.#opened;
    this.#opening = this.#opened = undefined;
    if (before !== undefined) this.#closeIfLeft(before);
  }

  /** Work with the session itself that may be repeated, such as reading a list. */
  use<T>(work: Work<T>, options: CallerOptions): Promise<T> {
    return this.#run(work, options, () => true);
  }

  async #run<T>(work: Work<T>, options: CallerOptions, isRepeatable: () => boolean): Promise<T> {
    if (options.onInput !== undefined && !this.#canAnswer) this.#reopen();
    this.#inFlight += 1;
    try {
      const [{ findBreaker }, { repeat }] = await Promise.all([
        import("./breaker.js"),
        import("./repeat.js"),
      ]);
      const attempt = (timeout: number | undefined): Promise<T> =>
        this.#attempt(work, { ...options, ...(timeout !== undefined && { timeout }) });
      const limit = options.timeout ?? this.#server.timeouts?.call;
      const earlier = { wasSent: false };
      const mayRepeat = (error: unknown): boolean => {
        earlier.wasSent ||= !didNothing(error);
        return isWorthRepeating(error) && (isRepeatable() || !earlier.wasSent);
      };
      const attempts = (): Promise<T> => repeat(attempt, { ...options, limit, mayRepeat });
      try {
        return await findBreaker(this.#server, this.#options).run(attempts, options.signal);
      } catch (error) {
        throw earlier.wasSent && isUnsent(error) ? asSent(error) : error;
      }
    } finally {
      this.#inFlight -= 1;
      if (this.#isRetired && this.#inFlight === 0) void this.close();
    }
  }

  listen(listener: (session: Session) => void): void {
    this.#listeners.add(listener);
    this.#opened?.session.listen();
  }

  scrub(text: string): string {
    return this.#lastSession?.scrub(text) ?? text;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.catch(() => undefined);
    this.#opening = this.#opened = undefined;
    await Promise.all([...this.#alive].map(({ session }) => session.close()));
    this.#alive.clear();
  }

  /** Closes as soon as nothing is in flight. */
  retire(): void {
    this.#isRetired = true;
    if (this.#inFlight === 0) void this.close();
  }

  async #attempt<T>(work: Work<T>, options: CallerOptions): Promise<T> {
    const opened = await this.#connect(options);
    try {
      return await this.#workIn(opened, work, options);
    } catch (error) {
      if (!isSessionLost(error) && !isUnauthorized(error)) throw error;
      this.#leave(opened);
      // Either way the server has not done anything: once more in a new session, if that is worth while.
      if (isUnauthorized(error) && !(await this.#isElsewhere(opened.endpoint))) throw error;
      return await this.#workIn(await this.#connect(options), work, options);
    }
  }

  async #workIn<T>(opened: Opened, work: Work<T>, options: CallerOptions): Promise<T> {
    opened.inFlight += 1;
    try {
      return await work(opened.session, { ...options, endpoint: opened.endpoint });
    } catch (error) {
      throw this.#isClosed && isPassing(error) ? new ClosedError(this.#server.name) : error;
    } finally {
      opened.inFlight -= 1;
      this.#closeIfLeft(opened);
    }
  }

  async #connect({ signal }: CallerOptions): Promise<Opened> {
    if (this.#isClosed) throw new ClosedError(this.#server.name);
    if (this.#opened?.session.isClosed === true) this.#leave(this.#opened);
    const opening = (this.#opening ??= this.#open());
    return waitUnlessAborted(opening, signal);
  }

  async #open(): Promise<Opened> {
    const canAnswer = this.#canAnswer;
    try {
      const endpoint = await resolveServer(this.#server, this.#options);
      const session = await openServer(this.#server, endpoint, { ...this.#options, canAnswer });
      session.onNotification = (method, params) => {
        if (method === LIST_CHANGED) this.#listeners.call(session);
        if (method === ELICITATION_COMPLETE)
          for (const asker of this.#askers) asker.complete(getOwn(params, "elicitationId"));
      };
      if (canAnswer) session.receiveRequests();
      if (this.#listeners.hasAny) session.listen();
      const opened = { endpoint, session, inFlight: 0 };
      this.#alive.add(opened);
      if (this.#canAnswer === canAnswer) this.#opened = opened;
      this.#lastSession = session;
      return opened;
    } catch (error) {
      if (this.#canAnswer === canAnswer) this.#opening = undefined;
      throw error instanceof Error ? markUnsent(error) : error;
    }
  }

  /** Whether variables have changed since: another address, or other credentials. */
  async #isElsewhere(endpoint: Endpoint): Promise<boolean> {
    const now = await resolveServer(this.#server, this.#options);
    return fingerprintOf(now) !== fingerprintOf(endpoint);
  }

  /** The next call opens another session. */
  #leave(opened: Opened): void {
    // Of several calls that find a session gone, only the first is right to drop it.
    if (this.#opened === opened) this.#opening = this.#opened = undefined;
    this.#closeIfLeft(opened);
  }

  #closeIfLeft(opened: Opened): void {
    if (this.#opened === opened || opened.inFlight > 0 || !this.#alive.delete(opened)) return;
    void opened.session.close();
  }
}

/** The settings of an endpoint, without the tokens that it got since. */
function fingerprintOf(endpoint: Endpoint): string {
  return JSON.stringify({ ...endpoint, secrets: undefined, tokens: undefined });
}

/** Whether a call that failed so was never sent, or was refused before anything was done. */
function didNothing(error: unknown): boolean {
  return isSessionLost(error) || isUnsent(error);
}

/** The last of several attempts was not sent, and one before it was. */
function asSent(error: unknown): unknown {
  if (!(error instanceof McpCodegenError)) return error;
  const { code, message, hint, stderr } = error;
  return new McpCodegenError(code, message, { cause: error, hint, stderr });
}

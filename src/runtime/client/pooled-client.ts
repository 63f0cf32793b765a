import { type AuthProvider, isModernVersion } from "../../core/connection.js";
import { omitUndefined } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { getOwn, isJsonObject, type JsonObject } from "../../core/json.js";
import type { Endpoint } from "../../client/endpoint.js";
import type { Progress, CallOptions, ConnectionOptions, ConnectOptions } from "../../core/call.js";
import type { Session } from "../../client/session.js";
import type { OnInput } from "../../core/input-question.js";
import type { ServerDefinition } from "../../core/tool.js";
import {
  type Caller,
  type CallerOptions,
  type CallerRequest,
  ClosedError,
  isPassing,
  isSessionDoubted,
  isSessionLost,
  isUnsent,
  isWorthRepeating,
  OWN_LIMIT,
  sleep,
  type UseOptions,
} from "./caller.js";
import { ExternalClient } from "./external-client.js";
import { elicitationsOf, InputAsker } from "./input-asker.js";
import { capabilitiesOf } from "./connect-options.js";
import { type PooledSession, SessionPool } from "./session-pool.js";

interface Call {
  /** Answers the questions of a request. */
  readonly asker?: InputAsker;
  /** Whether the call may be sent again after the server may have received it. */
  readonly isRepeatable: () => boolean;
  /** Whether the server reported that it works on the call. */
  readonly hasBegun: () => boolean;
}

/** Calls a server in the sessions of a pool, with retries, and with a circuit breaker for its endpoint. */
export class PooledClient implements Caller {
  readonly #server: ServerDefinition;
  readonly #options: ConnectOptions;
  readonly #pool: SessionPool;
  /** The handler of all calls; absent if each call has its own. */
  readonly #onInput: OnInput | undefined;
  readonly #calls = new Set<Call>();
  #isRetired = false;

  /** @param more.isShared whether calls with other options than these share the client */
  constructor(
    server: ServerDefinition,
    options: ConnectOptions,
    { isShared = false }: { readonly isShared?: boolean } = {},
  ) {
    this.#server = server;
    this.#options = options;
    this.#onInput = isShared ? undefined : options.onInput;
    this.#pool = new SessionPool(server, options, (elicitationId) => {
      for (const { asker } of this.#calls) asker?.complete(elicitationId);
    });
  }

  send(request: CallerRequest, options: CallerOptions): Promise<JsonObject> {
    const { onInput } = options;
    const asker = new InputAsker(request.origin, onInput);
    const isRepeatable = (): boolean => request.isRepeatable && !asker.hasAsked;
    let hasProgress = false;
    const onProgress =
      options.onProgress &&
      ((progress: Progress) => {
        hasProgress = true;
        options.onProgress?.(progress);
      });
    const call: Call = { asker, isRepeatable, hasBegun: () => hasProgress || asker.hasAsked };
    return this.#run(call, { ...options, onProgress }, async (pooled, callerOptions) => {
      const { session } = pooled;
      const { variant } = this.#options;
      const { canAnswer } = this.#pool;
      asker.enter(capabilitiesOf(this.#server, { variant, canAnswer }), (text) => session.scrub(text));
      try {
        return await exchange(session, request, callerOptions, asker);
      } catch (error) {
        // The server may still ask for this call, and the question must not reach the handler of another one.
        if (onInput !== this.#onInput && asker.mayBeAskedLater(error)) this.#pool.leave(pooled);
        throw error;
      }
    });
  }

  use<T>(work: (session: Session, options: UseOptions) => Promise<T>, options: CallerOptions): Promise<T> {
    return this.#run(
      { isRepeatable: () => true, hasBegun: () => false },
      options,
      ({ session, endpoint }, callerOptions) => work(session, { ...callerOptions, endpoint }),
    );
  }

  async #run<T>(
    call: Call,
    options: CallerOptions,
    work: (pooled: PooledSession, options: CallerOptions) => Promise<T>,
  ): Promise<T> {
    const earlier = { wasSent: false };
    const mayRepeat = (error: unknown): boolean => {
      earlier.wasSent ||= !isSessionLost(error) && !isUnsent(error);
      return isWorthRepeating(error) && (call.isRepeatable() || !earlier.wasSent);
    };
    const limitedBy = options.timeout === undefined ? undefined : OWN_LIMIT;
    let isResent = false;
    const attempt = async (timeout: number | undefined): Promise<T> => {
      for (;;) {
        const pooled = await this.#pool.acquire(options);
        try {
          return await work(pooled, { ...options, timeout, limitedBy });
        } catch (error) {
          if (this.#pool.isClosed && isPassing(error)) throw new ClosedError(this.#server.name);
          const mayResend = await this.#pool.replace(pooled, error);
          const isUndone = !isSessionDoubted(error) && !call.hasBegun();
          if (isResent || !mayResend || !(isUndone || call.isRepeatable()))
            throw isSessionLost(error) ? sessionEnded(pooled.endpoint, { isAgain: isResent }) : error;
          isResent = true;
        } finally {
          this.#pool.release(pooled);
        }
      }
    };
    this.#calls.add(call);
    try {
      const { findBreaker, repeated } = await import("./retry.js");
      const limit = options.timeout ?? this.#server.timeouts?.call;
      const breaker = findBreaker(this.#server, this.#options);
      return await breaker.run(repeated(attempt, { ...options, limit, mayRepeat }), options.signal);
    } catch (error) {
      throw earlier.wasSent && isUnsent(error) ? asSent(error) : error;
    } finally {
      this.#calls.delete(call);
      if (this.#isRetired && this.#calls.size === 0) void this.close();
    }
  }

  listen(listener: (session: Session) => void): void {
    this.#pool.listen(listener);
  }

  scrub(text: string): string {
    return this.#pool.scrub(text);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  /** Closes as soon as no call is under way. */
  retire(): void {
    this.#isRetired = true;
    if (this.#calls.size === 0) void this.close();
  }
}

/** Milliseconds before a call is repeated for a server that requires input without a question. */
const EMPTY_ROUND_PAUSE = 250;

/** Sends a request in a session, and again with the answers while the server asks questions. Returns the raw result. */
async function exchange(
  session: Session,
  request: CallerRequest,
  { signal, timeout, limitedBy, onProgress }: CallerOptions,
  asker: InputAsker,
): Promise<JsonObject> {
  const { method, params } = request;
  const options = { signal, timeout, limitedBy, onRequest: asker };
  const watch = onProgress && session.watchProgress(onProgress);
  const sent = watch === undefined ? params : { ...params, _meta: { progressToken: watch.token } };
  let answers: JsonObject = {};
  try {
    for (;;) {
      const all = { ...sent, ...answers };
      let result: JsonObject;
      try {
        result = await session.request(method, all, options);
      } catch (error) {
        const elicitations = elicitationsOf(error);
        if (elicitations === undefined || !(error instanceof Error)) throw error;
        await asker.visitAll(elicitations, error, signal);
        continue;
      }
      if (getOwn(result, "resultType") === "input_required") {
        answers = await answerRound(session, result, asker, signal);
        continue;
      }
      const isFailed = method === "tools/call" && getOwn(result, "isError") === true;
      const failure = isFailed ? asker.explainFailure(result) : undefined;
      if (failure !== undefined) throw failure;
      return result;
    }
  } catch (error) {
    if (signal?.aborted === true || !(error instanceof McpCodegenError)) throw error;
    throw asker.explainFailure(error) ?? error;
  } finally {
    watch?.release();
  }
}

/** Answers an `input_required` result. Returns the parameters to add to the request. */
async function answerRound(
  session: Session,
  result: JsonObject,
  asker: InputAsker,
  signal: CallerOptions["signal"],
): Promise<JsonObject> {
  const { protocolVersion } = session.identity;
  if (!isModernVersion(protocolVersion)) {
    const message = `The server requires input in a form that protocol version ${protocolVersion} does not have.`;
    throw new McpCodegenError("PROTOCOL_INVALID", message);
  }
  const requests = getOwn(result, "inputRequests");
  const requestState = getOwn(result, "requestState");
  const hasRequests = isJsonObject(requests) && Object.keys(requests).length > 0;
  if (!hasRequests && requestState === undefined)
    throw new McpCodegenError("PROTOCOL_INVALID", "The server requires input without a question.");
  if (!hasRequests) {
    asker.beginRound([]);
    await sleep(EMPTY_ROUND_PAUSE, signal);
  }
  const inputResponses = hasRequests ? await asker.answerAll(requests, signal) : undefined;
  return omitUndefined({ inputResponses, requestState });
}

/** Returns the error for a call that is not sent in another session: it may have had an effect. */
function sessionEnded({ label }: Endpoint, { isAgain }: { readonly isAgain: boolean }): McpCodegenError {
  const [what, hint] = isAgain
    ? [
        "ended two sessions in a row instead of answering",
        "Look at the server's log. A proxy or cache may remove the Mcp-Session-Id header.",
      ]
    : [
        "ended the session while it worked on the call",
        "The tool may have run: look before you call it again.",
      ];
  return new McpCodegenError("SERVER_REFUSED", `The server at ${JSON.stringify(label)} ${what}.`, { hint });
}

/** Of several attempts, only the last one was not sent: the call may have had an effect. */
function asSent(error: unknown): unknown {
  if (!(error instanceof McpCodegenError)) return error;
  const { code, message, hint, stderr } = error;
  return new McpCodegenError(code, message, { cause: error, hint, stderr });
}

const shared = /* @__PURE__ */ new WeakMap<ServerDefinition, Map<string, PooledClient>>();

/** A program that calls with ever new credentials would otherwise collect connections. */
const MOST_PER_SERVER = 64;

/** Returns the caller for a tool that is not bound to a connection. */
export function findSharedCaller(server: ServerDefinition, options: CallOptions): Caller {
  if (options.client !== undefined) return new ExternalClient(options.client);
  const clients = shared.get(server) ?? new Map<string, PooledClient>();
  shared.set(server, clients);
  const { environment, variant, url, auth, headers } = options;
  const credentials = typeof auth === "function" ? numberOf(auth) : auth;
  const key = JSON.stringify([environment, variant, url, credentials, headers]);
  const client = clients.get(key) ?? new PooledClient(server, options, { isShared: true });
  // The map is in the order of last use.
  clients.delete(key);
  clients.set(key, client);
  for (const [staleKey, stale] of clients) {
    if (clients.size <= MOST_PER_SERVER) break;
    clients.delete(staleKey);
    stale.retire();
  }
  return client;
}

const numbers = /* @__PURE__ */ new WeakMap<AuthProvider, number>();
let providers = 0;

/** Distinguishes auth providers: each may return the tokens of another user. */
function numberOf(provider: AuthProvider): number {
  const number = numbers.get(provider) ?? ++providers;
  numbers.set(provider, number);
  return number;
}

/** Whether a call needs another connection than the one it is bound to. */
export function hasConnectionOptions(options: ConnectionOptions): boolean {
  const { environment, variant, url, auth, headers, client } = options;
  return [environment, variant, url, auth, headers, client].some((option) => option !== undefined);
}

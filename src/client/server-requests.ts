import { omitUndefined } from "../core/collections.js";
import { type JsonObject, type JsonValue, getOwn } from "../core/json.js";
import type { AbortSignalLike } from "./abort-signal.js";

const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

interface RequestContents {
  readonly method: string;
  readonly params: JsonObject;
}

/** A request that a legacy server sends while a request of ours is in flight. */
export interface ServerRequest extends RequestContents {
  /** Aborts when the server withdraws the request, and when ours has ended. */
  readonly signal: AbortSignalLike;
  /** Whether several of our requests are in flight, and it is unknown which of them it belongs to. */
  readonly isShared: boolean;
}

export type ServerRequestAnswer =
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string } };

/** Answers the requests that a server sends while one of ours is in flight. */
export interface RequestHandler {
  /** A request that may belong to several of ours is only answered if their handlers have the same owner. */
  readonly owner: unknown;
  /** Rejects to end our request with that error. */
  answer(request: ServerRequest): Promise<ServerRequestAnswer>;
}

/** Our own request, while it is in flight. */
export interface OpenRequest {
  readonly onRequest: RequestHandler | undefined;
  /** Aborts when the request has ended. */
  readonly ended: AbortSignal;
  /** Pauses its time limit. Returns a function that ends the pause. */
  readonly pause: () => () => void;
  /** Ends the request with an error. */
  readonly abort: (error: unknown) => void;
}

/** Passes requests of a legacy server to the handlers of our own requests in flight. */
export class ServerRequests {
  readonly #reply: (message: JsonObject) => void;
  readonly #open = new Map<JsonValue, AbortController>();

  constructor(reply: (message: JsonObject) => void) {
    this.#reply = reply;
  }

  /**
   * Answers one request.
   *
   * @param during our requests that it may belong to
   */
  async answer(
    id: JsonValue,
    { method, params }: RequestContents,
    during: readonly OpenRequest[],
  ): Promise<void> {
    const own = during.filter(({ onRequest }) => onRequest !== undefined);
    const [first] = own;
    if (first?.onRequest === undefined) {
      this.#refuse(id, INVALID_REQUEST, "No tool call of this client is in progress.");
      return;
    }
    const { owner } = first.onRequest;
    if (own.some(({ onRequest }) => onRequest?.owner !== owner)) {
      this.#refuse(id, INTERNAL_ERROR, "Several calls are in progress, and the request does not name one.");
      return;
    }
    const withdrawn = new AbortController();
    this.#open.set(id, withdrawn);
    let left = own.length;
    for (const { ended } of own) {
      ended.addEventListener("abort", () => {
        left -= 1;
        if (left === 0) withdrawn.abort();
      });
    }
    const resumes = own.map(({ pause }) => pause());
    const request = { method, params, signal: withdrawn.signal, isShared: own.length > 1 };
    try {
      this.#reply({ jsonrpc: "2.0", id, ...(await first.onRequest.answer(request)) });
    } catch (error) {
      this.#refuse(id, INTERNAL_ERROR, "The client could not answer.");
      for (const { abort } of own) abort(error);
    } finally {
      this.#open.delete(id);
      for (const resume of resumes) resume();
    }
  }

  /** Aborts a request that the server has withdrawn. */
  withdraw(id: JsonValue | undefined): void {
    if (id !== undefined) this.#open.get(id)?.abort();
  }

  /** Refuses a request of a method that this client does not know. */
  refuseMethod(id: JsonValue, method: string): void {
    this.#refuse(id, METHOD_NOT_FOUND, `This client does not support ${method.slice(0, 100)}.`);
  }

  #refuse(id: JsonValue, code: number, message: string): void {
    this.#reply({ jsonrpc: "2.0", id, error: { code, message } });
  }
}

/** The progress of a request, as the server reports it (specification, "Progress"). */
export interface Progress {
  /** Increases with every notification. The unit is the server's. */
  readonly progress: number;
  /** The value of `progress` at the end, if it is known. */
  readonly total?: number;
  readonly message?: string;
}

/** The progress token of a request. `release` removes its listener. */
export interface ProgressWatch {
  readonly token: number;
  release(): void;
}

/** The listeners for progress, by token. */
export class ProgressListeners {
  readonly #listeners = new Map<number, (progress: Progress) => void>();
  #nextToken = 0;

  watch(listener: (progress: Progress) => void): ProgressWatch {
    const token = this.#nextToken++;
    this.#listeners.set(token, listener);
    return { token, release: () => void this.#listeners.delete(token) };
  }

  /** Passes the parameters of `notifications/progress` to the listener of their token, if both are valid. */
  notify(params: JsonObject, scrub: (text: string) => string): void {
    const token = getOwn(params, "progressToken");
    const listener = typeof token === "number" ? this.#listeners.get(token) : undefined;
    const progress = getOwn(params, "progress");
    if (listener === undefined || typeof progress !== "number") return;
    const total = getOwn(params, "total");
    const message = getOwn(params, "message");
    try {
      listener({
        progress,
        ...omitUndefined({
          total: typeof total === "number" ? total : undefined,
          message: typeof message === "string" ? scrub(message) : undefined,
        }),
      });
    } catch {
      // An error of the listener must not fail the request.
    }
  }
}

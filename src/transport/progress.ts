import { getOwn, type JsonObject } from "../contract/json.js";

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
        ...(typeof total === "number" && { total }),
        ...(typeof message === "string" && { message: scrub(message) }),
      });
    } catch {
      // An error of the listener must not fail the request.
    }
  }
}

import { getOwn, type JsonObject } from "../contract/json.js";

/** How far a request has come, as the server tells it (specification, "Progress"). */
export interface Progress {
  /** Increases with every notification, whatever it counts. */
  readonly progress: number;
  /** What `progress` is when the work is done, where that is known. */
  readonly total?: number;
  readonly message?: string;
}

/** What the server is to put into its notifications, and how to hear no more of them. */
export interface ProgressWatch {
  readonly token: number;
  release(): void;
}

/** Who wants to hear of which request. */
export class ProgressListeners {
  readonly #listeners = new Map<number, (progress: Progress) => void>();
  #nextToken = 0;

  watch(listener: (progress: Progress) => void): ProgressWatch {
    const token = this.#nextToken++;
    this.#listeners.set(token, listener);
    return { token, release: () => void this.#listeners.delete(token) };
  }

  /** Hands over what `notifications/progress` says, unless nobody listens or it says nothing. */
  tell(params: JsonObject, scrub: (text: string) => string): void {
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
      // Whoever watches does not decide what becomes of the request.
    }
  }
}

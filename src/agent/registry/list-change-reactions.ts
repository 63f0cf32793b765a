import type { Clock } from "../../runtime/clock.js";

/** Milliseconds in which messages that a list has changed count as one: they come in bursts. */
const BURST = 100;
/** Milliseconds between two reactions: a server may send such a message for every list that is read. */
const PAUSE = 5_000;

/** When to ask servers that say that their lists have changed: soon, and not again and again. */
export class ListChangeReactions {
  readonly #now: Clock;
  readonly #react: (server: string) => void;
  readonly #pending = new Set<string>();
  readonly #reactedAt = new Map<string, number>();

  constructor(now: Clock, react: (server: string) => void) {
    this.#now = now;
    this.#react = react;
  }

  /** A server has sent such a message. */
  receive(server: string): void {
    if (this.#pending.has(server)) return;
    this.#pending.add(server);
    const since = this.#now() - (this.#reactedAt.get(server) ?? -Infinity);
    const timer: { unref?(): void } = setTimeout(
      () => {
        this.#pending.delete(server);
        this.#reactedAt.set(server, this.#now());
        this.#react(server);
      },
      since < PAUSE ? PAUSE : BURST,
    );
    // It does not keep a process alive that has nothing else to do.
    timer.unref?.();
  }
}

import { McpCodegenError } from "../../core/errors.js";
import {
  declaresListChanged,
  type AnnouncedList,
  type ServerIdentity,
  type ServerSnapshot,
  limitTtl,
} from "../../core/snapshot.js";
import type { Session } from "../../client/session.js";

/** How the next change of a server is noticed. */
export type WatchMode =
  /** `milliseconds`: it is also polled. */
  | { readonly by: "notifications"; readonly milliseconds?: number | undefined }
  | { readonly by: "polling"; readonly milliseconds: number }
  | { readonly by: "files" }
  /** It could not be listed, and is tried again with pauses that grow. */
  | { readonly by: "retries" };

interface ListResult {
  /** Whether its tools could be read. */
  readonly isListed: boolean;
  /** Absent for tools that were read from PHP. */
  readonly snapshot?: ServerSnapshot | undefined;
  /** Whether the tools differ from the lock. */
  readonly isChanged: boolean;
}

export interface Listed extends ListResult {
  readonly server: string;
}

export interface ServerWatchOptions {
  /** Whether the server is a process that is started again for each list, and then runs its newest code. */
  readonly isStarted: boolean;
  /** The lists that are locked. */
  readonly lists: readonly AnnouncedList[];
  /** Milliseconds between polls. Default: the time that the server states, or thirty seconds. */
  readonly interval: number | undefined;
  /** Opens a session for notifications, until the signal aborts; absent for tools that are read from PHP. */
  readonly open?: ((signal: AbortSignal) => Promise<Session>) | undefined;
  /** Called when the list may have changed. */
  readonly wake: () => void;
  /** Called with an error that is a bug. */
  readonly onError: (error: unknown) => void;
}

const DEFAULT_INTERVAL = 30_000;
/** The first and the longest pause before a server that failed is tried again, in milliseconds. */
const PAUSES = [1_000, 30_000] as const;
/** Milliseconds after which a session that still receives notifications counts as stable. */
const STABLE = 30_000;
/** Milliseconds in which several notifications are one wake: some servers send one for each list that they answer. */
const QUIET = 1_000;
/** Milliseconds that a server may take to accept a subscription before `settled` resolves without it. */
const ACCEPT = 5_000;

/**
 * Watches one live server after each list: by notifications in a session that is kept open, if the server declares
 * and sends them; otherwise by polling. A session receives the notifications of its own process only, so a server that
 * is started for each list is polled too.
 */
export class ServerWatch {
  readonly #options: ServerWatchOptions;
  readonly #closing = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the session caused the last wake. */
  #isFromSession = false;
  #session: Session | undefined;
  #opening: Promise<void> | undefined;
  /** Lists in a row that failed, and sessions in a row that ended soon. */
  #failures = 0;
  #breaks = 0;
  #stable: ReturnType<typeof setTimeout> | undefined;
  /** The server declares notifications and refuses to send them. */
  #isRefused = false;
  #quiet: ReturnType<typeof setTimeout> | undefined;
  #isPending = false;
  #mode: WatchMode = { by: "retries" };

  constructor(options: ServerWatchOptions) {
    this.#options = options;
  }

  get mode(): WatchMode {
    return this.#mode;
  }

  /** Waits for the next change, after a round that listed the server. */
  resume({ isListed, snapshot, isChanged }: ListResult): void {
    if (this.#closing.signal.aborted) return;
    if (!isListed) {
      this.#failures += 1;
      this.#retry();
      return;
    }
    const { isStarted, interval, open } = this.#options;
    this.#failures = 0;
    clearTimeout(this.#timer);
    const listen = snapshot && this.#announcesAll(snapshot.identity) && !this.#isRefused ? open : undefined;
    // If a new process lists other tools, the process of the session runs the code from before.
    if (listen === undefined || (isStarted && isChanged && !this.#isFromSession)) this.#dropSession();
    this.#isFromSession = false;
    const milliseconds = interval ?? limitTtl(snapshot?.ttlMs) ?? DEFAULT_INTERVAL;
    this.#mode =
      listen === undefined
        ? { by: "polling", milliseconds }
        : { by: "notifications", milliseconds: isStarted ? milliseconds : undefined };
    if (listen === undefined || isStarted) this.#schedule(milliseconds);
    if (listen === undefined || this.#session !== undefined) return;
    this.#opening ??= this.#listen(listen, milliseconds).finally(() => {
      this.#opening = undefined;
    });
  }

  /** Resolves once it is known whether notifications arrive. */
  async settled(): Promise<void> {
    await this.#opening;
  }

  /** Ends the session and its process. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    clearTimeout(this.#quiet);
    const session = this.#session;
    this.#dropSession();
    await Promise.all([session?.close(), this.#opening]);
  }

  /** Whether the server declares that it announces changes of every list that it has and we lock. */
  #announcesAll(identity: ServerIdentity): boolean {
    const has = (list: AnnouncedList): boolean =>
      list === "tools" || Object.hasOwn(identity.capabilities, list);
    return this.#options.lists.filter(has).every((list) => declaresListChanged(identity, list));
  }

  async #listen(open: (signal: AbortSignal) => Promise<Session>, interval: number): Promise<void> {
    const { signal } = this.#closing;
    const { lists } = this.#options;
    try {
      const session = await open(signal);
      if (signal.aborted) {
        await session.close();
        return;
      }
      this.#session = session;
      session.hold();
      session.onNotification = (method) => {
        if (lists.some((list) => method === `notifications/${list}/list_changed`)) this.#onChange();
      };
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ACCEPT);
        const settle = (): void => {
          clearTimeout(timer);
          resolve();
        };
        signal.addEventListener("abort", settle);
        const onStart = (): void => {
          settle();
          this.#onStart();
        };
        const onEnd = (isRefused: boolean): void => {
          settle();
          this.#onEnd(session, { isRefused, interval });
        };
        session.listen({ onStart, onEnd }, lists);
      });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof McpCodegenError)) {
        this.#options.onError(error);
        return;
      }
      this.#breaks += 1;
      this.#retry();
    }
  }

  #onStart(): void {
    this.#stable = setTimeout(() => {
      this.#breaks = 0;
    }, STABLE);
    this.#stable.unref();
    // The list may have changed since it was read.
    this.#wakeFromSession();
  }

  #onEnd(
    session: Session,
    { isRefused, interval }: { readonly isRefused: boolean; readonly interval: number },
  ): void {
    if (this.#session !== session) return;
    this.#dropSession();
    if (isRefused) {
      this.#isRefused = true;
      this.#mode = { by: "polling", milliseconds: interval };
      this.#schedule(interval);
      return;
    }
    this.#breaks += 1;
    this.#retry();
  }

  #onChange(): void {
    if (this.#quiet !== undefined) {
      this.#isPending = true;
      return;
    }
    this.#wakeFromSession();
    this.#quiet = setTimeout(() => {
      this.#quiet = undefined;
      if (this.#isPending) this.#onChange();
    }, QUIET);
    this.#isPending = false;
  }

  #wakeFromSession(): void {
    this.#isFromSession = true;
    this.#options.wake();
  }

  #retry(): void {
    const [first, longest] = PAUSES;
    const failures = Math.max(this.#failures, this.#breaks);
    this.#mode = { by: "retries" };
    this.#schedule(Math.min(longest, first * 2 ** (failures - 1)));
  }

  #schedule(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(this.#options.wake, milliseconds);
  }

  #dropSession(): void {
    clearTimeout(this.#stable);
    const session = this.#session;
    this.#session = undefined;
    void session?.close();
  }
}

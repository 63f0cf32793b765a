import type { ServerConfig } from "../config/config.js";
import type { LockedServer } from "../contract/lockfile.js";
import { limitList } from "../listing/limit-list.js";
import { originOf, type Connection, type ConnectionOrigin } from "../runtime/connect-tools.js";
import type { PooledClient } from "../runtime/client/pooled-client.js";
import { resolveServer } from "../runtime/client/open-server.js";
import { waitUnlessAborted } from "../runtime/client/wait-unless-aborted.js";
import type { Clock } from "../runtime/clock.js";
import { snapshotInSession } from "../sources/open-source.js";
import type { AbortSignalLike } from "../transport/abort-signal.js";
import type { Session } from "../transport/session.js";
import type { ReadOptions } from "./drift-guard.js";
import { LiveContract } from "./live-contract.js";

export interface WatchedServer {
  readonly name: string;
  readonly settings: ServerConfig;
  readonly locked: LockedServer;
  /** What its tools are called through, and so what it is asked through. */
  readonly connection: Connection;
}

/** Milliseconds for which a list is taken for true. */
const FIVE_MINUTES = 300_000;

/**
 * What a server lists now, in the session that its tools are called in: read when it is first needed, and again in a new
 * session, when the server says that its list has changed, and after five minutes. Calls that need it at the same time share
 * one reading.
 */
export class ContractWatch {
  readonly #server: WatchedServer;
  readonly #now: Clock;
  readonly #origin: ConnectionOrigin & { readonly client: PooledClient };
  #known: { readonly session: Session; readonly at: number; readonly contract: LiveContract } | undefined;
  /** Sessions whose list has changed since it was last asked for. */
  readonly #changed = new WeakSet<Session>();
  #reading: { readonly session: Session; readonly contract: Promise<LiveContract> } | undefined;

  constructor(server: WatchedServer, now: Clock) {
    this.#server = server;
    this.#now = now;
    const origin = originOf(server.connection);
    if (origin === undefined || !("retire" in origin.client)) {
      throw new TypeError(`The connection of "${server.name}" was not made by mcp-codegen.`);
    }
    const { client } = origin;
    this.#origin = { ...origin, client };
    client.listen(this.#onListChanged);
  }

  /** A field, since the client does not keep it alive. */
  readonly #onListChanged = (session: Session): void => {
    this.#changed.add(session);
    if (this.#known?.session === session) this.#known = undefined;
  };

  /** @throws McpCodegenError when the list could not be read whole; the signal's reason when it aborts. */
  read({ signal, onInput }: ReadOptions = {}): Promise<LiveContract> {
    const options = { ...(signal && { signal }), ...(onInput && { onInput }) };
    return this.#origin.client.use((session) => this.#readIn(session, signal), options);
  }

  #readIn(session: Session, signal: AbortSignalLike | undefined): Promise<LiveContract> {
    const known = this.#known;
    if (known?.session === session && this.#now() - known.at < FIVE_MINUTES)
      return Promise.resolve(known.contract);
    if (this.#reading?.session !== session) {
      const contract = this.#list(session);
      this.#reading = { session, contract };
    }
    return waitUnlessAborted(this.#reading.contract, signal);
  }

  async #list(session: Session): Promise<LiveContract> {
    const { name, settings, locked } = this.#server;
    this.#changed.delete(session);
    const at = this.#now();
    const { timeouts } = settings;
    // One limit for all of a list, abilities included: otherwise a server that lists for ever would hold up its calls.
    const limit = limitList(name, timeouts?.list ?? timeouts?.call ?? 60_000);
    limit.start();
    try {
      const endpoint = await resolveServer(this.#origin.server, this.#origin.options);
      const { environment } = this.#origin.options;
      const snapshot = await snapshotInSession(name, settings, {
        ...{ session, endpoint, signal: limit.signal },
        ...(environment !== undefined && { environment }),
      });
      const contract = new LiveContract({ name, settings, locked, snapshot });
      if (!this.#changed.has(session)) this.#known = { session, at, contract };
      return contract;
    } finally {
      limit.release();
      if (this.#reading?.session === session) this.#reading = undefined;
    }
  }
}

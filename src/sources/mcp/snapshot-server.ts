import type { JsonObject } from "../../contract/json.js";
import type { ServerSnapshot } from "../../contract/snapshot.js";
import type { Endpoint } from "../../transport/endpoint.js";
import { openSession, type Session, type SessionOptions } from "../../transport/open-session.js";
import { SessionLostError } from "../../transport/server-errors.js";
import { judgeTools } from "../../listing/judge-tools.js";
import { limitList } from "../../listing/limit-list.js";
import { listTools, type ListOptions } from "../../listing/list-tools.js";

/** How a server's list is told. */
export interface ListingOptions {
  /** Client capabilities that were declared. */
  readonly capabilities?: JsonObject;
  /** A label of the account, never a secret. */
  readonly principal?: string;
  /** Makes of what was listed what the server really offers, in the same session. */
  readonly refine?: (
    listed: ServerSnapshot,
    session: Session,
    options: ListOptions,
  ) => Promise<ServerSnapshot>;
}

export interface SnapshotServerOptions extends SessionOptions, ListingOptions {
  /** Milliseconds for a whole list, once the server is connected. Default: no limit but that of each request. */
  readonly listTimeout?: number;
  /** Called after each page with how many pages and tools there are so far. */
  readonly onPage?: (page: number, tools: number) => void;
  /** Called with the snapshot while the session is open; `listAgain` lists in the same session. */
  readonly confirm?: (first: ServerSnapshot, listAgain: () => Promise<ServerSnapshot>) => Promise<void>;
}

/**
 * What a live server says of itself and its tools, read from the raw JSON-RPC result.
 *
 * A server that does not declare the tools capability is asked all the same, since some forget to; when it does not
 * know `tools/list`, it has no tools. Reading changes nothing, so a session that was lost is opened again, once.
 *
 * @throws McpCodegenError `LIST_INCOMPLETE` when the list cannot be read to its end, and whatever connecting throws.
 */
export async function snapshotServer(
  server: string,
  endpoint: Endpoint,
  options: SnapshotServerOptions = {},
): Promise<ServerSnapshot> {
  try {
    return await snapshotInNewSession(server, endpoint, options);
  } catch (error) {
    if (!isSessionLost(error)) throw error;
    // WordPress keeps the sessions of a user in one row, and loses some when several are opened at the same time.
    return await snapshotInNewSession(server, endpoint, options);
  }
}

function isSessionLost(error: unknown): boolean {
  return (
    error instanceof SessionLostError || (error instanceof Error && error.cause instanceof SessionLostError)
  );
}

async function snapshotInNewSession(
  server: string,
  endpoint: Endpoint,
  options: SnapshotServerOptions,
): Promise<ServerSnapshot> {
  const session = await openSession(endpoint, options);
  const { confirm, onPage, ...rest } = options;
  try {
    const first = await listInTime(server, session, { ...rest, ...(onPage && { onPage }) });
    // The first list was counted, so the second reports no progress.
    await confirm?.(first, () => listInTime(server, session, rest));
    return first;
  } finally {
    await session.close();
  }
}

async function listInTime(
  server: string,
  session: Session,
  options: Omit<SnapshotServerOptions, "confirm">,
): Promise<ServerSnapshot> {
  const { listTimeout, signal: outer } = options;
  if (listTimeout === undefined) return listInSession(server, session, options);
  const limit = limitList(server, listTimeout, outer);
  limit.start();
  try {
    return await listInSession(server, session, { ...options, signal: limit.signal });
  } finally {
    limit.release();
  }
}

/**
 * As {@link snapshotServer}, in a session that is open and stays so.
 *
 * @throws McpCodegenError `LIST_INCOMPLETE`, and whatever requests throw.
 */
export async function listInSession(
  server: string,
  session: Session,
  { capabilities = {}, principal, refine, ...listOptions }: ListingOptions & ListOptions,
): Promise<ServerSnapshot> {
  const pages = await listTools(session, listOptions);
  const listed: ServerSnapshot = {
    server,
    identity: session.identity,
    listing: {
      clientCapabilities: capabilities,
      ...(principal !== undefined && { principal }),
      pages: pages.length,
    },
    ...judgeTools(server, pages),
  };
  return refine === undefined ? listed : refine(listed, session, listOptions);
}

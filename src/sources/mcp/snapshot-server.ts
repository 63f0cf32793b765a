import type { EntryList } from "../../contract/entries.js";
import type { JsonObject } from "../../contract/json.js";
import type { ServerSnapshot, ToolSnapshot } from "../../contract/snapshot.js";
import type { Endpoint } from "../../transport/endpoint.js";
import { openSession, type Session, type SessionOptions } from "../../transport/open-session.js";
import { SessionLostError } from "../../transport/server-errors.js";
import { validateTools } from "../../listing/validate-tools.js";
import { limitList } from "../../listing/limit-list.js";
import type { ListedEntries } from "../../listing/list-entries.js";
import { listTools, type ListOptions } from "../../listing/list-pages.js";
import { ttlOfPages } from "../../listing/list-ttl.js";

/** Options for listing a server. */
export interface ListingOptions {
  /** The declared client capabilities. */
  readonly capabilities?: JsonObject;
  /** A label of the account, never a secret. */
  readonly principal?: string;
  /** Returns the scopes that the list needed; called after listing. */
  readonly scopesOf?: () => readonly string[] | undefined;
  /** The lists beside the tools to request; none by default. */
  readonly lists?: readonly EntryList[];
  /** The digest of the calls that are made before the list. */
  readonly prelude?: string;
  /**
   * Throws unless the calls before the list may be made; called with the tools that the server lists without them.
   */
  readonly approvePrelude?: (tools: readonly ToolSnapshot[]) => Promise<void>;
  /** Replaces the list with what the server really offers, in the same session. */
  readonly refine?: (
    listed: ServerSnapshot,
    session: Session,
    options: ListOptions,
  ) => Promise<ServerSnapshot>;
}

export interface SnapshotServerOptions extends SessionOptions, ListingOptions {
  /** Milliseconds for the whole list after connecting. Default: only each request is limited. */
  readonly listTimeout?: number;
  /** Called after each page with the number of pages and tools so far. */
  readonly onPage?: (page: number, tools: number) => void;
  /** Called with the snapshot while the session is open; `listAgain` lists in the same session. */
  readonly confirm?: (first: ServerSnapshot, listAgain: () => Promise<ServerSnapshot>) => Promise<void>;
}

/**
 * Returns the snapshot of a live server, from the raw JSON-RPC result.
 *
 * Tools are requested even when the server does not declare the tools capability, since some servers forget
 * it. When it does not know `tools/list`, it has no tools. A lost session is opened again once: listing has
 * no side effects.
 *
 * @throws McpCodegenError `LIST_INCOMPLETE` when the list cannot be read completely, and connection errors
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
    // WordPress stores all sessions of a user in one row, and loses some when several open at the same time.
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
  const { confirm, onPage, approvePrelude, ...rest } = options;
  try {
    if (endpoint.prelude !== undefined && approvePrelude !== undefined) {
      await approvePrelude((await listInTime(server, session, { ...rest, lists: [] })).tools);
      const { runPrelude } = await import("../../transport/open-session.js");
      await runPrelude(session, endpoint, options.signal);
    }
    const first = await listInTime(server, session, { ...rest, ...(onPage && { onPage }) });
    // The first list reported the progress, so the second does not.
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
 * As {@link snapshotServer}, in a session that stays open.
 *
 * @throws McpCodegenError `LIST_INCOMPLETE` and request errors
 */
export async function listInSession(
  server: string,
  session: Session,
  {
    capabilities = {},
    principal,
    scopesOf,
    lists = [],
    prelude,
    refine,
    ...listOptions
  }: ListingOptions & ListOptions,
): Promise<ServerSnapshot> {
  const pages = await listTools(session, listOptions);
  const entries = lists.length === 0 ? undefined : await listFurther(server, session, lists, listOptions);
  const scopes = scopesOf?.();
  const validated = validateTools(server, pages, session);
  const ttlMs = ttlOfPages(pages);
  const listed: ServerSnapshot = {
    server,
    identity: session.identity,
    listing: {
      clientCapabilities: capabilities,
      ...(principal !== undefined && { principal }),
      ...((entries?.isPrivate === true || pages.some(({ isPrivate }) => isPrivate)) && {
        cacheScope: "private" as const,
      }),
      ...(scopes !== undefined && { scopes }),
      ...(prelude !== undefined && { prelude }),
      pages: pages.length,
    },
    ...(ttlMs !== undefined && { ttlMs }),
    ...validated,
    ...entries?.lists,
    diagnostics: [...validated.diagnostics, ...(entries?.diagnostics ?? [])],
  };
  return refine === undefined ? listed : refine(listed, session, listOptions);
}

async function listFurther(
  server: string,
  session: Session,
  lists: readonly EntryList[],
  { signal }: ListOptions,
): Promise<ListedEntries> {
  const { listEntries } = await import("../../listing/list-entries.js");
  return listEntries(server, session, lists, { ...(signal && { signal }) });
}

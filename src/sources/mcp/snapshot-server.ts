import type { JsonObject } from "../../contract/json.js";
import type { ServerSnapshot } from "../../contract/snapshot.js";
import type { Endpoint } from "../../transport/endpoint.js";
import { openSession, type Session, type SessionOptions } from "../../transport/open-session.js";
import { judgeTools } from "../../listing/judge-tools.js";
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
  /** Called after each page with how many pages and tools there are so far. */
  readonly onPage?: (page: number, tools: number) => void;
  /** Called with the snapshot while the session is open; `listAgain` lists in the same session. */
  readonly confirm?: (first: ServerSnapshot, listAgain: () => Promise<ServerSnapshot>) => Promise<void>;
}

/**
 * What a live server says of itself and its tools, read from the raw JSON-RPC result.
 *
 * A server that does not declare the tools capability is asked all the same, since some forget to; when it does not
 * know `tools/list`, it has no tools.
 *
 * @throws McpCodegenError `LIST_INCOMPLETE` when the list cannot be read to its end, and whatever connecting throws.
 */
export async function snapshotServer(
  server: string,
  endpoint: Endpoint,
  options: SnapshotServerOptions = {},
): Promise<ServerSnapshot> {
  const session = await openSession(endpoint, options);
  const { confirm, onPage, ...rest } = options;
  try {
    const first = await listInSession(server, session, { ...rest, ...(onPage && { onPage }) });
    // How far the second list is, is nobody's concern: the first was counted.
    await confirm?.(first, () => listInSession(server, session, rest));
    return first;
  } finally {
    await session.close();
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

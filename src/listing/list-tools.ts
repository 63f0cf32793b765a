import { McpCodegenError } from "../contract/errors.js";
import { getOwn, type JsonObject, type JsonValue } from "../contract/json.js";
import { RpcError } from "../transport/server-errors.js";
import type { AbortSignalLike } from "../transport/abort-signal.js";
import type { RequestContext } from "./request-context.js";
import type { ListPage } from "./validate-tools.js";

/** More than any server has. A server with more pages invents cursors. */
const MOST_PAGES = 10_000;
const METHOD_NOT_FOUND = -32601;
const LIST_DISCARDED = "This is a fault of the server. The list was discarded.";

export interface ListOptions {
  readonly signal?: AbortSignalLike;
  readonly onPage?: (page: number, tools: number) => void;
}

/**
 * Returns all pages of `tools/list` (specification, "Pagination").
 *
 * @throws McpCodegenError `LIST_INCOMPLETE` for a cursor that repeats, for too many pages and for a later
 *   page without a list; `PROTOCOL_INVALID` for a first page without a list
 */
export async function listTools(
  session: RequestContext,
  options: ListOptions = {},
): Promise<readonly ListPage[]> {
  const pages: ListPage[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  let tools = 0;
  do {
    const page = await listPage(session, cursor, pages.length, options.signal);
    if (page === undefined) return [];
    pages.push(page.list);
    tools += page.list.entries.length;
    options.onPage?.(pages.length, tools);
    // An empty cursor is a real cursor, so compare with undefined.
    cursor = page.next;
    if (cursor === undefined) return pages;
    if (seen.has(cursor)) throw incomplete(`repeats a cursor after page ${pages.length}`);
    seen.add(cursor);
  } while (pages.length < MOST_PAGES);
  throw incomplete(`has more than ${MOST_PAGES} pages`);
}

async function listPage(
  session: RequestContext,
  cursor: string | undefined,
  before: number,
  signal: AbortSignalLike | undefined,
): Promise<{ readonly list: ListPage; readonly next: string | undefined } | undefined> {
  let text = "";
  const params: JsonObject = cursor === undefined ? {} : { cursor };
  const result = await session
    .request("tools/list", params, {
      ...(signal && { signal }),
      onText: (raw) => {
        text = raw;
      },
    })
    .catch((error: unknown) => {
      if (isToolless(session, error)) return undefined;
      if (before > 0 && error instanceof McpCodegenError && error.exitCode === 3)
        throw cutShort(before, error);
      throw error;
    });
  if (result === undefined) return undefined;
  const entries = getOwn(result, "tools");
  if (!isArray(entries)) throw noList(before);
  const next = getOwn(result, "nextCursor");
  if (next !== undefined && next !== null && typeof next !== "string") {
    throw incomplete(`has a cursor that is not a string after page ${before + 1}`);
  }
  const ttlMs = getOwn(result, "ttlMs");
  const list = {
    entries,
    text,
    at: ["result", "tools"],
    ...(typeof ttlMs === "number" && ttlMs >= 0 && { ttlMs }),
    isPrivate: getOwn(result, "cacheScope") === "private",
  };
  return { list, next: next ?? undefined };
}

function isToolless(session: RequestContext, error: unknown): boolean {
  const declaresTools = Object.hasOwn(session.identity.capabilities, "tools");
  return !declaresTools && error instanceof RpcError && error.rpcCode === METHOD_NOT_FOUND;
}

function noList(before: number): McpCodegenError {
  if (before > 0) return incomplete(`is incomplete: page ${before + 1} has no tools array`);
  return new McpCodegenError("PROTOCOL_INVALID", "The server answered tools/list without a tools array.", {
    hint: "This is a fault of the server; look at its log.",
  });
}

/** Returns the error for a list that ends early: by a refusal, a lost connection or a time-out. */
function cutShort(pages: number, cause: McpCodegenError): McpCodegenError {
  const why = cause instanceof RpcError ? cause.rpcMessage : cause.message;
  return new McpCodegenError(
    "LIST_INCOMPLETE",
    `The server's list of tools ends early, after page ${pages}: ${why}`,
    { hint: cause.hint ?? LIST_DISCARDED, cause, stderr: cause.stderr },
  );
}

function incomplete(what: string): McpCodegenError {
  return new McpCodegenError("LIST_INCOMPLETE", `The server's list of tools ${what}.`, {
    hint: LIST_DISCARDED,
  });
}

function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

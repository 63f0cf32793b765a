import { McpCodegenError } from "../../core/errors.js";
import { getOwn, type JsonObject, byCodeUnit, isJsonArray, isJsonObject, findOwn } from "../../core/json.js";
import { formatLimit, LIST_LIMIT, DEEPEST_LOCKABLE, measureDepth } from "../../core/limits.js";
import { RpcError } from "../server-errors.js";
import type { AbortSignalLike } from "../../core/abort-signal.js";
import type { RequestContext } from "../session.js";
import { findInexactByEntry } from "./inexact-numbers.js";
import type { ListPage } from "./validate-tools.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import { ENTRY_LISTS, mapLists, type EntryList } from "../../core/entries.js";
import type { EntrySnapshots, ServerIdentity } from "../../core/snapshot.js";

/** More than any server has. A server with more pages invents cursors. */
const MOST_PAGES = 10_000;
const METHOD_NOT_FOUND = -32601;
const LIST_DISCARDED = "This is a fault of the server. The list was discarded.";

interface PageOptions {
  readonly signal?: AbortSignalLike | undefined;
  readonly onPage?: ((page: number, tools: number) => void) | undefined;
}

interface ListMethod {
  readonly method: string;
  /** The key of the entries in the result. */
  readonly items: string;
  /** Whether the server declares that it knows the method. Otherwise, a server that does not know it has no entries. */
  readonly isDeclared: boolean;
}

/** Returns all pages of `tools/list`. Throws as {@link listPages} does. */
export function listToolPages(
  session: RequestContext,
  options: PageOptions = {},
): Promise<readonly ListPage[]> {
  const isDeclared = Object.hasOwn(session.identity.capabilities, "tools");
  return listPages(session, { method: "tools/list", items: "tools", isDeclared }, options);
}

/**
 * Returns all pages of a list (specification, "Pagination").
 *
 * @throws McpCodegenError `LIST_INCOMPLETE` for a cursor that repeats, for too many or too large pages and for
 *   a later page without a list; `PROTOCOL_INVALID` for a first page without a list
 */
async function listPages(
  session: RequestContext,
  of: ListMethod,
  options: PageOptions = {},
): Promise<readonly ListPage[]> {
  const pages: ListPage[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  let tools = 0;
  let length = 0;
  do {
    const page = await listPage(session, of, { cursor, before: pages.length, signal: options.signal });
    if (page === undefined) return [];
    pages.push(page.list);
    tools += page.list.entries.length;
    length += page.length;
    options.onPage?.(pages.length, tools);
    // An empty cursor is a real cursor, so compare with undefined.
    cursor = page.next;
    if (cursor === undefined) return pages;
    if (seen.has(cursor)) throw incomplete(of, `repeats a cursor after page ${pages.length}`);
    seen.add(cursor);
    if (length > LIST_LIMIT)
      throw incomplete(
        of,
        `does not end within ${formatLimit(LIST_LIMIT)}: it has ${pages.length} pages so far`,
      );
  } while (pages.length < MOST_PAGES);
  throw incomplete(of, `has more than ${MOST_PAGES} pages`);
}

async function listPage(
  session: RequestContext,
  of: ListMethod,
  {
    cursor,
    before,
    signal,
  }: {
    readonly cursor: string | undefined;
    readonly before: number;
    readonly signal: AbortSignalLike | undefined;
  },
): Promise<
  { readonly list: ListPage; readonly length: number; readonly next: string | undefined } | undefined
> {
  let text = "";
  const params: JsonObject = cursor === undefined ? {} : { cursor };
  const result = await session
    .request(of.method, params, {
      signal,
      onText: (raw) => {
        text = raw;
      },
    })
    .catch((error: unknown) => {
      if (!of.isDeclared && error instanceof RpcError && error.rpcCode === METHOD_NOT_FOUND) return undefined;
      if (before > 0 && error instanceof McpCodegenError && error.exitCode === 3)
        throw cutShort(of, before, error);
      throw error;
    });
  if (result === undefined) return undefined;
  const entries = getOwn(result, of.items);
  if (!isJsonArray(entries)) throw noList(of, before);
  const next = getOwn(result, "nextCursor");
  if (next !== undefined && next !== null && typeof next !== "string") {
    throw incomplete(of, `has a cursor that is not a string after page ${before + 1}`);
  }
  const ttlMs = getOwn(result, "ttlMs");
  const list = {
    entries,
    inexact: findInexactByEntry(text, ["result", of.items]),
    ...(typeof ttlMs === "number" && ttlMs >= 0 && { ttlMs }),
    isPrivate: getOwn(result, "cacheScope") === "private",
  };
  return { list, length: text.length, next: next ?? undefined };
}

function noList(of: ListMethod, before: number): McpCodegenError {
  if (before > 0) return incomplete(of, `is incomplete: page ${before + 1} has no ${of.items} array`);
  return new McpCodegenError(
    "PROTOCOL_INVALID",
    `The server answered ${of.method} without a ${of.items} array.`,
    { hint: "This is a fault of the server; look at its log." },
  );
}

function cutShort({ items }: ListMethod, pages: number, cause: McpCodegenError): McpCodegenError {
  const why = cause instanceof RpcError ? cause.rpcMessage : cause.message;
  return new McpCodegenError(
    "LIST_INCOMPLETE",
    `The server's list of ${items} ends early, after page ${pages}: ${why}`,
    { hint: cause.hint ?? LIST_DISCARDED, cause, stderr: cause.stderr },
  );
}

function incomplete({ items }: ListMethod, what: string): McpCodegenError {
  return new McpCodegenError("LIST_INCOMPLETE", `The server's list of ${items} ${what}.`, {
    hint: LIST_DISCARDED,
  });
}

/** The extension by which a server declares skills (SEP-2640). */
const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

interface ListedEntries {
  readonly lists: EntrySnapshots;
  readonly diagnostics: readonly Diagnostic[];
  /** Whether the server marks one of the lists as one of this account. */
  readonly isPrivate: boolean;
}

/**
 * Lists the prompts, resources, templates and skills of a server. Prompts and resources are requested even when the server
 * does not declare them, as tools are; skills only when it declares their extension, as that demands. A server that does
 * not know a method has no such entries.
 *
 * @throws McpCodegenError as `listPages` does
 */
export async function listEntries(
  server: string,
  session: RequestContext,
  wanted: readonly EntryList[],
  options: PageOptions = {},
): Promise<ListedEntries> {
  const pages: { [List in EntryList]?: readonly ListPage[] } = {};
  for (const list of wanted) {
    const isDeclared = declares(session.identity, list);
    pages[list] =
      list === "skills" && !isDeclared
        ? []
        : await listPages(session, { ...ENTRY_LISTS[list], items: list, isDeclared }, options);
  }
  const diagnostics: Diagnostic[] = [];
  const lists = mapLists(pages, (listed, list) =>
    readEntries(listed, list, (index, problem) => {
      const { method } = ENTRY_LISTS[list];
      const message = `Entry ${index} of ${method} ${problem}, so it is not locked.`;
      diagnostics.push({ code: "ENTRY_UNUSABLE", server, tool: "", path: `/${list}`, message });
    }),
  );
  const all = Object.values(pages).flat();
  return { lists, diagnostics, isPrivate: all.some(({ isPrivate }) => isPrivate) };
}

function declares({ capabilities }: ServerIdentity, list: EntryList): boolean {
  if (list === "prompts") return Object.hasOwn(capabilities, "prompts");
  if (list !== "skills") return Object.hasOwn(capabilities, "resources");
  const extensions = getOwn(capabilities, "extensions");
  return isJsonObject(extensions) && Object.hasOwn(extensions, SKILLS_EXTENSION);
}

/** Returns the entries of a list by the key that identifies them, sorted by it. The first of equal keys counts. */
function readEntries(
  pages: readonly ListPage[],
  list: EntryList,
  report: (index: number, problem: string) => void,
): { readonly [id: string]: JsonObject } {
  const { id: key } = ENTRY_LISTS[list];
  const entries = new Map<string, JsonObject>();
  for (const [index, entry] of pages.flatMap((page) => page.entries).entries()) {
    const id = findOwn(entry, key);
    if (!isJsonObject(entry)) report(index, "is not an object");
    else if (typeof id !== "string" || id === "") report(index, `has no ${key}`);
    else if (measureDepth(entry, DEEPEST_LOCKABLE) > DEEPEST_LOCKABLE)
      report(index, `is nested too deeply (over ${DEEPEST_LOCKABLE} levels)`);
    else if (entries.has(id)) report(index, `has the ${key} of an earlier entry`);
    else entries.set(id, entry);
  }
  return Object.fromEntries([...entries].sort(([a], [b]) => byCodeUnit(a, b)));
}

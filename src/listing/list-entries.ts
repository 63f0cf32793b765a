import type { Diagnostic } from "../contract/diagnostic.js";
import { ENTRY_LISTS, mapLists, type EntryList } from "../contract/entries.js";
import { byCodeUnit, getOwn, isJsonObject, type JsonObject } from "../contract/json.js";
import { DEEPEST_LOCKABLE, measureDepth } from "../contract/limits.js";
import type { EntrySnapshots, ServerIdentity } from "../contract/snapshot.js";
import { listPages, type ListOptions } from "./list-pages.js";
import type { RequestContext } from "./request-context.js";
import type { ListPage } from "./validate-tools.js";

/** The extension by which a server declares skills (SEP-2640). */
const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

/** The lists of a server beside its tools, and the entries that cannot be locked. */
export interface ListedEntries {
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
  options: Pick<ListOptions, "signal"> = {},
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
    const id = isJsonObject(entry) ? getOwn(entry, key) : undefined;
    if (!isJsonObject(entry)) report(index, "is not an object");
    else if (typeof id !== "string" || id === "") report(index, `has no ${key}`);
    else if (measureDepth(entry, DEEPEST_LOCKABLE) > DEEPEST_LOCKABLE)
      report(index, `is nested too deeply (over ${DEEPEST_LOCKABLE} levels)`);
    else if (entries.has(id)) report(index, `has the ${key} of an earlier entry`);
    else entries.set(id, entry);
  }
  return Object.fromEntries([...entries].sort(([a], [b]) => byCodeUnit(a, b)));
}

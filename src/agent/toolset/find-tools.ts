import { messageOf } from "../../core/errors.js";
import { byCodeUnit, findOwn, findText } from "../../core/json.js";
import { oneLine } from "../../core/printable.js";
import type { RegisteredTool } from "../../core/tool.js";
import { serverNameOf, categoryNameOf } from "../../core/tool-name.js";
import { listFirst } from "../registry/tool-names.js";
import type { SearchHit, ToolSearch } from "../search/create-tool-search.js";
import { nearestName } from "../../core/nearest-name.js";

/** The conditions of a search. Absent conditions match all tools. Without a query, tools are sorted by name. */
export interface WantedTools {
  /** The task in plain words. */
  readonly query?: string | undefined;
  /** `uncategorized` matches tools without a category. */
  readonly category?: string | undefined;
  /** `static` matches static tools. */
  readonly server?: string | undefined;
  /** The maximum number of tools. Default: 5, or 100 without a query. */
  readonly limit?: number | undefined;
  /** The number of tools to skip: `next` of the previous answer. */
  readonly offset?: number | undefined;
}

export interface FoundTools<T = RegisteredTool> {
  /** Best first. Tools that are listed by name have the score 1. */
  readonly hits: readonly SearchHit<T>[];
  /** The number of matching tools without the limit; for a query, at most 100. */
  readonly total: number;
  /** The offset of the next page; absent at the end. */
  readonly next?: number | undefined;
  /** Says in one line why the embedder failed. The tools were then found by words only. */
  readonly warning?: string | undefined;
}

/** A query matches any number of tools a little. */
export const MOST_COUNTED = 100;

export function explainEmbedder(error: unknown): string {
  return `The embedder failed, so the search uses words only: ${oneLine(messageOf(error), 300)}`;
}

/** Finds some of the tools with a search of all of them; without a query, lists them by name. */
export async function findTools<T extends Pick<RegisteredTool, "name" | "server" | "category">>(
  tools: readonly T[],
  { query = "", category, server, limit: most, offset = 0 }: WantedTools,
  search: ToolSearch<T>,
): Promise<FoundTools<T>> {
  const isListing = query.trim() === "";
  const limit = most ?? (isListing ? MOST_COUNTED : 5);
  const accepts = (tool: T): boolean =>
    (category === undefined || categoryNameOf(tool) === category) &&
    (server === undefined || serverNameOf(tool) === server);
  const hits: FoundTools<T>["hits"] = isListing
    ? tools
        .filter(accepts)
        .sort((a, b) => byCodeUnit(a.name, b.name))
        .map((tool) => ({ tool, score: 1, fit: "best" }))
    : await search.search(query, { accepts, limit: Math.max(offset + limit, MOST_COUNTED) });
  return {
    hits: hits.slice(offset, offset + limit),
    total: hits.length,
    next: offset + limit < hits.length ? offset + limit : undefined,
  };
}

/** Categories may be a server's words of any length. */
const LONGEST_CATEGORY = 80;

/** Describes a search hit to a model, under the name to call the tool by. */
export function describeHit({ tool, score }: SearchHit<RegisteredTool>, name: string) {
  return {
    name,
    description: summarize(tool.description ?? tool.title ?? ""),
    category: oneLine(categoryNameOf(tool), LONGEST_CATEGORY),
    /** Present if the category is guessed from the name. */
    guessedCategory: tool.hasGuessedCategory,
    server: serverNameOf(tool),
    score: Math.round(score * 1_000) / 1_000,
  };
}

export function readFoundNames(answer: unknown): readonly string[] {
  const tools = findOwn(findOwn(answer, "structuredContent"), "tools");
  return Array.isArray(tools) ? tools.flatMap((tool) => findText(tool, "name") ?? []) : [];
}

const LONGEST = 120;

/** Returns the first sentence of a description on one line, cut if it is long. */
export function summarize(description: string): string {
  const line = oneLine(description, LONGEST);
  // "e.g. a" does not end a sentence.
  const end = /(?<!\b(?:e\.g|i\.e|etc|vs|no))\.(?= [\p{Lu}\p{N}"'([])/u.exec(line);
  return end === null || end.index < 10 ? line : line.slice(0, end.index + 1);
}

/** Names are a server's words of any length and number. */
const LONGEST_FILTER = 80;
const MOST_NAMES = 20;

/**
 * Returns the filter that makes a search empty because no visible tool has its category or server. Returns undefined if each
 * filter matches a tool, or if there are no tools.
 *
 * @param servers names of known servers, which may have no visible tools
 */
export function findUnknownFilter(
  { category, server }: WantedTools,
  visible: readonly Pick<RegisteredTool, "server" | "category">[],
  servers: readonly string[] = [],
): ReturnType<typeof explainUnknown> {
  if (visible.length === 0) return undefined;
  if (server !== undefined && !servers.includes(server)) {
    const unknown = explainUnknown("server", server, visible.map(serverNameOf));
    if (unknown !== undefined) return unknown;
  }
  return category === undefined
    ? undefined
    : explainUnknown("category", category, visible.map(categoryNameOf));
}

/** The suggestion lists the nearest name, if any, and the known names. */
function explainUnknown(key: "category" | "server", name: string, names: readonly string[]) {
  const sorted = [...new Set(names)].sort(byCodeUnit);
  if (sorted.includes(name)) return undefined;
  const byForm = new Map(sorted.map((toolName) => [normalize(toolName), toolName]));
  const near = byForm.get(nearestName(normalize(name), byForm.keys()) ?? "");
  const list = listFirst(sorted.map(quoteFilter), MOST_NAMES);
  const many = key === "category" ? "Categories" : "Servers";
  return {
    key,
    message: `There is no ${key} ${quoteFilter(name)}.`,
    suggestion: `${near === undefined ? "" : `Did you mean ${quoteFilter(near)}? `}${many}: ${list}.`,
  };
}

function normalize(name: string): string {
  return name.slice(0, LONGEST_FILTER).toLowerCase();
}

function quoteFilter(name: string): string {
  return JSON.stringify(oneLine(name, LONGEST_FILTER));
}

/** The names of the tools that searches have found. When it is full, the least recently used ones are removed. */
export class ActiveSet {
  readonly #most: number;
  /** The last use of each, in the order of finding. */
  readonly #uses = new Map<string, number>();
  #now = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** In the order of finding, which further uses do not change. */
  get names(): readonly string[] {
    return [...this.#uses.keys()];
  }

  /** Adds found tools, best first. Adding a tool again counts as a use. */
  add(names: readonly string[]): void {
    const kept = names.slice(0, this.#most);
    for (const name of kept) if (!this.#uses.has(name)) this.#uses.set(name, 0);
    // In reverse, so that the best is removed last.
    for (const name of kept.toReversed()) this.use(name);
    const excess = this.#uses.size - this.#most;
    if (excess <= 0) return;
    const oldest = [...this.#uses].sort(([, a], [, b]) => a - b).slice(0, excess);
    for (const [name] of oldest) this.#uses.delete(name);
  }

  /** Records a call of a tool, unless it was removed. */
  use(name: string): void {
    if (!this.#uses.has(name)) return;
    this.#now += 1;
    this.#uses.set(name, this.#now);
  }

  keep(matches: (name: string) => boolean): void {
    for (const name of this.names) if (!matches(name)) this.#uses.delete(name);
  }
}

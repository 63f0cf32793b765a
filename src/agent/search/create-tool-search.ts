import {
  COUNT,
  checkArgument,
  checkOptions,
  FUNCTION,
  listOf,
  TEXT,
  withMethods,
  type OptionKind,
  type OptionRules,
} from "../../core/check-options.js";
import { isJsonObject } from "../../core/json.js";
import type { SearchableTool } from "./postings.js";

/** Turns texts into vectors that are close to each other when the texts mean similar things: a local model, or an API. */
export interface Embedder {
  /**
   * Returns one vector per text, in the same order, all of the same dimension. Their lengths do not matter.
   *
   * @param purpose whether the texts describe tools or ask for them, for models that distinguish documents and queries
   */
  embed(texts: readonly string[], purpose?: "tool" | "query"): Promise<readonly Float32Array[]>;
}

export interface ToolSearchOptions {
  /** Adds search by meaning. Default: search by words only. */
  readonly embedder?: Embedder | undefined;
}

export const EMBEDDER: OptionKind = withMethods("an object with the method embed(texts)", "embed");

export const SEARCH_OPTIONS: OptionRules<ToolSearchOptions> = { embedder: EMBEDDER };

interface QueryOptions<T> {
  /** The maximum number of hits. Default: 5. */
  readonly limit?: number | undefined;
  /** Restricts the search to the tools for which it returns true. */
  readonly accepts?: ((tool: T) => boolean) | undefined;
}

export interface SearchOptions<T> extends QueryOptions<T> {
  /** For each intent of the query, in order: the similarity of each tool's meaning, in the order of the tools. */
  readonly nearness?: readonly Float32Array[] | undefined;
}

export interface SearchHit<T> {
  readonly tool: T;
  /**
   * From 0.03 to about 1, which means that every word was found in the best place. Never higher than that of the previous
   * hit. Tools with a lower score, or a much lower one than the best tool, are not returned.
   */
  readonly score: number;
  /** Whether it is the best tool for its request of the query, or fits nearly as well. */
  readonly fit: "best" | "near" | "far";
}

export interface ToolSearch<T> {
  /**
   * Returns the tools that match a query in plain words, best first; tools with equal scores by name. For a query with
   * several requests ("create a page and upload an image"), the best tools for each of them alternate. Throws what the
   * embedder throws.
   */
  search(query: string, options?: QueryOptions<T>): Promise<readonly SearchHit<T>[]>;
}

/** A lower best score means that no tool fits well. */
export const WEAK_SCORE = 0.3;

const TOOLS: OptionKind = listOf(
  { words: "a tool", is: (value) => isJsonObject(value) && typeof value["name"] === "string" },
  "an array of tools with names, such as await registry.getTools()",
);

/** Loaded at the first search: many programs only offer tools. */
export const loadSearchIndex = async () => import("./create-search-index.js");

/** Makes tools searchable. The index is loaded and built at the first search. */
export function createToolSearch<T extends SearchableTool>(
  tools: readonly T[],
  options: ToolSearchOptions = {},
): ToolSearch<T> {
  checkArgument("createToolSearch", "tools", tools, TOOLS);
  checkOptions("createToolSearch", options, SEARCH_OPTIONS);
  let opened: Promise<ToolSearch<T>> | undefined;
  return {
    search: async (query, queryOptions = {}) => {
      checkArgument("search", "query", query, TEXT);
      checkOptions("search", queryOptions, { limit: COUNT, accepts: FUNCTION });
      opened ??= loadSearchIndex().then(({ openToolSearch }) => openToolSearch(tools, options));
      const search = await opened.catch((error: unknown) => {
        // An API that was down may be up by the next search.
        opened = undefined;
        throw error;
      });
      return search.search(query, queryOptions);
    },
  };
}

import { checkOptions, OBJECT, type OptionRules } from "../../contract/check-options.js";
import type { SearchHit, SearchOptions, Embedder } from "./create-search-index.js";
import type { SearchableTool } from "./postings.js";

export interface ToolSearchOptions {
  /** Searches by meaning as well as by words; without one, words alone. */
  readonly embedder?: Embedder;
}

export const SEARCH_OPTIONS: OptionRules<ToolSearchOptions> = { embedder: OBJECT };

export interface ToolSearch<T> {
  /**
   * The tools that a query in plain words asks for, best first; tools of equal score by name. Where a query asks for
   * several things, the best tools for each by turns. Throws what the embedder throws.
   */
  search(query: string, options?: Omit<SearchOptions<T>, "nearness">): Promise<readonly SearchHit<T>[]>;
}

/** Makes tools searchable. What it needs is loaded when the first search is made. */
export function createToolSearch<T extends SearchableTool>(
  tools: readonly T[],
  options: ToolSearchOptions = {},
): ToolSearch<T> {
  checkOptions("createToolSearch", options, SEARCH_OPTIONS);
  let opened: Promise<ToolSearch<T>> | undefined;
  return {
    search: async (query, searchOptions) => {
      opened ??= import("./create-search-index.js").then(({ openToolSearch }) =>
        openToolSearch(tools, options),
      );
      const search = await opened.catch((error: unknown) => {
        // An API that was down may be up by the next search.
        opened = undefined;
        throw error;
      });
      return search.search(query, searchOptions);
    },
  };
}

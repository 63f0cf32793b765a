import type { ToolSearch, ToolSearchOptions } from "./create-tool-search.js";
import { createSearchIndex } from "./create-search-index.js";
import { embedTools, measureNearness } from "./embedder.js";
import { readQuery } from "./read-query.js";
import type { SearchableTool } from "./postings.js";

/** Indexes the tools by words, and by meaning when an embedder is given. */
export async function openToolSearch<T extends SearchableTool>(
  tools: readonly T[],
  { embedder }: ToolSearchOptions,
): Promise<ToolSearch<T>> {
  const index = createSearchIndex(tools);
  if (embedder === undefined)
    return { search: (query, options) => Promise.resolve(index.search(query, options)) };
  const vectors = await embedTools(tools, embedder);
  return {
    search: async (query, options) => {
      const nearness = await measureNearness(readQuery(query), vectors, embedder);
      return index.search(query, { ...options, nearness });
    },
  };
}

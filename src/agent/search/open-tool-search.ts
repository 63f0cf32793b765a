import { getOwn } from "../../contract/json.js";
import type { ToolSearch, ToolSearchOptions } from "./create-tool-search.js";
import { createSearchIndex } from "./create-search-index.js";
import { digestOfText, embeddedText, embedTools } from "./embed-tools.js";
import type { Embedder } from "./embedder.js";
import { readQuery } from "./read-query.js";
import type { SearchableTool } from "./searchable-tool.js";
import { dotProduct, parseVector, toUnit } from "./vector-text.js";

/** The index, and the vectors of the tools where there is an embedder. */
export async function openToolSearch<T extends SearchableTool>(
  tools: readonly T[],
  { embedder, vectors: known }: ToolSearchOptions,
): Promise<ToolSearch<T>> {
  const index = createSearchIndex(tools);
  if (embedder === undefined)
    return { search: (query, options) => Promise.resolve(index.search(query, options)) };
  const { vectors } = (await embedTools(tools, embedder, known)).vectors;
  const own = await Promise.all(
    tools.map(async (tool) => {
      const text = getOwn(vectors, await digestOfText(embeddedText(tool)));
      return text === undefined ? undefined : parseVector(text, embedder.dimensions);
    }),
  );
  return {
    search: async (query, options) =>
      index.search(query, { ...options, nearness: await measureNearness(query, own, embedder) }),
  };
}

/** For each intent of a query, how near each vector is to it. */
async function measureNearness(
  query: string,
  vectors: readonly (Float32Array | undefined)[],
  embedder: Embedder,
): Promise<readonly Float32Array[]> {
  const intents = readQuery(query);
  if (intents.length === 0) return [];
  const asked = await embedder.embed(intents.map(({ text }) => text));
  return asked.map((vector) => {
    const unit = toUnit(vector);
    return Float32Array.from(vectors, (own) => (own === undefined ? 0 : dotProduct(own, unit)));
  });
}

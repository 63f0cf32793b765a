import MiniSearch from "minisearch";
import {
  createSearchIndex,
  embedTools,
  measureNearness,
} from "../../src/agent/search/create-search-index.js";
import { createToolSearch, type Embedder } from "../../src/agent/search/create-tool-search.js";
import type { PublicTool } from "./labelled-queries.js";
import type { Search } from "./measure-recall.js";

/** 3 for a word in the name, 2 in the category, 1 in the description: a toolset without an index. */
export function keywordScoring(tools: readonly PublicTool[]): Search {
  const texts = tools.map(({ id, name, category = "", description = "" }) => ({
    id,
    name: name.toLowerCase(),
    category: category.toLowerCase(),
    description: description.toLowerCase(),
  }));
  return (query) => {
    const words = query.toLowerCase().match(/\w+/gu) ?? [];
    const scored = texts.map(({ id, ...text }) => {
      const scores = words.map(
        (word) =>
          (text.name.includes(word) ? 3 : 0) +
          (text.category.includes(word) ? 2 : 0) +
          (text.description.includes(word) ? 1 : 0),
      );
      return { id, score: scores.reduce((a, b) => a + b, 0) };
    });
    const found = scored.filter(({ score }) => score > 0);
    return found
      .sort((a, b) => b.score - a.score)
      .slice(0, 10)
      .map(({ id }) => id);
  };
}

/** BM25 of a library with its defaults. */
export function plainBm25(tools: readonly PublicTool[]): Search {
  return miniSearch(tools, new MiniSearch({ fields: FIELDS }));
}

/** The same with the library's options: the name counts three times, with prefixes and fuzzy words. */
export function boostedBm25(tools: readonly PublicTool[]): Search {
  const isLong = (term: string): boolean => term.length > 3;
  const searchOptions = {
    boost: { name: 3 },
    prefix: isLong,
    fuzzy: (term: string) => (isLong(term) ? 0.2 : false),
  };
  const tokenize = (text: string): string[] =>
    text
      .replace(/([a-z\d])([A-Z])/gu, "$1 $2")
      .split(/[^\p{Letter}\p{Number}]+/u)
      .filter((word) => word !== "");
  return miniSearch(tools, new MiniSearch({ fields: FIELDS, tokenize, searchOptions }));
}

export function ours(tools: readonly PublicTool[]): Search {
  const index = createSearchIndex(tools);
  return (query) => index.search(query, { limit: 10 }).map(({ tool }) => tool.id);
}

/** By meaning alone. */
export async function meaning(tools: readonly PublicTool[], embedder: Embedder): Promise<Search> {
  const own = await embedTools(tools, embedder);
  return async (query) => {
    const [nearness = new Float32Array()] = await measureNearness([{ text: query }], own, embedder);
    return tools
      .map(({ id }, at) => ({ id, score: nearness[at] ?? 0 }))
      .sort((a, b) => b.score - a.score)
      .slice(0, 10)
      .map(({ id }) => id);
  };
}

/** Ours, by words and meaning. */
export function fused(tools: readonly PublicTool[], embedder: Embedder): Search {
  const search = createToolSearch(tools, { embedder });
  return async (query) => (await search.search(query, { limit: 10 })).map(({ tool }) => tool.id);
}

const FIELDS = ["name", "title", "description"];

function miniSearch(tools: readonly PublicTool[], index: MiniSearch): Search {
  index.addAll(tools.map((tool, key) => ({ ...tool, id: key })));
  return (query) =>
    index
      .search(query)
      .slice(0, 10)
      .map(({ id }) => tools[Number(id)]?.id ?? "");
}

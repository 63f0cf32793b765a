import { listWords } from "../../core/collections.js";
import { splitWords } from "../../core/words/words.js";
import { ownNameOf } from "../../core/tool-name.js";
import { createRanker } from "./create-ranker.js";
import type {
  Embedder,
  SearchHit,
  SearchOptions,
  ToolSearch,
  ToolSearchOptions,
} from "./create-tool-search.js";
import { buildPostings, type Postings, type SearchableTool } from "./postings.js";
import { readQuery } from "./read-query.js";

export { unpackPostings } from "./postings.js";

/**
 * BM25 over the words of names, titles, descriptions, parameters and categories. Words are stemmed; synonyms and short
 * forms count less; unknown words match similar ones. Pure: the same tools and query give the same hits.
 *
 * @param postings those of the tools, if they were built before; then only the names of tools are read
 */
export function createSearchIndex<T extends SearchableTool>(
  tools: readonly T[],
  postings: Postings = buildPostings(tools),
) {
  const rank = createRanker(tools, postings);
  return {
    search: (query: string, { limit = 5, accepts = () => true, nearness }: SearchOptions<T> = {}) => {
      const intents = readQuery(query);
      // A tool that one intent has found does not count for the next.
      const most = limit * Math.max(1, intents.length);
      return interleave(
        intents.map((intent, i) => rank(intent, { most, accepts, nearness: nearness?.[i] })),
        limit,
      );
    },
  };
}

function interleave<T>(
  rankings: readonly (readonly SearchHit<T>[])[],
  limit: number,
): readonly SearchHit<T>[] {
  const hits = new Map<T, SearchHit<T>>();
  const longest = Math.max(0, ...rankings.map((ranking) => ranking.length));
  let least = Infinity;
  for (let at = 0; at < longest; at += 1) {
    for (const ranking of rankings) {
      const entry = ranking[at];
      if (entry === undefined || hits.has(entry.tool) || hits.size >= limit) continue;
      least = Math.min(least, entry.score);
      hits.set(entry.tool, { ...entry, score: least });
    }
  }
  return [...hits.values()];
}

/** Indexes the tools by words, and by meaning if there is an embedder. */
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

/** Models cut longer texts, and the first sentences carry most of the meaning. */
const LONGEST_TEXT = 240;
/** Texts per call of the embedder, so that a local model needs little memory and an API accepts the request. */
const BATCH = 32;

/** Returns one unit vector per tool, in the order of the tools. Throws what the embedder throws. */
export async function embedTools(
  tools: readonly SearchableTool[],
  embedder: Embedder,
): Promise<readonly Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let at = 0; at < tools.length; at += BATCH)
    vectors.push(...(await embedAll(tools.slice(at, at + BATCH).map(textToEmbed), embedder, "tool")));
  return vectors;
}

/** Returns, for each intent of a query, the cosine of its vector with that of each tool. */
export async function measureNearness(
  intents: readonly { readonly text: string }[],
  tools: readonly Float32Array[],
  embedder: Embedder,
): Promise<readonly Float32Array[]> {
  if (intents.length === 0) return [];
  const texts = intents.map(({ text }) => text);
  const vectors = await embedAll(texts, embedder, "query");
  const dimensions = [...new Set([...tools, ...vectors].map(({ length }) => length))];
  if (dimensions.length > 1)
    throw new Error(
      `The embedder returned vectors of ${listWords(dimensions.map(String), "and")} dimensions.`,
    );
  return vectors.map((vector) =>
    Float32Array.from(tools, (tool) => tool.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0)),
  );
}

/** The words of the tool's name, its title, and the beginning of its description. */
function textToEmbed({ name, server, title, description }: SearchableTool): string {
  const nameWords = splitWords(ownNameOf({ name, server })).join(" ");
  return [nameWords, title ?? "", (description ?? "").replace(/\s+/g, " ")]
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join(". ")
    .slice(0, LONGEST_TEXT);
}

async function embedAll(
  texts: readonly string[],
  embedder: Embedder,
  purpose: "tool" | "query",
): Promise<readonly Float32Array[]> {
  const vectors = await embedder.embed(texts, purpose);
  if (vectors.length !== texts.length)
    throw new Error(`The embedder returned ${vectors.length} vectors for ${texts.length} texts.`);
  // Unit vectors.
  return vectors.map((vector) => {
    const length = Math.hypot(...vector);
    return length === 0 ? vector : vector.map((value) => value / length);
  });
}

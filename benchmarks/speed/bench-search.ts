import { createToolSearch } from "../../src/agent/search/create-tool-search.js";
import { createSearchIndex } from "../../src/agent/search/create-search-index.js";
import type { SearchableTool } from "../../src/agent/search/postings.js";
import { openEmbedder } from "../search/energetic-embedder.js";
import { readLabelledQueries } from "../search/labelled-queries.js";
import type { BenchTool } from "./bench-tools.js";

const ROUNDS = 5;

/**
 * Measures building an index of these tools and a search in it, by words alone. Processor time, since a
 * search is shorter than the interruptions of a busy machine.
 */
export function measureSearch(tools: readonly BenchTool[]): string {
  const searchable = tools.map(toSearchable);
  const queries = readLabelledQueries().map(({ query }) => query);
  const cold = cpuTime(() => createSearchIndex(searchable));
  const index = createSearchIndex(searchable);
  const warm = cpuTime(() => createSearchIndex(searchable));
  const perSearch = cpuTime(() => {
    for (let round = 0; round < ROUNDS; round += 1) for (const query of queries) index.search(query);
  });
  const mean = perSearch / ROUNDS / queries.length;
  return (
    `search in ${tools.length} tools: ${mean.toFixed(2)} ms CPU, ${mean < 2 ? "meets" : "MISSES"} < 2 ms; ` +
    `index built in ${cold.toFixed(0)} ms CPU at first, ${warm.toFixed(0)} ms then`
  );
}

/** Measures a search by meaning with embedded tools and a warm model. Wall-clock time, since the model uses several cores. */
export async function measureSearchByMeaning(tools: readonly BenchTool[]): Promise<string> {
  const search = createToolSearch(tools.map(toSearchable), { embedder: await openEmbedder() });
  const [first = "", ...queries] = readLabelledQueries().map(({ query }) => query);
  const embedded = await time(() => search.search(first));
  const times: number[] = [];
  for (const query of queries) times.push(await time(() => search.search(query)));
  const median = times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  return (
    `search by meaning in ${tools.length} tools: ${median.toFixed(1)} ms, ${median < 30 ? "meets" : "MISSES"} < 30 ms; ` +
    `the tools embedded in ${(embedded / 1000).toFixed(0)} s, once`
  );
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function toSearchable(tool: BenchTool): SearchableTool {
  const { description, inputSchema } = tool as {
    readonly description?: string;
    readonly inputSchema?: unknown;
  };
  return {
    name: tool.name,
    ...(description !== undefined && { description }),
    inputSchema: () => inputSchema,
  };
}

function cpuTime(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

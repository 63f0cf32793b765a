import { createSearchIndex } from "../../src/runtime/toolset/search/create-search-index.js";
import type { SearchableTool } from "../../src/runtime/toolset/search/searchable-tool.js";
import { readLabelledQueries } from "../search/labelled-queries.js";
import type { BenchTool } from "./bench-tools.js";

const ROUNDS = 5;

/**
 * How long an index of these tools takes to build, and how long a search in it, by words alone. Processor time, since a
 * search is shorter than what a busy machine takes away.
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

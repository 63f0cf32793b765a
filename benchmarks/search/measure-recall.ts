import type { LabelledQuery } from "./labelled-queries.js";

export interface Recall {
  readonly queries: number;
  /** Recall from 0 to 1: the share of the requested tasks with a tool in the first, and in the first five results. */
  readonly at1: number;
  readonly at5: number;
  /** Mean of 1 / rank of the first correct tool; 0 if there is none in the first ten. */
  readonly mrr: number;
}

/** Returns ids of tools for a query, best first; ten are evaluated. */
export type Search = (query: string) => readonly string[] | Promise<readonly string[]>;

export async function measureRecall(queries: readonly LabelledQuery[], search: Search): Promise<Recall> {
  let at1 = 0;
  let at5 = 0;
  let mrr = 0;
  for (const { query, tools } of queries) {
    const found = (await search(query)).slice(0, 10);
    at1 += recallOf(tools, found, 1);
    at5 += recallOf(tools, found, 5);
    const right = new Set(tools.flat());
    const rank = found.findIndex((id) => right.has(id)) + 1;
    mrr += rank === 0 ? 0 : 1 / rank;
  }
  const count = queries.length;
  return { queries: count, at1: at1 / count, at5: at5 / count, mrr: mrr / count };
}

/** Returns the share of tasks with a tool among the first results, of the tasks that could have one. */
function recallOf(intents: readonly (readonly string[])[], found: readonly string[], first: number): number {
  const best = found.slice(0, first);
  const met = intents.filter((tools) => tools.some((tool) => best.includes(tool))).length;
  return met / Math.min(intents.length, first);
}

import type { LabelledQuery } from "./labelled-queries.js";

export interface Recall {
  readonly queries: number;
  /** Shares of 1: how much of what was asked for is among the first, the first five. */
  readonly at1: number;
  readonly at5: number;
  /** Mean of 1 / rank of the first tool that is right; 0 for none in the first ten. */
  readonly mrr: number;
}

/** Ids of tools for a query, best first; ten of them are looked at. */
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

/** Which share of the things asked for has a tool among the first, of the share that could have. */
function recallOf(intents: readonly (readonly string[])[], found: readonly string[], first: number): number {
  const best = found.slice(0, first);
  const met = intents.filter((tools) => tools.some((tool) => best.includes(tool))).length;
  return met / Math.min(intents.length, first);
}

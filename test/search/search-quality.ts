/** Prints how much each way of searching finds of what the labelled queries ask for, by style and split. */
import {
  hasPublicTools,
  readLabelledQueries,
  readPublicTools,
  STYLES,
  type LabelledQuery,
} from "./labelled-queries.js";
import { measureRecall, type Search } from "./measure-recall.js";
import { boostedBm25, keywordScoring, ours, plainBm25 } from "./rankers.js";

if (!hasPublicTools) {
  process.stdout.write(
    "Skipped: ../shared/data/tool-lists, whose tools the queries are labelled with, is not there.\n",
  );
} else {
  const tools = readPublicTools();
  const queries = readLabelledQueries();
  const searches: readonly (readonly [name: string, search: Search])[] = [
    ["keywords", keywordScoring(tools)],
    ["plain BM25", plainBm25(tools)],
    ["BM25, name × 3, prefix, fuzzy", boostedBm25(tools)],
    ["ours", ours(tools)],
  ];
  for (const split of ["test", "tuning"] as const) {
    const chosen = queries.filter((query) => query.split === split);
    process.stdout.write(
      `\n${split}: ${chosen.length} queries over ${tools.length} tools; recall@1 / recall@5 (%), MRR\n\n`,
    );
    await printTable(chosen, searches);
  }
}

async function printTable(
  queries: readonly LabelledQuery[],
  searches: readonly (readonly [name: string, search: Search])[],
): Promise<void> {
  const rows: (readonly string[])[] = [
    ["style", ...searches.map(([name]) => name)],
    ["---", ...searches.map(() => "---:")],
  ];
  for (const style of [...STYLES, undefined]) {
    const own = queries.filter((query) => style === undefined || query.style === style);
    const cells: string[] = [];
    for (const [, search] of searches) {
      const { at1, at5, mrr } = await measureRecall(own, search);
      cells.push(`${percent(at1)} / ${percent(at5)}, ${mrr.toFixed(2)}`);
    }
    rows.push([style ?? "all", ...cells]);
  }
  for (const row of rows) process.stdout.write(`| ${row.join(" | ")} |\n`);
}

function percent(share: number): string {
  return (100 * share).toFixed(0);
}

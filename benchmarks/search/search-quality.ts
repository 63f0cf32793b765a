/**
 * Prints the recall of each way of searching on the labelled queries, by style, as the tables of
 * `docs/search.md`. `npm run report search-quality -- --write` puts them there.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import {
  hasPublicTools,
  readLabelledQueries,
  readPublicTools,
  STYLES,
  type LabelledQuery,
  type PublicTool,
} from "./labelled-queries.js";
import { measureRecall, type Search } from "./measure-recall.js";
import { openEmbedder } from "./energetic-embedder.js";
import { boostedBm25, fused, keywordScoring, meaning, ours, plainBm25 } from "./rankers.js";

type NamedSearch = readonly [name: string, search: Search];

if (!hasPublicTools) {
  process.stdout.write(
    "Skipped: ../shared/data/tool-lists is not there, whose tools the queries are labelled with.\n",
  );
} else {
  const tools = readPublicTools();
  const queries = readLabelledQueries();
  const searches: readonly NamedSearch[] = [
    ["keywords", keywordScoring(tools)],
    ["BM25", plainBm25(tools)],
    ["BM25, tuned", boostedBm25(tools)],
    ["ours", ours(tools)],
    ...(await byMeaning(tools)),
  ];
  const tables: string[] = [];
  for (const split of ["test", "tuning"] as const) {
    const chosen = queries.filter((query) => query.split === split);
    tables.push(`The ${split} half, ${chosen.length} queries:`, await printTable(chosen, searches));
  }
  const text = tables.join("\n\n");
  process.stdout.write(`${text}\n`);
  if (process.argv.includes("--write")) await writeTables(text);
}

/** Ranks by meaning alone, and by words and meaning. */
async function byMeaning(tools: readonly PublicTool[]): Promise<readonly NamedSearch[]> {
  const embedder = await openEmbedder();
  return [
    ["embeddings", await meaning(tools, embedder)],
    ["fused", fused(tools, embedder)],
  ];
}

async function printTable(
  queries: readonly LabelledQuery[],
  searches: readonly NamedSearch[],
): Promise<string> {
  const rows: (readonly string[])[] = [
    ["recall@1 / @5, MRR", ...searches.map(([name]) => name)],
    ["---", ...searches.map(() => "---:")],
  ];
  for (const style of [...STYLES, "all"] as const) {
    const own = style === "all" ? queries : queries.filter((query) => query.style === style);
    const cells: string[] = [];
    for (const [, search] of searches) {
      const { at1, at5, mrr } = await measureRecall(own, search);
      cells.push(`${percent(at1)} / ${percent(at5)}, ${mrr.toFixed(2)}`);
    }
    rows.push([style, ...cells]);
  }
  return rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function percent(share: number): string {
  return (100 * share).toFixed(0);
}

async function writeTables(text: string): Promise<void> {
  const path = fileURLToPath(new URL("../../docs/search.md", import.meta.url));
  const [before, rest] = readFileSync(path, "utf8").split("<!-- quality -->\n");
  const after = rest?.split("\n<!-- end of quality -->")[1];
  if (before === undefined || after === undefined)
    throw new Error("docs/search.md has no marks around its tables.");
  const written = `${before}<!-- quality -->\n\n${text}\n\n<!-- end of quality -->${after}`;
  writeFileSync(path, await format(written, { ...(await resolveConfig(path)), parser: "markdown" }));
}

/**
 * Prints the recall of each way of searching on the labelled queries, by style.
 * `npm run report search-quality -- --write` writes recall@5 of the test half to `docs/toolsets.md`.
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
import { measureRecall, type Recall, type Search } from "./measure-recall.js";
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
  for (const split of ["test", "tuning"] as const) {
    const chosen = queries.filter((query) => query.split === split);
    const measured = await measureStyles(chosen, searches);
    const table = printTable(
      "recall@1 / @5, MRR",
      measured,
      ({ at1, at5, mrr }) => `${percent(at1)} / ${percent(at5)}, ${mrr.toFixed(2)}`,
    );
    process.stdout.write(`The ${split} half, ${chosen.length} queries:\n\n${table}\n\n`);
    if (split === "test" && process.argv.includes("--write"))
      await writeTable(printTable("recall@5", measured, ({ at5 }) => percent(at5)));
  }
}

/** Ranks by meaning alone, and by words and meaning. */
async function byMeaning(tools: readonly PublicTool[]): Promise<readonly NamedSearch[]> {
  const embedder = await openEmbedder();
  return [
    ["embeddings", await meaning(tools, embedder)],
    ["fused", fused(tools, embedder)],
  ];
}

interface Measured {
  readonly searches: readonly string[];
  readonly styles: ReadonlyMap<string, readonly Recall[]>;
}

async function measureStyles(
  queries: readonly LabelledQuery[],
  searches: readonly NamedSearch[],
): Promise<Measured> {
  const styles = new Map<string, readonly Recall[]>();
  for (const style of [...STYLES, "all"] as const) {
    const own = style === "all" ? queries : queries.filter((query) => query.style === style);
    const recalls: Recall[] = [];
    for (const [, search] of searches) recalls.push(await measureRecall(own, search));
    styles.set(style, recalls);
  }
  return { searches: searches.map(([name]) => name), styles };
}

function printTable(
  title: string,
  { searches, styles }: Measured,
  printCell: (recall: Recall) => string,
): string {
  const rows = [
    [title, ...searches],
    ["---", ...searches.map(() => "---:")],
    ...[...styles].map(([style, recalls]) => [style, ...recalls.map(printCell)]),
  ];
  return rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function percent(share: number): string {
  return (100 * share).toFixed(0);
}

async function writeTable(text: string): Promise<void> {
  const path = fileURLToPath(new URL("../../docs/toolsets.md", import.meta.url));
  const [before, rest] = readFileSync(path, "utf8").split("<!-- quality -->\n");
  const after = rest?.split("\n<!-- end of quality -->")[1];
  if (before === undefined || after === undefined)
    throw new Error("docs/toolsets.md has no marks around its table.");
  const written = `${before}<!-- quality -->\n\n${text}\n\n<!-- end of quality -->${after}`;
  writeFileSync(path, await format(written, { ...(await resolveConfig(path)), parser: "markdown" }));
}

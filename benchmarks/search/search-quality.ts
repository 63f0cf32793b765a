/**
 * Prints the recall of each way of searching on the labelled queries, by style.
 * `npm run report search-quality -- --embedder` adds search by meaning, which takes minutes.
 * `--write` writes recall@5 for unseen servers to `docs/toolsets.md`.
 */
import {
  hasPublicTools,
  readLabelledQueries,
  readPublicTools,
  readTuningTools,
  readUnseenQueries,
  readUnseenTools,
  STYLES,
  UNSEEN_STYLES,
  type LabelledQuery,
  type PublicTool,
  type Style,
} from "./labelled-queries.js";
import { measureRecall, type Recall, type Search } from "./measure-recall.js";
import { writeTable } from "../tokens/write-table.js";
import { openEmbedder } from "./energetic-embedder.js";
import { boostedBm25, fused, keywordScoring, meaning, ours, plainBm25 } from "./rankers.js";

type NamedSearch = readonly [name: string, search: Search];

interface Trial {
  readonly about: string;
  readonly tools: readonly PublicTool[];
  readonly queries: readonly LabelledQuery[];
  readonly styles: readonly Style[];
}

if (!hasPublicTools) {
  process.stdout.write(
    "Skipped: ../shared/data/tool-lists is not there, whose tools the queries are labelled with.\n",
  );
} else {
  const unseen = readUnseenQueries().filter(({ split }) => split === "unseen");
  const trials: readonly Trial[] = [
    ...[false, true].map((amongOthers) => ({
      about: amongOthers ? "Unseen servers, among others with other tasks" : "Unseen servers alone",
      tools: readUnseenTools(amongOthers),
      queries: unseen,
      styles: UNSEEN_STYLES,
    })),
    {
      about: "Servers that were tuned on: queries by their names",
      tools: readTuningTools(),
      queries: readUnseenQueries().filter(({ split }) => split === "tuning"),
      styles: UNSEEN_STYLES,
    },
    {
      about: "Servers that were tuned on",
      tools: readPublicTools(),
      queries: readLabelledQueries(),
      styles: STYLES,
    },
    {
      about: "Servers that were tuned on: queries that were not",
      tools: readPublicTools(),
      queries: readUnseenQueries().filter(({ split }) => split === "test"),
      styles: ["question", "paraphrase", "non-native", "two intents"],
    },
  ];
  const columns: Column[] = [];
  for (const { about, tools, queries, styles } of trials) {
    const measured = await measureStyles(queries, styles, await searchesOf(tools));
    const head = `${about}: ${queries.length} queries, ${tools.length} tools`;
    const all = printTable("recall@1 / @5, MRR", measured, printAll);
    process.stdout.write(`${head}\n\n${all}\n\n`);
    columns.push(
      ...["BM25, tuned", "ours"].map((search) => ({
        title: `${search}, ${tools.length.toLocaleString("en")} tools`,
        recalls: recallsOf(measured, search),
      })),
    );
  }
  if (process.argv.includes("--write")) await writeColumns(columns.slice(0, 4));
}

/** A column of the documentation: the recalls of one search for each style. */
interface Column {
  readonly title: string;
  readonly recalls: ReadonlyMap<string, Recall>;
}

function recallsOf({ searches, styles }: Measured, search: string): ReadonlyMap<string, Recall> {
  const at = searches.indexOf(search);
  return new Map([...styles].flatMap(([style, { [at]: recall }]) => (recall ? [[style, recall]] : [])));
}

async function searchesOf(tools: readonly PublicTool[]): Promise<readonly NamedSearch[]> {
  const byWords: readonly NamedSearch[] = [
    ["keywords", keywordScoring(tools)],
    ["BM25", plainBm25(tools)],
    ["BM25, tuned", boostedBm25(tools)],
    ["ours", ours(tools)],
  ];
  if (!process.argv.includes("--embedder")) return byWords;
  const embedder = await openEmbedder();
  return [...byWords, ["embeddings", await meaning(tools, embedder)], ["fused", fused(tools, embedder)]];
}

interface Measured {
  readonly searches: readonly string[];
  readonly styles: ReadonlyMap<string, readonly Recall[]>;
}

async function measureStyles(
  queries: readonly LabelledQuery[],
  measured: readonly Style[],
  searches: readonly NamedSearch[],
): Promise<Measured> {
  const styles = new Map<string, readonly Recall[]>();
  for (const style of [...measured, "all"] as const) {
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

function printAll({ at1, at5, mrr }: Recall): string {
  return `${percent(at1)} / ${percent(at5)}, ${mrr.toFixed(2)}`;
}

/** Prints recall@5 with its 95 % interval (Wilson). */
function printInterval({ queries, at5 }: Recall): string {
  const z = 1.96 ** 2;
  const middle = (at5 + z / (2 * queries)) / (1 + z / queries);
  const half = (1.96 * Math.sqrt((at5 * (1 - at5)) / queries + z / (4 * queries ** 2))) / (1 + z / queries);
  return `${percent(at5)} (${percent(middle - half)}–${percent(middle + half)})`;
}

function percent(share: number): string {
  return (100 * share).toFixed(0);
}

async function writeColumns(columns: readonly Column[]): Promise<void> {
  const rows = [...UNSEEN_STYLES, "all"].map((style) => [
    style,
    ...columns.map(({ recalls }) => {
      const recall = recalls.get(style);
      return recall ? printInterval(recall) : "";
    }),
  ]);
  await writeTable(
    "docs/toolsets.md",
    "quality",
    [["recall@5", ...columns.map(({ title }) => title)], ["---", ...columns.map(() => "---:")], ...rows].map(
      (row) => `| ${row.join(" | ")} |`,
    ),
  );
}

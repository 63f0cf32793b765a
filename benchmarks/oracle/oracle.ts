/**
 * Evaluates the drift engine on the histories of real servers, and prints a table: `npm run report oracle`. json-schema-faker creates
 * instances and Ajv validates them; no code is shared with the engine. The table is equal in every run; the time goes to
 * stderr. `--details` lists what counts against the engine. `--digest` prints each change with its witness instead of the table:
 * the outputs of two trees must be equal.
 */
import { diffTools } from "../../src/drift/diff-tools.js";
import type { Change } from "../../src/core/change.js";
import { judgePair, type PairVerdict } from "./judge-pair.js";
import { haveSameMeaning } from "./meaning.js";
import { FOLDER, readHistories, type Step } from "./read-histories.js";
import { claimsOf, readTruth, scoreClaims, type Score } from "./score-renames.js";
import { SEED } from "./sample-instances.js";

const folder = process.argv.slice(2).find((argument) => !argument.startsWith("--")) ?? FOLDER;
const showsDetails = process.argv.includes("--details");
const showsDigest = process.argv.includes("--digest");
const details: string[] = [];

/** What was counted in some steps. */
interface Counts {
  readonly pairs: number;
  readonly same: number;
  readonly noise: number;
  readonly verdicts: readonly PairVerdict[];
  /** Findings of each pair that has any difference. */
  readonly findings: readonly number[];
}

interface JudgedStep extends Counts {
  readonly changes: readonly Change[];
}

interface Row extends Counts {
  readonly tools: Score;
  readonly properties: Score;
}

function judgeStep(step: Step): JudgedStep {
  const changes = diffTools(step.before, step.after);
  const old = new Map(step.before.map((tool) => [tool.name, tool]));
  const kept = step.after.flatMap((after) => {
    const before = old.get(after.name);
    return before === undefined || before === after ? [] : [{ before, after }];
  });
  const result = {
    pairs: kept.length,
    same: 0,
    noise: 0,
    verdicts: [] as PairVerdict[],
    changes,
    findings: [] as number[],
  };
  for (const { before, after } of kept) {
    const own = changes.filter(({ tool }) => tool === after.name);
    const at = `${step.history} ${step.commit.slice(0, 10)} ${after.name}`;
    if (haveSameMeaning(before, after)) {
      result.same++;
      if (own.length > 0) {
        result.noise++;
        details.push(`noise ${at}: ${own.map(({ rule }) => rule).join()}`);
      }
    } else result.findings.push(own.length);
    const verdict = judgePair(before, after, own);
    result.verdicts.push(verdict);
    for (const key of ["missed", "refuted", "misdirected", "unwitnessed"] as const)
      for (const each of verdict[key]) details.push(`${key} ${at} ${each}`);
    for (const change of own)
      if (change.class === "unknown")
        details.push(`unknown ${at} ${change.rule} ${change.path} (${change.reason ?? ""})`);
  }
  return result;
}

function joinCounts(all: readonly Counts[]): Counts {
  const sum = (count: (one: Counts) => number): number => all.reduce((total, one) => total + count(one), 0);
  return {
    pairs: sum(({ pairs }) => pairs),
    same: sum(({ same }) => same),
    noise: sum(({ noise }) => noise),
    verdicts: all.flatMap(({ verdicts }) => verdicts),
    findings: all.flatMap(({ findings }) => findings),
  };
}

function joinRows(rows: readonly Row[]): Row {
  const score = (scores: readonly Score[]): Score => ({
    right: scores.reduce((sum, { right }) => sum + right, 0),
    claimed: scores.reduce((sum, { claimed }) => sum + claimed, 0),
    known: scores.reduce((sum, { known }) => sum + known, 0),
  });
  return {
    ...joinCounts(rows),
    tools: score(rows.map(({ tools }) => tools)),
    properties: score(rows.map(({ properties }) => properties)),
  };
}

function judgeHistory(steps: readonly Step[]): Row {
  const judged = steps.map(judgeStep);
  const claims = steps.flatMap((step, index) => claimsOf(step, judged[index]?.changes ?? []));
  const names = [...new Set(steps.map(({ history }) => history))];
  const truth = readTruth().filter(({ history }) => names.includes(history));
  const [tools, properties] = (["tool", "property"] as const).map((kind) =>
    scoreClaims(
      claims.filter((each) => each.kind === kind),
      truth.filter((each) => each.kind === kind),
      details,
    ),
  );
  if (tools === undefined || properties === undefined) throw new TypeError("No scores.");
  return { ...joinCounts(judged), tools, properties };
}

/** Returns a line for each change of a step, with all that a reader sees of its verdict. */
function digestStep({ history, commit, before, after }: Step): readonly string[] {
  return diffTools(before, after).map((change) => {
    const { tool, rule, path, witness, witnessAt, reason } = change;
    return `${history} ${commit.slice(0, 10)} ${JSON.stringify([tool, change.class, rule, path, witness, witnessAt, reason])}`;
  });
}

function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function printScore({ right, claimed, known }: Score): string {
  const percent = (part: number, whole: number): string =>
    whole === 0 ? "–" : `${Math.round((100 * part) / whole)} %`;
  return `${right}/${claimed}/${known} (${percent(right, claimed)}, ${percent(right, known)})`;
}

function printRow(name: string, row: Row): string {
  const sum = (count: (verdict: PairVerdict) => number): number =>
    row.verdicts.reduce((all, verdict) => all + count(verdict), 0);
  const cells = [
    name,
    row.pairs,
    `${row.noise} of ${row.same}`,
    sum(({ breaks }) => breaks),
    sum(({ missed }) => missed.length),
    sum(({ witnesses }) => witnesses),
    sum(({ refuted }) => refuted.length),
    sum(({ misdirected }) => misdirected.length),
    sum(({ alone }) => alone),
    sum(({ unwitnessed }) => unwitnessed.length),
    `${sum(({ unknown }) => unknown.broken)} + ${sum(({ unknown }) => unknown.quiet)}`,
    printScore(row.tools),
    printScore(row.properties),
    `${quantile(row.findings, 0.5)} / ${quantile(row.findings, 0.99)}`,
  ];
  return `| ${cells.join(" | ")} |`;
}

const HEAD = [
  "history", "pairs", "noise", "breaks", "missed", "witnesses", "refuted", "misdirected", "by change alone", "breaking, no witness",
  "unknown (break + none)", "tools renamed (right/claimed/known)", "properties renamed", "findings p50 / p99",
]; // prettier-ignore

const histories = readHistories(folder);
if (histories.size === 0) process.stdout.write(`Skipped: ${folder} does not exist.\n`);
else if (showsDigest) {
  const start = process.cpuUsage();
  const lines = [...histories.values()].flat().flatMap(digestStep);
  process.stdout.write(`${lines.join("\n")}\n`);
  process.stderr.write(`${lines.length} changes, ${(process.cpuUsage(start).user / 1e6).toFixed(1)} s\n`);
} else {
  const start = performance.now();
  const rows = [...histories].map(([name, steps]) => [name, judgeHistory(steps)] as const);
  const all = ["all", joinRows(rows.map(([, row]) => row))] as const;
  const table = [...rows, all].map(([name, row]) => printRow(name, row));
  process.stdout.write(
    `seed ${SEED}\n\n| ${HEAD.join(" | ")} |\n|${" --- |".repeat(HEAD.length)}\n${table.join("\n")}\n`,
  );
  if (showsDetails) process.stdout.write(`\n${details.join("\n")}\n`);
  process.stderr.write(`${((performance.now() - start) / 1000).toFixed(1)} s\n`);
}

/**
 * Plants mistakes in a copy of the repository, one at a time, and reports which tests notice. Each runs against the test files
 * that import the changed file, nearest first, until one fails: `npm run report mutants -- --number 200 --seed 1`. If none of
 * the nearest fails, those nearest to the folders that import the file run. Mistakes that the compiler reports are left out.
 * Tests of the built package do not see a mistake, so folders such as `agent/modules` look worse than they are.
 *
 *   --number <n>      how many mistakes; default 200
 *   --seed <n>        which ones; default 1
 *   --folder <path>   only those below this folder of `src`, such as `drift/walk`
 *   --minutes <n>     stop planting after this time
 *   --tests <n>       how many of the nearest test files run against a mistake at most; default 15
 *   --others <n>      how many of the folders that import the file, the test file nearest to each; default 15
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureFiles } from "../measure-house.js";
import { chooseMutants, findMutants, type Mutant, plant } from "./find-mutants.js";
import { openTypeCheck } from "./type-check.js";

const FOLDERS = ["core", "schema", "drift", "emit", "runtime", "agent", "files"];
/** So many test files run at first, and twice as many each time that none fails. */
const TOGETHER = 3;
/** Instead of a test file: an error outside of tests, or no end. */
const NO_TEST = "no test";
/** Loops without an end are stopped after this time. */
const LIMIT = 60_000;
const SLOW = 10_000;

const { values } = parseArgs({
  options: {
    number: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    folder: { type: "string" },
    minutes: { type: "string", default: "Infinity" },
    tests: { type: "string", default: "15" },
    others: { type: "string", default: "15" },
  },
});
const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "mcp-codegen-mutants-"));
const tree = join(folder, "tree");
let child: ChildProcess | undefined;
/** Test files that pass without a mistake, one or several, and those that do not. */
const sound = new Set<string>();
const unsound = new Set<string>();
/** Test files that took long, which run last. */
const slow = new Set<string>();

/** What happened to a mistake: the test file that failed or `NO_TEST`. */
interface Outcome {
  readonly mutant: Mutant;
  readonly caughtBy: string | undefined;
  readonly tests: number;
  readonly seconds: number;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    stop();
    rmSync(folder, { recursive: true, force: true });
    process.exit(130);
  });
}
try {
  copyTree();
  await report();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function report(): Promise<void> {
  const files = [...filesOf("src"), ...filesOf("test")];
  const texts = files.flatMap(({ name }) => (isMutable(name) ? [name] : []));
  const mutants = texts.flatMap((name) => findMutants(name, readFileSync(join(tree, name), "utf8")));
  const compiles = openTypeCheck(tree);
  const importers = new Map<string, string[]>();
  for (const { name, imports } of files)
    for (const target of imports) importers.set(target, [...(importers.get(target) ?? []), name]);
  const end = Date.now() + Number(values.minutes) * 60_000;
  const outcomes: Outcome[] = [];
  let reported = 0;
  for (const mutant of chooseMutants(mutants, Number(values.seed), roomOf)) {
    if (Date.now() > end || outcomes.length >= Number(values.number)) break;
    if (!compiles(mutant.file, plant(readFileSync(join(tree, mutant.file), "utf8"), mutant))) {
      reported += 1;
      continue;
    }
    const outcome = await tryMutant(mutant, testsOf(mutant.file, importers));
    outcomes.push(outcome);
    print(`${String(outcomes.length).padStart(4)} ${describeOutcome(outcome)}`);
  }
  printTable(outcomes);
  print(
    `${outcomes.length} of ${mutants.length} possible mistakes, seed ${values.seed}; the compiler reported ${reported} more`,
  );
  if (unsound.size > 0) print(`Failed without a mistake, and left out: ${[...unsound].join(", ")}`);
}

/** The files that git knows or would add, beside the packages and the build of the original. */
function copyTree(): void {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const names = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 }).split("\0");
  for (const name of new Set(names)) {
    if (name === "" || name === "node_modules") continue;
    mkdirSync(dirname(join(tree, name)), { recursive: true });
    cpSync(join(root, name), join(tree, name), { force: true });
  }
  for (const name of ["node_modules", "dist"]) symlinkSync(join(root, name), join(tree, name), "junction");
}

function filesOf(top: string): { readonly name: string; readonly imports: readonly string[] }[] {
  return measureFiles(join(tree, top)).map(({ name, imports, loads }) => ({
    name: join(top, name),
    imports: [...imports, ...loads].map((target) => join(top, target)),
  }));
}

function isMutable(name: string): boolean {
  const isBelow = (path: string): boolean => name.startsWith(`src/${path}/`);
  return values.folder === undefined ? FOLDERS.some(isBelow) : isBelow(values.folder);
}

function roomOf(name: string): string {
  return name.split("/")[1] ?? "";
}

/** Returns the test files that run against a mistake in a file: the nearest, the oracles, and those of the folders that import it. */
function testsOf(file: string, importers: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const ranked = rankTests(file, importers);
  const nearest = ranked.slice(0, Number(values.tests));
  const oracles = ranked.filter((name) => name.startsWith("test/oracles/") && !nearest.includes(name));
  const users = new Map((importers.get(file) ?? []).map((user) => [dirname(user), user]));
  const others = [...users.values()].flatMap((user) => {
    const [test] = rankTests(user, importers).filter((name) => !nearest.includes(name));
    return test === undefined ? [] : [test];
  });
  return [...new Set([...nearest, ...oracles, ...others.slice(0, Number(values.others))])];
}

/** Returns the test files that import a file: those in its own folder of tests and with the fewest imports between first. */
function rankTests(file: string, importers: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const distances = new Map([[file, 0]]);
  for (const [name, distance] of distances)
    for (const each of importers.get(name) ?? []) if (!distances.has(each)) distances.set(each, distance + 1);
  const path = dirname(file).split("/").slice(1);
  const rankOf = (test: string): number => {
    const folders = dirname(test).split("/").slice(1);
    const equal = path.findIndex((each, index) => each !== folders[index]);
    return (distances.get(test) ?? 0) - 2 * (equal === -1 ? path.length : equal);
  };
  return [...distances.keys()]
    .filter((name) => name.endsWith(".test.ts"))
    .toSorted((one, other) => rankOf(one) - rankOf(other));
}

async function tryMutant(mutant: Mutant, tests: readonly string[]): Promise<Outcome> {
  const start = Date.now();
  const caughtBy = await findCatcher(mutant, tests);
  return { mutant, caughtBy, tests: tests.length, seconds: (Date.now() - start) / 1_000 };
}

async function findCatcher(mutant: Mutant, tests: readonly string[]): Promise<string | undefined> {
  const path = join(tree, mutant.file);
  const text = readFileSync(path, "utf8");
  let rest = tests;
  let count = TOGETHER;
  for (;;) {
    rest = rest
      .filter((test) => !unsound.has(test))
      .toSorted((one, other) => Number(slow.has(one)) - Number(slow.has(other)));
    const stage = rest.slice(0, count);
    if (stage.length === 0) return undefined;
    writeFileSync(path, plant(text, mutant));
    const failed = await runTests(stage, ["--bail=1"]);
    writeFileSync(path, text);
    if (failed.length === 0) {
      rest = rest.slice(stage.length);
      count *= 2;
    } else if (failed[0] === NO_TEST) {
      if (await isSound(stage)) return NO_TEST;
      // Together, they may only take too long.
      count = 1;
    } else for (const test of failed) if (await isSound([test])) return test;
  }
}

/** Runs test files without a mistake, and leaves them out from then on if they do not pass. */
async function isSound(tests: readonly string[]): Promise<boolean> {
  const key = tests.join(" ");
  if (sound.has(key)) return true;
  let failed = await runTests(tests, []);
  // On a busy machine, a test may fail once.
  if (failed.length > 0) failed = await runTests(tests, []);
  // Several files that are stopped may only take too long together.
  const causes = tests.length === 1 && failed.length > 0 ? tests : failed.filter((test) => test !== NO_TEST);
  for (const test of causes) unsound.add(test);
  if (failed.length === 0) sound.add(key);
  return failed.length === 0;
}

/** Returns the test files that failed, or `NO_TEST`. */
async function runTests(tests: readonly string[], options: readonly string[]): Promise<readonly string[]> {
  if (tests.length === 0) return [];
  const results = join(folder, "results.json");
  rmSync(results, { force: true });
  const cache = ["--experimental.fsModuleCache=true", `--experimental.fsModuleCachePath=${folder}/cache`];
  const output = ["--reporter=json", `--outputFile=${results}`];
  const argv = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--config",
    "test/vitest.config.ts",
    "--mode",
    "check",
  ];
  child = spawn(process.execPath, [...argv, ...cache, ...output, ...options, ...tests], {
    cwd: tree,
    env: { ...process.env, MCP_CODEGEN_SKIP_BUILD: "1", TMPDIR: folder },
    stdio: "ignore",
    // A group of its own, so that its workers stop with it.
    detached: true,
  });
  const timer = setTimeout(stop, LIMIT);
  const code = await new Promise((resolve) => child?.once("close", resolve));
  clearTimeout(timer);
  const files = readResults(results);
  for (const { name, startTime, endTime } of files) if (endTime - startTime > SLOW) slow.add(nameOf(name));
  if (code === 0) return [];
  const failed = files.filter(({ status }) => status === "failed").map(({ name }) => nameOf(name));
  return failed.length > 0 ? failed : [NO_TEST];
}

function stop(): void {
  if (child?.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
}

/** What Vitest reports about a test file. */
interface FileResult {
  readonly name: string;
  readonly status: string;
  readonly startTime: number;
  readonly endTime: number;
}

function readResults(path: string): readonly FileResult[] {
  try {
    return (JSON.parse(readFileSync(path, "utf8")) as { readonly testResults: readonly FileResult[] })
      .testResults;
  } catch {
    // It was stopped before it wrote them.
    return [];
  }
}

/** Returns the path in the repository. */
function nameOf(path: string): string {
  return path.slice(path.indexOf("/tree/") + "/tree/".length);
}

function describeOutcome({ mutant, caughtBy, tests, seconds }: Outcome): string {
  const line = readFileSync(join(tree, mutant.file), "utf8").slice(0, mutant.start).split("\n").length;
  const shorten = (text: string): string => text.replace(/\s+/g, " ").slice(0, 60);
  const verdict = caughtBy === undefined ? `NOT CAUGHT by ${tests} files` : `caught by ${caughtBy}`;
  const change = `${mutant.kind}: ${shorten(mutant.before)} → ${shorten(mutant.after)}`;
  return `${verdict} in ${seconds.toFixed(1)} s: ${mutant.file}:${line} ${change}`;
}

function printTable(outcomes: readonly Outcome[]): void {
  const layerOf = ({ mutant, caughtBy }: Outcome): string => {
    if (caughtBy === undefined || caughtBy === NO_TEST) return caughtBy ?? "not caught";
    return roomOf(caughtBy) === roomOf(mutant.file) ? "own tests" : roomOf(caughtBy);
  };
  print("");
  for (const room of [...new Set(outcomes.map(({ mutant }) => roomOf(mutant.file))), "all"]) {
    const rows = outcomes.filter(({ mutant }) => room === "all" || roomOf(mutant.file) === room);
    const counts = new Map<string, number>();
    for (const outcome of rows) counts.set(layerOf(outcome), (counts.get(layerOf(outcome)) ?? 0) + 1);
    const layers = [...counts].toSorted(([, one], [, other]) => other - one);
    const seconds = rows.reduce((sum, outcome) => sum + outcome.seconds, 0);
    const text = layers.map(([layer, count]) => `${layer} ${count}`).join(", ");
    print(
      `${room.padEnd(8)} ${String(rows.length).padStart(4)} mistakes in ${seconds.toFixed(0)} s: ${text}`,
    );
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

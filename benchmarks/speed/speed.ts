/**
 * Speed and weight of whole processes, in one run on one machine: above all the processor time beyond that of a process that
 * does nothing. Prints a table and always exits 0: a slow run on a busy machine is not a failure. With `record`, adds
 * the figures to `benchmarks/history.json`, where a review sees a regression.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { BIN, type BenchProject, createProject, ROOT, transpile } from "./bench-project.js";
import { measureCalls } from "./bench-calls.js";
import { diffCases, measureLargeDiff } from "./bench-drift.js";
import { measureGrowth } from "./bench-growth.js";
import { measureImports } from "./bench-imports.js";
import { pullCase } from "./bench-pull.js";
import { measureRegistry } from "./bench-registry.js";
import { measurePrinter } from "./bench-schemas.js";
import { measureServe } from "./bench-serve.js";
import { measureSearch, measureSearchByMeaning } from "./bench-search.js";
import { benchTools } from "./bench-tools.js";
import { measureAll, type Case, type Measurement } from "./measure.js";

/** `npm run report speed`, with the number of rounds and `record` in any order. */
const WORDS = process.argv.slice(2);
const ROUNDS = Number(WORDS.find((word) => /^[1-9]\d?$/.test(word)) ?? 5);
const STARTS = ROUNDS * 4;
const NOTHING_TO_DO = "check --offline, 1,000 tools, JSON configuration";
const dir = mkdtempSync(join(tmpdir(), "mcp-codegen-bench-"));

try {
  const { source, tools } = benchTools(1000);
  const thousand = { a: tools.slice(0, 300), b: tools.slice(300, 600), c: tools.slice(600) };
  const json = createProject(join(dir, "json"), thousand, "json");
  const typed = createProject(join(dir, "ts"), thousand, "ts");
  const waived = createProject(join(dir, "waived"), thousand, "json", ["poison-cross-tool-reference"]);
  const hundred = createProject(join(dir, "hundred"), { a: tools.filter((_, i) => i % 10 === 0) }, "json");
  const changing = createProject(join(dir, "changing"), thousand, "json");
  const edited = createProject(join(dir, "edited"), thousand, "json");
  editGenerated(edited);
  const compiled = transpile(json, "a");
  const module = firstTool(compiled);
  const imports = (file: string): readonly string[] => [
    "--input-type=module",
    "-e",
    `await import("./${file}")`,
  ];

  const starting: readonly Case[] = [
    { name: "node -e 0", cwd: dir, args: ["-e", "0"] },
    { name: "--version", cwd: dir, args: [BIN, "--version"], maxOverhead: 30 },
    { name: "--help", cwd: dir, args: [BIN, "--help"] },
    {
      name: NOTHING_TO_DO,
      cwd: json.dir,
      args: [BIN, "check", "--offline"],
      maxOverhead: 120,
    },
    {
      name: "check --offline, 1,000 tools, two waivers",
      cwd: waived.dir,
      args: [BIN, "check", "--offline"],
      maxOverhead: 150,
    },
    {
      name: "check --offline, 1,000 tools, TypeScript configuration",
      cwd: typed.dir,
      args: [BIN, "check", "--offline"],
      maxOverhead: 200,
    },
    {
      name: "generate, nothing to do, 1,000 tools, JSON configuration",
      cwd: json.dir,
      args: [BIN, "generate"],
      maxOverhead: 110,
    },
    {
      name: "generate, nothing to do, 1,000 tools, TypeScript configuration",
      cwd: typed.dir,
      args: [BIN, "generate"],
      maxOverhead: 200,
    },
  ];
  const working: readonly Case[] = [
    { name: "node -e 0, beside the work", cwd: dir, args: ["-e", "0"] },
    {
      name: "check --offline, one edited file",
      cwd: edited.dir,
      args: [BIN, "check", "--offline"],
      exitCode: 1,
      maxTimes: 3,
    },
    {
      name: "check --offline, in CI, files rendered before",
      cwd: json.dir,
      args: [BIN, "check", "--offline"],
      env: { CI: "1" },
      maxTimes: 6,
    },
    { name: "list", cwd: json.dir, args: [BIN, "list"], maxTimes: 2.5 },
    { name: "describe", cwd: json.dir, args: [BIN, "describe", firstToolName(json)], maxTimes: 2.5 },
    { name: "search", cwd: json.dir, args: [BIN, "search", "create an issue"], maxTimes: 4 },
    {
      name: "pull, unchanged, 1,000 tools",
      cwd: json.dir,
      args: [BIN, "pull", "--no-frozen"],
      maxTimes: 7,
    },
    { name: "check of sources, 1,000 tools", cwd: json.dir, args: [BIN, "check"], maxOverhead: 1000 },
    {
      name: "generate, one changed tool in 1,000",
      cwd: changing.dir,
      args: [BIN, "generate"],
      prepare: changing.changeOneTool,
      maxSeconds: 1,
    },
    {
      name: "generate, cold, 100 tools",
      cwd: hundred.dir,
      args: [BIN, "generate"],
      prepare: hundred.removeGenerated,
      maxSeconds: 1.5,
    },
    {
      name: "generate, cold, 1,000 tools",
      cwd: changing.dir,
      args: [BIN, "generate"],
      prepare: changing.removeGenerated,
      maxCpuSeconds: 2.5,
      maxMegabytes: 300,
    },
    ...diffCases(join(dir, "diff"), benchTools(10_000).tools),
    { name: "import zod", cwd: json.dir, args: ["--input-type=module", "-e", 'await import("zod")'] },
    { name: "import one generated tool", cwd: compiled, args: imports(module) },
    {
      name: "import a server's index of 300 tools",
      cwd: compiled,
      args: imports("index.js"),
      maxOverhead: 250,
    },
  ];
  process.stdout.write(
    `Node ${process.version}, ${cpus().length} cores, ${source}, median of ${ROUNDS} runs, of ${STARTS} for what only starts\n\n`,
  );
  // Measured separately, since heavy work leaves cold caches and throttled cores.
  const large = pullCase(join(dir, "pull"), benchTools(10_000).tools);
  const measured = [
    ...measureAll(starting, STARTS),
    ...measureAll(working, ROUNDS),
    // It takes as long as all others together.
    ...measureAll([large], 1),
  ];
  printTable(measured);
  if (WORDS.includes("record")) record(measured);
  const all = benchTools(2814).tools;
  process.stdout.write(
    `\n${measureImports(json.dir, STARTS)}\n${await measureCalls()}\n${measureLargeDiff()}\n${await measureGrowth()}\n${measurePrinter(all)}\n${measureSearch(tools)}\n${await measureSearchByMeaning(tools)}\n${await measureRegistry()}\n${await measureServe(json.dir, join(dir, "serve"), ROUNDS)}\n`,
  );
} finally {
  rmSync(dir, { recursive: true, force: true });
}

/** The processor time of a process that does nothing. */
function baseOf([base]: readonly Measurement[]): number {
  return base?.cpuMilliseconds ?? Number.NaN;
}

/** Adds the processor time over an empty process, in milliseconds, to the history of this repository. */
function record(measurements: readonly Measurement[]): void {
  const path = join(ROOT, "benchmarks/history.json");
  const history = JSON.parse(readFileSync(path, "utf8")) as readonly unknown[];
  const commit = execFileSync("git", ["rev-parse", "--short=8", "HEAD"], { cwd: ROOT, encoding: "utf8" });
  const [core] = cpus();
  const entry = {
    commit: commit.trim(),
    machine: `${cpus().length} × ${core?.model.trim() ?? "unknown"}, Node ${process.version}`,
    overNode: Object.fromEntries(
      measurements
        .slice(1)
        .map(({ name, cpuMilliseconds }) => [name, Math.round(cpuMilliseconds - baseOf(measurements))]),
    ),
  };
  writeFileSync(path, `${JSON.stringify([...history, entry], null, 2)}\n`);
}

/** Edits one generated file by hand, after a check has found all up to date. */
function editGenerated({ dir: folder }: BenchProject): void {
  spawnSync(process.execPath, [BIN, "check", "--offline"], { cwd: folder });
  const file = join(folder, "generated/a", firstTool(join(folder, "generated/a")));
  writeFileSync(file, `${readFileSync(file, "utf8")}export const edited = true;\n`);
}

/** The name of the first tool, with its server. */
function firstToolName({ dir: folder }: BenchProject): string {
  const { tools } = JSON.parse(readFileSync(join(folder, "a.json"), "utf8")) as {
    readonly tools: readonly { readonly name: string }[];
  };
  return `a__${tools[0]?.name ?? ""}`;
}

/** Returns the first module with a tool: others, such as that of the raw schemas, import nothing. */
function firstTool(folder: string): string {
  const file = readdirSync(folder)
    .sort()
    .find((name) => /\bdefineTool\(/.test(readFileSync(join(folder, name), "utf8")));
  if (file === undefined) throw new Error(`There is no generated tool in "${folder}".`);
  return file;
}

function printTable(measurements: readonly Measurement[]): void {
  const check = measurements.find(({ name }) => name === NOTHING_TO_DO);
  const nothing = (check?.cpuMilliseconds ?? Number.NaN) - baseOf(measurements);
  for (const {
    name,
    milliseconds,
    cpuMilliseconds,
    megabytes,
    maxOverhead,
    maxTimes,
    maxSeconds,
    maxCpuSeconds,
    maxMegabytes,
  } of measurements) {
    const overhead = cpuMilliseconds - baseOf(measurements);
    const times = overhead / nothing;
    const goals = [
      maxTimes === undefined
        ? []
        : [
            `${times <= maxTimes ? "meets" : "MISSES"} ≤ ${maxTimes} times nothing to do (${times.toFixed(1)})`,
          ],
      maxOverhead === undefined
        ? []
        : [`${overhead <= maxOverhead ? "meets" : "MISSES"} ≤ ${maxOverhead} ms over node`],
      maxSeconds === undefined
        ? []
        : [`${milliseconds < maxSeconds * 1000 ? "meets" : "MISSES"} < ${maxSeconds} s`],
      maxCpuSeconds === undefined
        ? []
        : [`${cpuMilliseconds < maxCpuSeconds * 1000 ? "meets" : "MISSES"} < ${maxCpuSeconds} s CPU`],
      maxMegabytes === undefined
        ? []
        : [`${megabytes < maxMegabytes ? "meets" : "MISSES"} < ${maxMegabytes} MB`],
    ].flat();
    const columns = [
      name.padEnd(64),
      `${milliseconds.toFixed(0)} ms`.padStart(9),
      `${cpuMilliseconds.toFixed(0)} ms CPU`.padStart(13),
      `${overhead.toFixed(0)} ms over node`.padStart(17),
      `${megabytes.toFixed(0)} MB`.padStart(8),
      goals.join(", "),
    ];
    process.stdout.write(`${columns.join("  ").trimEnd()}\n`);
  }
}

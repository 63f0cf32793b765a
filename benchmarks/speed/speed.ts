/**
 * Speed and weight of whole processes, as ratios to a process that does nothing, in one run on one machine. Prints a
 * table and always exits 0: a slow run on a busy machine is not a failure.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { BIN, createProject, transpile } from "./bench-project.js";
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

const ROUNDS = Number(process.argv[2] ?? 5);
const STARTS = ROUNDS * 4;
const dir = mkdtempSync(join(tmpdir(), "mcp-codegen-bench-"));

try {
  const { source, tools } = benchTools(1000);
  const thousand = { a: tools.slice(0, 300), b: tools.slice(300, 600), c: tools.slice(600) };
  const json = createProject(join(dir, "json"), thousand, "json");
  const typed = createProject(join(dir, "ts"), thousand, "ts");
  const hundred = createProject(join(dir, "hundred"), { a: tools.filter((_, i) => i % 10 === 0) }, "json");
  const changing = createProject(join(dir, "changing"), thousand, "json");
  const compiled = transpile(json, "a");
  const module = firstModule(compiled);
  const imports = (file: string): readonly string[] => [
    "--input-type=module",
    "-e",
    `await import("./${file}")`,
  ];

  const starting: readonly Case[] = [
    { name: "node -e 0", cwd: dir, args: ["-e", "0"] },
    { name: "--version", cwd: dir, args: [BIN, "--version"], maxRatio: 1.5 },
    { name: "--help", cwd: dir, args: [BIN, "--help"] },
    {
      name: "check --offline, 1,000 tools, JSON configuration",
      cwd: json.dir,
      args: [BIN, "check", "--offline"],
      maxRatio: 3,
    },
    {
      name: "check --offline, 1,000 tools, TypeScript configuration",
      cwd: typed.dir,
      args: [BIN, "check", "--offline"],
      maxRatio: 4,
    },
    {
      name: "generate, nothing to do, 1,000 tools, JSON configuration",
      cwd: json.dir,
      args: [BIN, "generate"],
      maxRatio: 3,
    },
    {
      name: "generate, nothing to do, 1,000 tools, TypeScript configuration",
      cwd: typed.dir,
      args: [BIN, "generate"],
      maxRatio: 4,
    },
  ];
  const working: readonly Case[] = [
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
      maxCpuSeconds: 4,
      maxMegabytes: 300,
    },
    ...diffCases(join(dir, "diff"), benchTools(10_000).tools),
    { name: "import zod", cwd: json.dir, args: ["--input-type=module", "-e", 'await import("zod")'] },
    { name: "import one generated tool", cwd: compiled, args: imports(module) },
    { name: "import a server's index of 300 tools", cwd: compiled, args: imports("index.js") },
  ];
  process.stdout.write(
    `Node ${process.version}, ${cpus().length} cores, ${source}, median of ${ROUNDS} runs, of ${STARTS} for what only starts\n\n`,
  );
  // Measured separately, since heavy work leaves cold caches and throttled cores.
  const large = pullCase(join(dir, "pull"), benchTools(10_000).tools);
  printTable([
    ...measureAll(starting, STARTS),
    ...measureAll(working, ROUNDS),
    // It takes as long as all others together.
    ...measureAll([large], 1),
  ]);
  const all = benchTools(2814).tools;
  process.stdout.write(
    `\n${measureImports(json.dir, STARTS)}\n${await measureCalls()}\n${measureLargeDiff()}\n${await measureGrowth()}\n${measurePrinter(all)}\n${measureSearch(tools)}\n${await measureSearchByMeaning(tools)}\n${await measureRegistry()}\n${await measureServe(json.dir, join(dir, "serve"), ROUNDS)}\n`,
  );
} finally {
  rmSync(dir, { recursive: true, force: true });
}

function firstModule(folder: string): string {
  const files = readdirSync(folder).filter((file) => !["index.js", "server.js"].includes(file));
  const [file] = files.sort();
  if (file === undefined) throw new Error(`There is no generated module in "${folder}".`);
  return file;
}

function printTable(measurements: readonly Measurement[]): void {
  const base = measurements[0]?.milliseconds ?? Number.NaN;
  for (const {
    name,
    milliseconds,
    cpuMilliseconds,
    megabytes,
    maxRatio,
    maxSeconds,
    maxCpuSeconds,
    maxMegabytes,
  } of measurements) {
    const ratio = milliseconds / base;
    const goals = [
      maxRatio === undefined ? [] : [`${ratio <= maxRatio ? "meets" : "MISSES"} ≤ ${maxRatio}×`],
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
      `${ratio.toFixed(2)}×`.padStart(8),
      `${cpuMilliseconds.toFixed(0)} ms CPU`.padStart(13),
      `${megabytes.toFixed(0)} MB`.padStart(8),
      goals.join(", "),
    ];
    process.stdout.write(`${columns.join("  ").trimEnd()}\n`);
  }
}

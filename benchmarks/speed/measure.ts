import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One process to measure, with the preparation of each run. */
export interface Case {
  readonly name: string;
  readonly cwd: string;
  /** Arguments of `node`. */
  readonly args: readonly string[];
  readonly prepare?: () => void;
  /** 0 by default. */
  readonly exitCode?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** The limit of processor time beyond that of a process that does nothing, in milliseconds. */
  readonly maxOverhead?: number;
  /** The same, as a multiple of that of a check that finds nothing to do. */
  readonly maxTimes?: number;
  readonly maxSeconds?: number;
  /** The limit of processor time. */
  readonly maxCpuSeconds?: number;
  readonly maxMegabytes?: number;
}

export interface Measurement extends Case {
  readonly milliseconds: number;
  /** The least processor time of a run, all threads together: a busy machine distorts it least. */
  readonly cpuMilliseconds: number;
  readonly megabytes: number;
}

/**
 * Measures the median run time of each case and the least processor time and memory, in rounds over all cases, so that a
 * busy moment affects them alike. Throws if a run fails.
 */
export function measureAll(cases: readonly Case[], rounds: number): readonly Measurement[] {
  const runs = new Map(cases.map((one): [Case, Used[]] => [one, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [one, list] of runs) {
      const used = measureRun(one);
      // The first round warms the disk's cache.
      if (round > 0) list.push(used);
    }
  }
  return [...runs].map(([one, list]) => ({
    ...one,
    milliseconds: medianOf(list.map(({ milliseconds }) => milliseconds)),
    cpuMilliseconds: Math.min(...list.map(({ cpuMilliseconds }) => cpuMilliseconds)),
    megabytes: Math.min(...list.map(({ megabytes }) => megabytes)),
  }));
}

function timeRun(one: Case, env: NodeJS.ProcessEnv): number {
  one.prepare?.();
  const inherited = { ...process.env };
  delete inherited["CI"];
  const start = performance.now();
  const ran = spawnSync(process.execPath, one.args, {
    cwd: one.cwd,
    env: { ...inherited, ...one.env, ...env },
    encoding: "utf8",
  });
  const time = performance.now() - start;
  if (ran.status !== (one.exitCode ?? 0))
    throw new Error(`"${one.name}" exited ${String(ran.status)}:\n${ran.stdout}${ran.stderr}`);
  return time;
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

type Used = Pick<Measurement, "milliseconds" | "cpuMilliseconds" | "megabytes">;

/** The process prints its own usage when it ends, since Node does not report it to a parent. */
function measureRun(one: Case): Used {
  const folder = mkdtempSync(join(tmpdir(), "mcp-codegen-used-"));
  try {
    const file = join(folder, "used.json");
    const script =
      'import { writeFileSync } from "node:fs"; import { isMainThread } from "node:worker_threads";' +
      `if (isMainThread) process.on("exit", () => writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.resourceUsage())));`;
    const milliseconds = timeRun(one, {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}`,
    });
    const used = JSON.parse(readFileSync(file, "utf8")) as NodeJS.ResourceUsage;
    return {
      milliseconds,
      cpuMilliseconds: (used.userCPUTime + used.systemCPUTime) / 1000,
      megabytes: used.maxRSS / 1000,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

import type { LoadedConfig } from "../config/load-config.js";
import { getServer } from "../config/config.js";
import { groupBy } from "../core/collections.js";
import {
  type ConsumedServer,
  type ConsumedTool,
  type Consumer,
  CONSUMER_VERSION,
  digestOfSchemas,
  formatConsumer,
} from "../core/consumer.js";
import { getOwn } from "../core/json.js";
import type { LockedServer } from "../core/lockfile.js";
import { readLockfile } from "../files/lockfile-on-disk.js";
import { findBounded } from "../files/read-files.js";
import { writeAtomic } from "../files/write-atomic.js";
import type { Consumption } from "../impact/find-consumption.js";
import { renderInMemory } from "./check/find-call-sites.js";
import { outputOf, placesOf } from "./places.js";

interface ExportOptions {
  /** The name that reports give to this project. */
  readonly consumer: string;
  /** The TypeScript configuration, absolute. */
  readonly tsconfig: string;
  /** The file to write, absolute. */
  readonly file: string;
  /** Names of configured servers; all by default. */
  readonly servers?: readonly string[] | undefined;
  /** Also write the files that use each tool. */
  readonly withPaths?: boolean | undefined;
  /** Compare the file, and write nothing. */
  readonly isCheck?: boolean | undefined;
  readonly workers?: number | undefined;
}

export interface ExportReport {
  readonly consumer: string;
  /** By name; servers whose tools no code uses are left out. */
  readonly servers: readonly {
    readonly server: string;
    /** Numbers of used tools, different calls and read properties. */
    readonly tools: number;
    /** The number of different calls. */
    readonly calls: number;
    /** The number of read paths. */
    readonly reads: number;
    /** Numbers of things that the analysis does not know. */
    readonly unknown: number;
  }[];
  /** `written`, `unchanged`, or with `isCheck` `stale` or `missing`. */
  readonly status: "written" | "unchanged" | "stale" | "missing";
}

/**
 * Writes which parts of its locked tools the project's code uses, for their providers.
 *
 * @throws McpCodegenError `SERVER_UNKNOWN`, `LOCK_NOT_FOUND`, `USAGE` for a TypeScript configuration that cannot be read,
 * `CONFIG_INVALID` without an output folder, `FILE_FAILED`
 */
export async function exportConsumer(loaded: LoadedConfig, options: ExportOptions): Promise<ExportReport> {
  const { consumer: name, tsconfig, file, servers, withPaths = false, isCheck = false, workers } = options;
  for (const server of servers ?? []) getServer(loaded.config.servers, server);
  const output = outputOf(loaded);
  const { findConsumption } = await import("../impact/find-consumption.js");
  const lock = await readLockfile(placesOf(loaded).lock);
  const generated = await renderInMemory(lock, { loaded, output, workers });
  const found = findConsumption({ dir: loaded.dir, output, tsconfig, generated }).filter(
    ({ server }) => servers?.includes(server) ?? true,
  );
  const uses = groupBy(found, ({ server }) => server);
  const consumer: Consumer = {
    consumerVersion: CONSUMER_VERSION,
    consumer: name,
    servers: Object.fromEntries(
      [...uses].flatMap(([server, tools]): readonly (readonly [string, ConsumedServer])[] => {
        const locked = getOwn(lock.servers, server);
        const answers = getOwn(loaded.config.servers, server)?.validateOutput ?? "tolerant";
        return locked === undefined ? [] : [[server, consumedServer(locked, tools, answers, withPaths)]];
      }),
    ),
  };
  const text = formatConsumer(consumer);
  const known = (await findBounded(file))?.toString("utf8");
  const isCurrent = known === text;
  if (!isCurrent && !isCheck) await writeAtomic(file, text);
  const changed = isCheck ? (known === undefined ? "missing" : "stale") : "written";
  const counts = Object.entries(consumer.servers).map(([server, { tools }]) => countUses(server, tools));
  return { consumer: name, servers: counts, status: isCurrent ? "unchanged" : changed };
}

function consumedServer(
  locked: LockedServer,
  uses: readonly Consumption[],
  answers: ConsumedServer["answers"],
  withPaths: boolean,
): ConsumedServer {
  const { name } = locked.identity.serverInfo;
  return {
    contract: locked.contract,
    ...(typeof name === "string" && name !== "" && { serverName: name.slice(0, 200) }),
    answers,
    tools: Object.fromEntries(
      uses.flatMap(({ tool, calls, reads, unknown, files }): readonly (readonly [string, ConsumedTool])[] => {
        const own = getOwn(locked.tools, tool);
        if (own === undefined) return [];
        const used = {
          digest: own.digest,
          schemas: digestOfSchemas(own.definition),
          ...(own.ability !== undefined && { ability: own.ability.definition.name }),
          ...{ calls, reads },
          ...(unknown.length > 0 && { unknown }),
          ...(withPaths && { files }),
        };
        return [[tool, used]];
      }),
    ),
  };
}

function countUses(server: string, tools: ConsumedServer["tools"]): ExportReport["servers"][number] {
  const list = Object.values(tools);
  const sum = (count: (tool: ConsumedTool) => number): number =>
    list.reduce((total, tool) => total + count(tool), 0);
  return {
    server,
    tools: list.length,
    calls: sum(({ calls }) => calls.length),
    reads: sum(({ reads }) => reads.length),
    unknown: sum(
      ({ calls, reads, unknown = [] }) =>
        unknown.length +
        reads.filter((read) => read.unknown !== undefined).length +
        calls.flatMap(({ passes = [] }) => passes).filter((passed) => passed.unknown !== undefined).length,
    ),
  };
}

import { basename, join } from "node:path";
import type { LoadedConfig } from "../../config/load-config.js";
import { groupBy, omitUndefined } from "../../core/collections.js";
import type { ServerOutputListener, VariableLookup } from "../../core/connection.js";
import { McpCodegenError } from "../../core/errors.js";
import { getOwn } from "../../core/json.js";
import type { Logins } from "../../core/login.js";
import { LOCKFILE_NAME, type Lockfile } from "../../core/lockfile.js";
import { findLockfile, readLockfile } from "../../files/project-records.js";
import { readChanges, findJournal, openJournal } from "../../agent/modules/module-files.js";
import type { RecordedCall } from "../../runtime/call-recorder.js";
import { memoryLines, type DamagedLine, type ParsedChanges } from "../../agent/replay/parse-changes.js";
import { makePlan } from "../../agent/replay/make-plan.js";
import type { ConflictKind, Decision, References, ReplayPlan, StepReport } from "../../agent/replay/plan.js";
import {
  reviewReplay,
  runPlan,
  type ReplaySummary,
  type ReplayedStep,
} from "../../agent/replay/run-replay.js";
import { spellPath } from "../../agent/replay/plan.js";
import { createRegistry } from "../../agent/registry/create-registry.js";
import type { Registry } from "../../agent/registry/registry.js";
import { type ConnectedTools, connectServer } from "./locked-tools.js";

export interface ReplayFileOptions {
  /** The file of changes, and that of the journal. */
  readonly changes: string;
  readonly journal: string;
  readonly environment: string;
  readonly lookup: VariableLookup;
  readonly logins?: Logins | undefined;
  readonly onStderr?: ServerOutputListener | undefined;
  readonly references?: References | undefined;
  readonly accept?: readonly ConflictKind[] | undefined;
  /** Replay although lines of the file are damaged. */
  readonly acceptDamage?: boolean | undefined;
  /** Replay although the outcome of some calls is not known. Those calls are not made. */
  readonly acceptUnresolved?: boolean | undefined;
  readonly skip?: readonly number[] | undefined;
  /** Make calls of tools that the server lists and the lock does not have. Servers are then listed first. */
  readonly allowUnlocked?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A replay that has not begun. */
export interface PlannedReplay {
  /** The planned steps; `refused` if it cannot begin. */
  readonly summary: ReplaySummary;
  /** The steps, with their recorded arguments. */
  readonly steps: ReplayPlan["steps"];
  run(options: {
    readonly decisions: ReadonlyMap<number, Decision>;
    readonly onStep: (step: StepReport) => void;
  }): Promise<ReplaySummary>;
  close(): Promise<void>;
}

/**
 * Plans to replay a file of changes in an environment, by the lock and the configuration; no generated module is needed.
 * Nothing is sent, and nothing written. Only where unlocked tools are allowed, servers are asked for their tools.
 *
 * @throws McpCodegenError `CHANGES_INVALID` for a file without any change, `JOURNAL_INVALID`, and whatever reading the lock
 * or listing a server throws
 */
export async function planFileReplay(
  loaded: LoadedConfig,
  options: ReplayFileOptions,
): Promise<PlannedReplay> {
  const { environment, references, accept, skip, signal, allowUnlocked = false } = options;
  const lockPath = join(loaded.dir, LOCKFILE_NAME);
  const [{ changes, ...problems }, lock] = await Promise.all([
    readChanges(options.changes),
    allowUnlocked ? findLockfile(lockPath) : readLockfile(lockPath),
  ]);
  const { damaged, unresolved } = problems;
  if (changes.length === 0 && damaged.length > 0) throw noChanges(options.changes, damaged);
  const sets = connectServers(loaded, lock, changes, options);
  try {
    const plan = await makePlan(changes, {
      environment,
      tools: allowUnlocked ? await listTools(sets, environment) : sets,
      // The connections are to the environment already.
      options: {},
      references,
      accept,
      skip,
    });
    const isHurt =
      (damaged.length > 0 && options.acceptDamage !== true) ||
      (unresolved.length > 0 && options.acceptUnresolved !== true);
    const file = findJournal(options.journal);
    const review = reviewReplay(plan, file ?? memoryLines());
    file?.close();
    const status = plan.isReady && !isHurt ? "planned" : "refused";
    return {
      summary: summarize(plan, review, problems, { status }),
      steps: plan.steps,
      run: async ({ decisions, onStep }) => {
        const journal = openJournal(options.journal);
        try {
          const { steps, error, ...end } = await runPlan(plan, { journal, decisions, onStep, signal });
          return summarize(plan, steps, problems, { ...end, ...omitUndefined({ code: error?.code }) });
        } finally {
          journal.close();
        }
      },
      close: () => closeAll(sets),
    };
  } catch (error) {
    await closeAll(sets);
    throw error;
  }
}

/** Connections to the servers of the changes, in the environment. Nothing connects yet. */
function connectServers(
  loaded: LoadedConfig,
  lock: Lockfile | undefined,
  changes: readonly RecordedCall[],
  { environment, lookup, logins, onStderr, allowUnlocked = false }: ReplayFileOptions,
): readonly ConnectedTools[] {
  const options = { environment, lookup, logins, onStderr };
  return [...groupBy(changes, ({ server }) => server)].flatMap(([server, ofServer]) => {
    // With unlocked tools, a server's list is compared with everything that is locked of the server.
    const tools = [...new Set(ofServer.map(({ tool }) => tool))];
    const wanted = allowUnlocked ? { server } : { server, tools };
    const locked = getOwn(lock?.servers ?? {}, server);
    if (locked === undefined && !allowUnlocked) return [];
    return connectServer(loaded, locked, wanted, options) ?? [];
  });
}

/**
 * Lists the tools of servers, locked or not.
 *
 * @throws McpCodegenError why a server could not be listed
 */
async function listTools(sets: readonly ConnectedTools[], environment: string): Promise<Registry> {
  const registry = createRegistry({ servers: sets, environment, admitUnlocked: true });
  const { servers } = await registry.refresh();
  for (const result of Object.values(servers)) {
    if (!result.ok) throw result.error.cause instanceof Error ? result.error.cause : new Error(result.error.message); // prettier-ignore
  }
  return registry;
}

/** Lines of the file that are not changes to replay. */
type FileProblems = Pick<ParsedChanges<RecordedCall>, "damaged" | "unresolved">;

async function closeAll(sets: readonly ConnectedTools[]): Promise<void> {
  await Promise.all(sets.map((tools) => tools.close()));
}

function summarize(
  plan: ReplayPlan,
  reports: readonly StepReport[],
  { damaged, unresolved }: FileProblems,
  end: Pick<ReplaySummary, "status" | "at" | "reason" | "code">,
): ReplaySummary {
  const steps = reports.map(({ number, server, tool, state }, index): ReplayedStep => {
    const references = (plan.steps[index]?.references ?? []).map(({ path, value, from, at, how }) => ({
      argument: spellPath(path),
      value,
      from,
      source: spellPath(at),
      how,
    }));
    return { number, server, tool, state, references };
  });
  return {
    environment: plan.environment,
    ...end,
    steps,
    conflicts: plan.conflicts,
    damaged: damaged.map(({ line, problem }) => ({ line, problem })),
    unresolved: unresolved.map(({ line, change: { server, tool } }) => ({ line, server, tool })),
  };
}

function noChanges(path: string, [first]: readonly DamagedLine[]): McpCodegenError {
  const why = first === undefined ? "" : ` Line ${first.line}: ${first.problem}.`;
  return new McpCodegenError("CHANGES_INVALID", `"${basename(path)}" holds no changes.${why}`, {
    hint: "Give a file that openChangeFile of mcp-codegen/node has written.",
  });
}

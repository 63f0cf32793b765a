import type { CassetteFile } from "../runtime/cassette/cassette-file.js";
import { readCassetteFolders } from "../runtime/cassette/cassette-folder.js";
import { DEFAULT_CASSETTES, getServer } from "../config/config.js";
import { groupBy } from "../core/collections.js";
import { McpCodegenError } from "../core/errors.js";
import { byCodeUnit, getOwn } from "../core/json.js";
import type { LockedTool } from "../core/lockfile.js";
import { OBSERVED_VERSION, type Observed, type ObservedTool } from "../core/observed.js";
import { formatObserved, readObserved, writeObserved } from "../files/project-records.js";
import { observe } from "../schema/infer/observe.js";
import type { Project } from "../project/project.js";

interface LearnOptions {
  /** Names of configured servers; all by default. */
  readonly servers?: readonly string[] | undefined;
  /** Folders of cassettes, relative to the configuration. Default: those of the configuration. */
  readonly cassettes?: readonly string[] | undefined;
  /** Discard earlier observations, so that a schema can become narrower. */
  readonly isFresh?: boolean | undefined;
}

/** The result for one tool that declares no output schema. */
interface LearnedTool {
  readonly server: string;
  readonly tool: string;
  readonly status: "new" | "widened" | "unchanged";
  /** The number of answers. */
  readonly samples: number;
  /** structured: they have structured content. json: each is one text that is JSON. text: some answer is neither, so the tool gets no type. */
  readonly answers: ObservedTool["answers"];
}

export interface LearnReport {
  /** By server, then tool. */
  readonly tools: readonly LearnedTool[];
  /** The number of files of cassettes that were read. */
  readonly files: number;
  /** The number of locked tools without an output schema and without a recorded answer. */
  readonly unrecorded: number;
  /** Whether the file of observations was written. */
  readonly wrote: boolean;
}

/**
 * Cassettes → observations: infers a schema from the recorded answers of each locked tool that declares none. Removes the
 * observations of tools that are no longer locked or declare an output schema now.
 *
 * @throws McpCodegenError `LOCK_NOT_FOUND`, `SERVER_UNKNOWN`, `OBSERVED_INVALID`, `CASSETTE_INVALID`
 */
export async function learn(
  project: Project,
  { servers, cassettes = project.config.cassettes ?? DEFAULT_CASSETTES, isFresh = false }: LearnOptions,
): Promise<LearnReport> {
  for (const server of servers ?? []) getServer(project.config.servers, server);
  const [source, before, files] = await Promise.all([
    project.lock(),
    readObserved(project.paths.observed),
    readCassetteFolders(project.dir, cassettes),
  ]);
  const recorded = groupBy(files, ({ server, tool }) => JSON.stringify([server, tool]));
  const learned: LearnedTool[] = [];
  let unrecorded = 0;
  const after = Object.entries(source.lock().servers).map(
    ([server, { tools }]): [string, Observed["servers"][string]] => {
      const ofServer = getOwn(before.servers, server) ?? {};
      if (servers !== undefined && !servers.includes(server)) return [server, ofServer];
      const observed = Object.entries(tools)
        .filter(
          ([, { definition, unusable }]) => (unusable ?? getOwn(definition, "outputSchema")) === undefined,
        )
        .sort(([a], [b]) => byCodeUnit(a, b))
        .flatMap(([tool, locked]): readonly [string, ObservedTool][] => {
          const toolBefore = isFresh ? undefined : getOwn(ofServer, tool);
          const toolAfter = learnTool(locked, recorded.get(JSON.stringify([server, tool])) ?? [], toolBefore);
          if (toolAfter === undefined) {
            unrecorded += 1;
            return [];
          }
          const isSame = JSON.stringify(toolBefore) === JSON.stringify(toolAfter);
          const status = toolBefore === undefined ? "new" : isSame ? "unchanged" : "widened";
          learned.push({ server, tool, status, samples: toolAfter.samples, answers: toolAfter.answers });
          return [[tool, toolAfter]];
        });
      return [server, Object.fromEntries(observed)];
    },
  );
  const observed: Observed = {
    observedVersion: OBSERVED_VERSION,
    servers: Object.fromEntries(after.filter(([, tools]) => Object.keys(tools).length > 0)),
  };
  // A misspelt folder must not make `isFresh` forget everything.
  const wrote = files.length > 0 && formatObserved(observed) !== formatObserved(before);
  if (wrote) await writeObserved(project.paths.observed, observed);
  return { tools: learned, files: files.length, unrecorded, wrote };
}

function learnTool(
  { digest }: LockedTool,
  files: readonly CassetteFile[],
  before: ObservedTool | undefined,
): ObservedTool | undefined {
  const results = files.flatMap(({ calls }) =>
    calls.flatMap((call) => ("result" in call ? [call.result] : [])),
  );
  try {
    return observe(digest, results, before, "same");
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new McpCodegenError("OBSERVED_INVALID", `An observed schema was edited: ${error.message}.`, {
      hint: 'Run "npx mcp-codegen generate --learn --fresh", and state a schema of your own in "outputs" of the configuration.',
    });
  }
}

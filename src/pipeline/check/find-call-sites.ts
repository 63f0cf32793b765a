import { relative, sep } from "node:path";
import type { CompleteConfig } from "../../config/config.js";
import type { LoadedConfig } from "../../config/load-config.js";
import { type Change, type ImpactSummary, keyOfTool } from "../../core/change.js";
import { omitUndefined } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { getOwn, mapEntries } from "../../core/json.js";
import { outlineOf } from "../../core/lock-outline.js";
import type { LockedServer, Lockfile } from "../../core/lockfile.js";
import type { CheckReport } from "./check-report.js";
import type { FindTsconfig } from "../options.js";
import { planFiles } from "../../emit/plan-files.js";
import type { FoundImpact } from "../../impact/find-impact.js";
import { type ToolDefinitions, mayHitCode } from "../../impact/changes.js";
import type { ToolModule } from "../../impact/tool-finder.js";
import { compareFolder } from "../generate/compare-folder.js";
import type { LockRevision } from "./find-drift.js";
import type { Generated, Tree } from "../../impact/open-project.js";

interface ImpactContext {
  readonly loaded: LoadedConfig;
  /** Absolute, like `tsconfig`; undefined if no code is generated. */
  readonly output: string | undefined;
  readonly tsconfig: string | FindTsconfig;
  readonly workers?: number | undefined;
}

/**
 * Renders the files of each revision in memory, and finds the user's code that the changes affect. Files that cannot
 * be rendered hide no change: the report gives the reason. The same applies to code that cannot be read, if
 * `tsconfig` is a function: call sites were not requested then.
 */
export async function findCallSites(
  changes: readonly Change[],
  revisions: readonly LockRevision[],
  { tsconfig: wanted, ...context }: ImpactContext,
): Promise<Pick<CheckReport, "changes" | "impact">> {
  const isAsked = typeof wanted === "string";
  if (!isAsked && !changes.some(mayHitCode)) return { changes };
  const project = isAsked ? { path: wanted } : await wanted();
  if (project === undefined) return { changes };
  const { path: tsconfig } = project;
  const traced: Change[] = [];
  let impact: ImpactSummary = {
    projects: tsconfig === undefined ? [] : [relative(context.loaded.dir, tsconfig).split(sep).join("/")],
    files: 0,
    unused: [],
    ...omitUndefined({ problem: project.problem }),
  };
  if (project.problem !== undefined) return { changes, impact };
  for (const revision of revisions) {
    const those = changes.filter(({ environment }) => environment === revision.environment);
    if (those.length === 0) continue;
    try {
      const hit = await findIn(revision, those, { ...context, tsconfig });
      traced.push(...hit.changes);
      impact = joinSummaries(impact, hit.summary);
    } catch (error) {
      const problem = problemOf(error, isAsked);
      if (problem === undefined) throw error;
      traced.push(...those);
      impact = { ...impact, problem };
    }
  }
  return { changes: traced, impact };
}

/** The reason why call sites are unknown; undefined for an error that ends the check. */
function problemOf(error: unknown, isAsked: boolean): string | undefined {
  if (error instanceof McpCodegenError && error.code === "NAME_COLLISION") return error.message;
  return isAsked || !(error instanceof Error) ? undefined : error.message;
}

async function findIn(
  { before, after }: LockRevision,
  changes: readonly Change[],
  context: Omit<ImpactContext, "tsconfig"> & { readonly tsconfig: string | undefined },
): Promise<FoundImpact> {
  const { loaded, output, tsconfig, workers } = context;
  // Loaded first, so that a missing compiler is reported before anything is rendered.
  const { findImpact } = await import("../../impact/find-impact.js");
  // Scripts have modules of their own.
  const generate = (lock: Lockfile): Promise<Generated> =>
    output === undefined || tsconfig === undefined
      ? Promise.resolve({ tree: { files: [], removed: [] }, tools: toolModules(lock, loaded.config) })
      : renderInMemory(lock, { loaded, output, workers });
  const render = async (definitions: ToolDefinitions, to: typeof generate): Promise<Tree> =>
    (await to(replaceTools(before, definitions))).tree;
  const hasScripts = loaded.config.scripts !== undefined;
  const scripts = hasScripts
    ? await (await import("./script-code.js")).openScriptCode(loaded, before)
    : undefined;
  return findImpact({
    scripts: scripts && {
      ...scripts,
      after: await scripts.generate(after),
      render: async (definitions) => render(definitions, scripts.generate),
    },
    dir: loaded.dir,
    output: output ?? loaded.dir,
    tsconfig,
    changes,
    before: await generate(before),
    after: await generate(after),
    render: async (definitions) => render(definitions, generate),
  });
}

function replaceTools(lock: Lockfile, definitions: ToolDefinitions): Lockfile {
  const replace = (server: string, tools: LockedServer["tools"]): LockedServer["tools"] =>
    Object.fromEntries(
      Object.entries(tools).flatMap(([name, tool]) => {
        const key = keyOfTool({ server, tool: name });
        if (!definitions.has(key)) return [[name, tool]];
        const definition = definitions.get(key);
        return definition === undefined ? [] : [[name, { ...tool, definition }]];
      }),
    );
  const servers = mapEntries(lock.servers, (server, name) => ({
    ...server,
    tools: replace(name, server.tools),
  }));
  return { ...lock, servers };
}

/** Renders the files of a lock without writing them, and lists the modules of its tools. */
export async function renderInMemory(
  lock: Lockfile,
  {
    loaded: { config },
    output,
    workers = 0,
  }: Pick<ImpactContext, "loaded" | "workers"> & { readonly output: string },
): Promise<Generated> {
  const { files, stale } = await compareFolder({ lock: () => lock }, config, output, { workers });
  const removed = stale.filter(({ state }) => state === "orphaned").map(({ path }) => path);
  return { tree: { files, removed }, tools: toolModules(lock, config) };
}

function joinSummaries(a: ImpactSummary, b: ImpactSummary): ImpactSummary {
  const keys = new Set(a.unused.map(({ server, tool }) => JSON.stringify([server, tool])));
  const unused = b.unused.filter(({ server, tool }) => !keys.has(JSON.stringify([server, tool])));
  return { ...a, ...b, files: Math.max(a.files, b.files), unused: [...a.unused, ...unused] };
}

/** The modules of all locked tools. Their formatting does not matter here. */
function toolModules(lock: Lockfile, config: CompleteConfig): readonly ToolModule[] {
  const { files } = planFiles(outlineOf(lock), config, { prettierConfig: "", importExtension: "js" });
  return files.flatMap(({ path, task }): readonly ToolModule[] => {
    if (task.kind !== "tool") return [];
    const { server, names } = task;
    const tool = getOwn(getOwn(lock.servers, server)?.tools ?? {}, names.tool);
    const index = `${path.split("/").slice(0, -1).join("/")}/index.ts`;
    return tool === undefined
      ? []
      : [{ server, tool: names.tool, path, index, wrapper: names.wrapper, definition: tool.definition }];
  });
}

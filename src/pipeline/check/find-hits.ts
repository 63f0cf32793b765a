import type { CompleteConfig } from "../../config/config.js";
import { type Change, keyOfTool } from "../../core/change.js";
import { getOwn, mapEntries } from "../../core/json.js";
import { outlineOf } from "../../core/lock-server.js";
import type { Lockfile } from "../../core/lockfile.js";
import { planFiles } from "../../emit/plan-files.js";
import type { ToolDefinitions } from "../../impact/changes.js";
import { findImpact, type FoundImpact } from "../../impact/find-impact.js";
import type { Generated, Tree } from "../../impact/open-project.js";
import type { ToolModule } from "../../impact/tool-finder.js";
import type { Project } from "../../project/project.js";
import { compareFolder } from "../generate/compare-folder.js";
import type { LockRevision } from "./find-drift.js";
import { openScriptCode } from "./script-code.js";

/** Finds the user's code that the changes of a revision affect. Loads the compiler, so a missing one is an error of the import. */
export async function findHits(
  { before, after }: LockRevision,
  changes: readonly Change[],
  project: Project,
  tsconfig: string | undefined,
): Promise<FoundImpact> {
  const { config, dir, paths } = project;
  // Scripts have modules of their own.
  const generate = (lock: Lockfile): Promise<Generated> =>
    paths.output === undefined || tsconfig === undefined
      ? Promise.resolve({ tree: { files: [], removed: [] }, tools: toolModules(lock, config) })
      : renderInMemory(project, lock);
  const render = async (definitions: ToolDefinitions, to: typeof generate): Promise<Tree> =>
    (await to(replaceTools(before, definitions))).tree;
  const scripts = config.scripts === undefined ? undefined : await openScriptCode(project, before);
  return findImpact({
    scripts: scripts && {
      ...scripts,
      after: await scripts.generate(after),
      render: async (definitions) => render(definitions, scripts.generate),
    },
    dir,
    output: paths.output ?? dir,
    tsconfig,
    changes,
    before: await generate(before),
    after: await generate(after),
    render: async (definitions) => render(definitions, generate),
  });
}

function replaceTools(lock: Lockfile, definitions: ToolDefinitions): Lockfile {
  const servers = mapEntries(lock.servers, (block, server) => {
    const tools = Object.entries(block.tools).flatMap(([name, tool]) => {
      const key = keyOfTool({ server, tool: name });
      if (!definitions.has(key)) return [[name, tool] as const];
      const definition = definitions.get(key);
      return definition === undefined ? [] : [[name, { ...tool, definition }] as const];
    });
    return { ...block, tools: Object.fromEntries(tools) };
  });
  return { ...lock, servers };
}

/** Renders the files of a lock without writing them, and lists the modules of its tools. */
export async function renderInMemory(project: Project, lock: Lockfile): Promise<Generated> {
  const { files, stale } = await compareFolder(project, { lock, isUntyped: true });
  const removed = stale.filter(({ state }) => state === "orphaned").map(({ path }) => path);
  return { tree: { files, removed }, tools: toolModules(lock, project.config) };
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

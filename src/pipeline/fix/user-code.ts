import { join, resolve, sep } from "node:path";
import type { Rename } from "../../core/rename.js";
import { typeOf } from "../../emit/name-tools.js";
import type { PlacedRename } from "../../impact/renames/find-edits.js";
import { type CodeToRename, openCodeToRename } from "../../impact/renames/rename-code.js";
import type { ToolModule } from "../../impact/tool-finder.js";
import { renderInMemory } from "../check/find-hits.js";
import { openScriptCode } from "../check/script-code.js";
import type { Project } from "../../project/project.js";
import type { Locks } from "./list-renames.js";

interface UserCodeOptions {
  /** Files that may be code, relative to the configuration. */
  readonly paths: readonly string[];
  /** The TypeScript project; undefined without one. */
  readonly tsconfig: string | undefined;
}

/**
 * Opens the user's code, and the saved scripts, as they were written for the lock before.
 *
 * @param renames all renames, also those that may not be applied
 * @throws McpCodegenError `USAGE` for a TypeScript configuration that cannot be read
 */
export async function openUserCode(
  project: Project,
  locks: Locks,
  renames: readonly Rename[],
  { paths, tsconfig }: UserCodeOptions,
): Promise<readonly CodeToRename[]> {
  const { config, dir } = project;
  const { output } = project.paths;
  const opened: CodeToRename[] = [];
  if (output !== undefined && tsconfig !== undefined) {
    const before = await renderInMemory(project, locks.before);
    const after = await renderInMemory(project, locks.after);
    const code = paths.filter((path) => /\.[cm]?[jt]sx?$/.test(path));
    const sources = code.map((path) => join(dir, path).split(sep).join("/"));
    const location = { dir, output, tsconfig: resolve(dir, tsconfig), before, sources };
    opened.push(openCodeToRename(location, placeRenames(renames, before.tools, after.tools), after));
  }
  const scripts = config.scripts === undefined ? undefined : await openScriptCode(project, locks.before);
  if (scripts !== undefined) {
    const { project: code, output: folder, before, generate } = scripts;
    const after = await generate(locks.after);
    const location = { dir, output: folder, tsconfig: code, before, sources: [] };
    opened.push(openCodeToRename(location, placeRenames(renames, before.tools, after.tools), after));
  }
  return opened;
}

/** Finds the modules that renames are about; a rename of a tool that has no generated code is left out. */
export function placeRenames(
  renames: readonly Rename[],
  before: readonly ToolModule[],
  after: readonly ToolModule[],
): readonly PlacedRename[] {
  return renames.flatMap((rename): readonly PlacedRename[] => {
    const { kind, server, tool, change } = rename;
    // A change of a renamed tool has its new name.
    const moved = renames.find(
      (candidate) => candidate.kind === "tool" && candidate.server === server && candidate.after === tool,
    );
    const from = kind === "tool" ? tool : (moved?.before ?? tool);
    const to = kind === "tool" ? rename.after : tool;
    const former = before.find((module) => module.server === server && module.tool === from);
    const current = after.find((module) => module.server === server && module.tool === to);
    if (former === undefined || current === undefined) return [];
    const types = [former, current].map(({ wrapper }) => typeOf(wrapper));
    const [input, output] = ["Input", "Output"].map((side) => types.map((type) => `${type}${side}`));
    const pairs = [[former.wrapper, current.wrapper], input, output];
    const side = change.rule.startsWith("input-") ? input : output;
    const type = kind === "tool" ? undefined : side?.[0];
    const names = new Map(pairs.map((pair) => [pair?.[0] ?? "", pair?.[1] ?? ""]));
    return [{ rename, before: former, after: current, type, names }];
  });
}

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolSnapshot } from "../../src/core/snapshot.js";

/** Histories of real servers, which are not part of this repository. */
export const FOLDER = "../shared/data/tool-changes";

/** All tools of a server before and after one of its commits or releases. */
export interface Step {
  readonly history: string;
  readonly commit: string;
  readonly before: readonly ToolSnapshot[];
  readonly after: readonly ToolSnapshot[];
}

interface ToolChange {
  readonly before: ToolSnapshot | null;
  readonly after: ToolSnapshot | null;
  readonly commit: string;
}

/** The steps of each history, by its name. Empty when the folder does not exist. */
export function readHistories(folder: string): ReadonlyMap<string, readonly Step[]> {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".json")) : [];
  return new Map(
    files.sort().map((file) => {
      const history = file.replace(/\.json$/, "");
      const changes = JSON.parse(readFileSync(join(folder, file), "utf8")) as readonly ToolChange[];
      return [history, replay(history, changes)];
    }),
  );
}

/** A record contains one tool, so unchanged tools of a step come from the records of other steps. */
function replay(history: string, changes: readonly ToolChange[]): readonly Step[] {
  const tools = firstState(changes);
  const commits = [...new Set(changes.map(({ commit }) => commit))];
  return commits.map((commit) => {
    const own = changes.filter((change) => change.commit === commit);
    for (const { before } of own) if (before !== null) tools.set(before.name, before);
    const before = [...tools.values()];
    for (const change of own) if (change.before !== null) tools.delete(change.before.name);
    for (const { after } of own) if (after !== null) tools.set(after.name, after);
    return { history, commit, before, after: [...tools.values()] };
  });
}

function firstState(changes: readonly ToolChange[]): Map<string, ToolSnapshot> {
  const state = new Map<string, ToolSnapshot>();
  const seen = new Set<string>();
  for (const { before, after } of changes) {
    if (before !== null && !seen.has(before.name)) state.set(before.name, before);
    for (const tool of [before, after]) if (tool !== null) seen.add(tool.name);
  }
  return state;
}

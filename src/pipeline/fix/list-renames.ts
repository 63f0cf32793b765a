import type { Change } from "../../core/change.js";
import { quoteAll } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { getOwn } from "../../core/json.js";
import type { Lockfile } from "../../core/lockfile.js";
import { nameOfRename, possibleRenames, type Rename, renamesIn } from "../../core/rename.js";
import type { ToolSnapshot } from "../../core/snapshot.js";
import { areOppositeTools } from "../../drift/renames/score-tools.js";

/** The lock that the code was written for, and the lock now. */
export interface Locks {
  readonly before: Lockfile;
  readonly after: Lockfile;
}

/**
 * Returns the renames among changes, and those that a person names. `certain`: the server declared it, or a person named it.
 * `guessed`: a person has to confirm it.
 *
 * @param named as {@link nameOfRename} writes them; arguments and results may have the same rename
 * @param against the git ref of the lock before
 * @throws McpCodegenError `USAGE` for a named rename that the changes do not include
 */
export function listRenames(
  changes: readonly Change[],
  named: readonly string[],
  locks: Locks,
  against: string,
) {
  const listed = renamesIn(changes);
  const names = new Set(listed.map(nameOfRename));
  const unknown = new Set(named.filter((name) => !names.has(name)));
  const others = unknown.size === 0 ? [] : [...possibleRenames(changes)];
  const possible = others.filter((rename) => unknown.has(nameOfRename(rename)));
  const candidates = new Set(possible.map(nameOfRename));
  for (const name of unknown)
    if (!candidates.has(name))
      throw changes.length === 0 ? unchanged(name, against) : notFound(name, [...names]);
  const isCertain = (rename: Rename): boolean =>
    named.includes(nameOfRename(rename)) || (rename.because === "declared" && !isDoubtful(rename, locks));
  return {
    certain: [...listed.filter(isCertain), ...possible],
    guessed: listed.filter((rename) => !isCertain(rename)),
  };
}

function unchanged(name: string, against: string): McpCodegenError {
  const message = `Unknown rename ${JSON.stringify(name)}: the lock has not changed since ${against}.`;
  return new McpCodegenError("USAGE", message, {
    hint: 'If the new lock is committed, add --against HEAD~1. If a server has the change, run "npx mcp-codegen pull" first.',
  });
}

function notFound(name: string, names: readonly string[]): McpCodegenError {
  const shown = names.length === 0 ? "" : `Renames that were found: ${quoteAll(names.slice(0, 10))}. `;
  const message = `Unknown rename ${JSON.stringify(name)}: the changes of the lock do not include it.`;
  return new McpCodegenError("USAGE", message, {
    hint: `${shown}Name a tool "server/old=new", or a property "server/tool.old=new" by the tool's new name. For a rename in an older commit, add --against with a commit before it. Values are not renamed: "npx mcp-codegen check --impact" lists the lines that use them.`,
  });
}

/** Whether a server declares a rename after which code would call a tool with the opposite effect. */
function isDoubtful({ kind, server, before, after }: Rename, locks: Locks): boolean {
  const toolBefore = findTool(locks.before, server, before);
  const toolAfter = findTool(locks.after, server, after);
  if (kind !== "tool" || toolBefore === undefined || toolAfter === undefined) return false;
  return areOppositeTools(toolBefore, toolAfter);
}

function findTool({ servers }: Lockfile, server: string, tool: string): ToolSnapshot | undefined {
  return getOwn(getOwn(servers, server)?.tools ?? {}, tool)?.definition;
}

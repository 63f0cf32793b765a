import { canonicalJson } from "../contract/canonical-json.js";
import { McpCodegenError } from "../contract/errors.js";
import { groupBy } from "../contract/collections.js";
import type { ServerSnapshot, ToolSnapshot } from "../contract/snapshot.js";
import { getOwn } from "../contract/json.js";
import type { LockedServer, Lockfile } from "../contract/lockfile.js";
import { diffTools } from "../drift/diff-tools.js";
import type { Confirm } from "../sources/open-source.js";

/**
 * Lists a server's tools again if the first list differs from the lock, and refuses two lists with different
 * meanings. A list that equals the lock costs one request.
 *
 * @throws McpCodegenError `LIST_UNSTABLE`
 */
export function verifyStableList(lock: Lockfile): Confirm {
  return async (first, listAgain) => {
    if (isAsLocked(getOwn(lock.servers, first.server), first)) return;
    const second = await listAgain();
    const names = findUnstable(definitionsOf(first), definitionsOf(second));
    if (names.length === 0) return;
    const shown = names.slice(0, 3).map((name) => JSON.stringify(name));
    const others = names.length > shown.length ? ` and ${names.length - shown.length} more` : "";
    throw new McpCodegenError(
      "LIST_UNSTABLE",
      `The server gave two different lists in one run: ${shown.join(", ")}${others}.`,
      {
        hint: "Try again. A server whose list keeps changing cannot be locked: check its log, or exclude those tools.",
      },
    );
  };
}

function isAsLocked(locked: LockedServer | undefined, { tools, repeated = [] }: ServerSnapshot): boolean {
  if (locked === undefined || Object.keys(locked.tools).length !== tools.length) return false;
  const further = groupBy(repeated, ({ name }) => name);
  return tools.every((tool) => {
    const known = getOwn(locked.tools, tool.name);
    return (
      known !== undefined &&
      canonicalJson([known.definition, ...(known.repeated ?? [])]) ===
        canonicalJson([tool, ...(further.get(tool.name) ?? [])])
    );
  });
}

function definitionsOf({ tools, repeated = [] }: ServerSnapshot): readonly ToolSnapshot[] {
  return [...tools, ...repeated];
}

/** The tools that differ between two lists. Differences without meaning, such as an order, do not count. */
function findUnstable(first: readonly ToolSnapshot[], second: readonly ToolSnapshot[]): readonly string[] {
  const changes = canonicalJson(first) === canonicalJson(second) ? [] : diffTools(first, second);
  return [...new Set(changes.flatMap(({ tool }) => (tool === undefined ? [] : [tool])))];
}

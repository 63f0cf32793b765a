import { canonicalJson } from "./canonical-json.js";
import type { Change } from "./change.js";
import { digestOf } from "./digest.js";
import { getOwn } from "./json.js";
import type { LockedServer, LockedTool } from "./lockfile.js";
import type { Listing, ServerSnapshot, ToolSnapshot } from "./snapshot.js";

export interface LockServerOptions {
  /** The contract version to lock. */
  readonly contract: string;
  readonly categoryOf: (tool: string) => string | undefined;
  /** What differs from the previous block. By default everything that is not equal counts as changed. */
  readonly changes?: readonly Change[];
}

/**
 * A server's block of the lock. What differs from the previous block without a finding stays as it was locked, word
 * for word, so that cosmetic noise never makes a difference in version control. The category comes from the
 * configuration and is always the present one.
 */
export function lockServer(
  snapshot: ServerSnapshot,
  previous: LockedServer | undefined,
  options: LockServerOptions,
): LockedServer {
  const { contract, categoryOf, changes } = options;
  const changedTools = new Set(changes?.flatMap(({ tool }) => tool ?? []));
  const isServerChanged = changes === undefined || changes.some(({ tool }) => tool === undefined);
  const tools = snapshot.tools.map((definition): [string, LockedTool] => {
    const { name } = definition;
    const locked = getOwn(previous?.tools ?? {}, name);
    const isKept = locked !== undefined && changes !== undefined && !changedTools.has(name);
    return [
      name,
      lockTool(isKept ? locked.definition : definition, categoryOf(name), getOwn(snapshot.unusable, name)),
    ];
  });
  return {
    contract,
    identity: previous !== undefined && !isServerChanged ? previous.identity : snapshot.identity,
    listing:
      previous !== undefined && isSameListing(previous.listing, snapshot.listing)
        ? previous.listing
        : snapshot.listing,
    tools: Object.fromEntries(tools),
  };
}

function lockTool(
  definition: ToolSnapshot,
  category: string | undefined,
  unusable: string | undefined,
): LockedTool {
  return {
    digest: digestOf(definition),
    ...(category !== undefined && { category }),
    ...(unusable !== undefined && { unusable }),
    definition,
  };
}

/** Pages are the server's own affair: the same list in other portions is the same list. */
function isSameListing(before: Listing, after: Listing): boolean {
  return (
    before.principal === after.principal &&
    before.locale === after.locale &&
    canonicalJson(before.clientCapabilities) === canonicalJson(after.clientCapabilities)
  );
}

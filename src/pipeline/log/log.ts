import type { Change } from "../../core/change.js";
import { getOwn } from "../../core/json.js";
import { quoteAll } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { snapshotOfLock } from "../../core/lock-server.js";
import { LOCKFILE_NAME, type Lockfile } from "../../core/lockfile.js";
import { diffServer } from "../../drift/diff-server.js";
import { isShallow, listRevisions, type FileRevision, readAtCommit } from "../../sources/git/git.js";
import { parseOldLock } from "../generate/contract-bases.js";

/** The history of a server's contract. */
export interface LogReport {
  readonly server: string;
  /** Newest first. */
  readonly versions: readonly ContractVersion[];
  /** Whether the last version is the first one ever; false in a shallow clone, or with a limit. */
  readonly isComplete: boolean;
  /** Commits whose lock does not parse, newest first. */
  readonly unreadable: readonly string[];
}

export interface ContractVersion {
  /** Null where the server was removed from the lock. */
  readonly contract: string | null;
  /** The number of tools. */
  readonly tools: number;
  readonly commit: string;
  /** The date of the commit, ISO 8601. */
  readonly date: string;
  /** The first line of the commit's message. */
  readonly subject: string;
  /** Changes since the previous version; empty for the first one. */
  readonly changes: readonly Change[];
}

/** A committed lock; absent where the commit removed it. */
interface CommittedLock {
  readonly revision: FileRevision;
  readonly lock: Lockfile | undefined;
}

/**
 * Returns the versions of a server's contract, newest first, from the commits that changed the lock in a folder.
 * Reads commits one by one until `limit` versions are found.
 *
 * @throws McpCodegenError `GIT_FAILED` without git or a history, `SERVER_UNKNOWN` for a server that no lock has
 */
export async function log(
  dir: string,
  server: string,
  { limit }: { readonly limit: number },
): Promise<LogReport> {
  const revisions = await listRevisions(dir, LOCKFILE_NAME);
  const versions: ContractVersion[] = [];
  const unreadable: string[] = [];
  const commits = new Set<string>();
  let newer: CommittedLock | undefined;
  for (const revision of revisions) {
    const text = await readAtCommit(dir, revision.commit, revision.path);
    const lock = text === undefined ? undefined : parseOldLock(text);
    if (text !== undefined && lock === undefined) {
      unreadable.push(revision.commit);
      continue;
    }
    const state = { revision, lock };
    Object.keys(lock?.servers ?? {}).forEach((name) => commits.add(name));
    if (newer !== undefined) versions.push(...findVersion(server, state, newer));
    if (versions.length > limit) break;
    newer = state;
  }
  const isWhole = versions.length <= limit;
  if (isWhole && newer !== undefined) versions.push(...findVersion(server, undefined, newer));
  if (!commits.has(server))
    throw new McpCodegenError("SERVER_UNKNOWN", `No committed lock has a server "${server}".`, {
      hint:
        commits.size === 0
          ? `Commit "${LOCKFILE_NAME}": its history is read from git.`
          : `Locked servers: ${quoteAll([...commits])}.`,
    });
  return {
    server,
    versions: versions.slice(0, limit),
    isComplete: versions.length <= limit && !(await isShallow(dir)),
    unreadable,
  };
}

/** The contract version that a commit created; empty if the contract did not change. */
function findVersion(
  server: string,
  before: CommittedLock | undefined,
  { revision: { commit, date, subject }, lock }: CommittedLock,
): readonly ContractVersion[] {
  const [old, now] = [before?.lock, lock].map((entry) => getOwn(entry?.servers ?? {}, server));
  if (now === undefined && old === undefined) return [];
  // A removed server has no tools.
  const gone = old && { ...snapshotOfLock(server, old), tools: [], repeated: [] };
  const after = now === undefined ? gone : snapshotOfLock(server, now);
  const changes = old === undefined || after === undefined ? [] : diffServer(server, old, after);
  if (now !== undefined && old?.contract === now.contract && changes.length === 0) return [];
  const tools = Object.keys(now?.tools ?? {}).length;
  return [{ contract: now?.contract ?? null, tools, commit, date, subject, changes }];
}

import { McpCodegenError } from "../../contract/errors.js";
import { getOwn } from "../../contract/json.js";
import { LOCKFILE_NAME, type LockedServer, type Lockfile } from "../../contract/lockfile.js";
import { parseLockfile } from "../../contract/lockfile-text.js";
import type { ContractVersion, LogReport } from "../reports.js";
import { snapshotOfLock } from "../../contract/lock-server.js";
import { diffServer } from "../../drift/diff-server.js";
import { isShallow, listRevisions, type Revision, readAtCommit } from "../../sources/git/commits.js";

/** A committed lock; absent where the commit removed it, or it does not parse. */
interface State {
  readonly revision: Revision;
  readonly lock?: Lockfile;
  readonly isUnreadable: boolean;
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
  const known = new Set<string>();
  let newer: State | undefined;
  for (const revision of revisions) {
    const state = await readState(dir, revision);
    Object.keys(state.lock?.servers ?? {}).forEach((name) => known.add(name));
    if (state.isUnreadable) {
      unreadable.push(revision.commit);
      continue;
    }
    if (newer !== undefined) versions.push(...findVersion(server, state, newer));
    if (versions.length > limit) break;
    newer = state;
  }
  const isWhole = versions.length <= limit;
  if (isWhole && newer !== undefined) versions.push(...findVersion(server, undefined, newer));
  if (!known.has(server)) throw unknownServer(server, [...known]);
  return {
    server,
    versions: versions.slice(0, limit),
    isComplete: versions.length <= limit && !(await isShallow(dir)),
    unreadable,
  };
}

async function readState(dir: string, revision: Revision): Promise<State> {
  const text = await readAtCommit(dir, revision.commit, revision.path);
  if (text === undefined) return { revision, isUnreadable: false };
  try {
    return { revision, lock: parseLockfile(text), isUnreadable: false };
  } catch (error) {
    if (error instanceof McpCodegenError) return { revision, isUnreadable: true };
    throw error;
  }
}

/** The contract version that a commit created; undefined if the contract did not change. */
function findVersion(
  server: string,
  before: State | undefined,
  { revision, lock }: State,
): readonly ContractVersion[] {
  const [old, now] = [blockOf(before?.lock, server), blockOf(lock, server)];
  const { commit, date, subject } = revision;
  if (now === undefined) {
    return old === undefined
      ? []
      : [{ contract: null, tools: 0, commit, date, subject, changes: diffBlocks(server, old, now) }];
  }
  const changes = diffBlocks(server, old, now);
  if (old?.contract === now.contract && changes.length === 0) return [];
  const tools = Object.keys(now.tools).length;
  return [{ contract: now.contract, tools, commit, date, subject, changes }];
}

function blockOf(lock: Lockfile | undefined, server: string): LockedServer | undefined {
  return getOwn(lock?.servers ?? {}, server);
}

/** The first version has no changes, since everything is new. */
function diffBlocks(
  server: string,
  before: LockedServer | undefined,
  after: LockedServer | undefined,
): ReturnType<typeof diffServer> {
  if (before === undefined) return [];
  const gone = { ...snapshotOfLock(server, before), tools: [], repeated: [] };
  return diffServer(server, before, after === undefined ? gone : snapshotOfLock(server, after));
}

function unknownServer(server: string, known: readonly string[]): McpCodegenError {
  const names = known.map((name) => `"${name}"`).join(", ");
  return new McpCodegenError("SERVER_UNKNOWN", `No committed lock has a server "${server}".`, {
    hint:
      names === "" ? `Commit "${LOCKFILE_NAME}": its history is read from git.` : `Locked servers: ${names}.`,
  });
}

import { Buffer } from "node:buffer";
import type { Change } from "../../core/change.js";
import { getOwn } from "../../core/json.js";
import { quoteAll } from "../../core/collections.js";
import { McpCodegenError } from "../../core/errors.js";
import { snapshotOfLock } from "../../core/lock-server.js";
import { LOCKFILE_NAME } from "../../core/lockfile.js";
import { diffServer } from "../../drift/diff-server.js";
import { isShallow, listRevisions, type FileRevision, readAtCommit } from "../../sources/git/git.js";
import { type LockDifference, parseDifference } from "../../sources/lock-difference.js";
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
  let newer: { readonly revision: FileRevision; readonly text: string | undefined } | undefined;
  for (const revision of revisions) {
    const text = await readAtCommit(dir, revision.commit, revision.path);
    const pair = readPair(text, newer?.text);
    if (pair === undefined) {
      unreadable.push(revision.commit);
      continue;
    }
    Object.keys(pair.before?.servers ?? {}).forEach((name) => commits.add(name));
    if (newer !== undefined) versions.push(...findVersion(server, pair, newer.revision));
    if (versions.length > limit) break;
    newer = { revision, text };
  }
  const isWhole = versions.length <= limit;
  const first = isWhole ? readPair(undefined, newer?.text) : undefined;
  if (first !== undefined && newer !== undefined)
    versions.push(...findVersion(server, first, newer.revision));
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

/**
 * Parses a committed lock and the next one, without the tools that are equal in both (`unchanged`, by server); a commit may have no
 * lock. The newest lock is verified whole and each older one where it differs, so that every tool is verified. Returns undefined if
 * the first cannot be read.
 */
function readPair(older: string | undefined, newer: string | undefined) {
  if (older !== undefined && newer !== undefined) {
    const difference = parseDifference(Buffer.from(older), Buffer.from(newer));
    if (difference !== undefined) return difference;
  }
  const [before, after] = [older, newer].map((text) => (text === undefined ? undefined : parseOldLock(text)));
  if (older !== undefined && before === undefined) return undefined;
  return { before, after, unchanged: NOTHING };
}

const NOTHING: LockDifference["unchanged"] = new Map();

/** The contract version that a commit created; empty if the contract did not change. */
function findVersion(
  server: string,
  pair: NonNullable<ReturnType<typeof readPair>>,
  { commit, date, subject }: FileRevision,
): readonly ContractVersion[] {
  const [before, after] = [pair.before, pair.after].map((lock) => getOwn(lock?.servers ?? {}, server));
  if (before === undefined && after === undefined) return [];
  const unchanged = pair.unchanged.get(server) ?? [];
  // A removed server has no tools.
  const removed = before && { ...snapshotOfLock(server, before), tools: [], repeated: [] };
  const listed = after === undefined ? removed : snapshotOfLock(server, after);
  const changes =
    before === undefined || listed === undefined ? [] : diffServer(server, before, listed, { unchanged });
  if (after !== undefined && before?.contract === after.contract && changes.length === 0) return [];
  const tools = after === undefined ? 0 : Object.keys(after.tools).length + unchanged.length;
  return [{ contract: after?.contract ?? null, tools, commit, date, subject, changes }];
}

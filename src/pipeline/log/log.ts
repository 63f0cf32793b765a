import { join } from "node:path";
import { canonicalJson, getOwn } from "../../core/json.js";
import { quoteAll } from "../../core/collections.js";
import { digestOfSchemas } from "../../core/consumer.js";
import { McpCodegenError } from "../../core/errors.js";
import { snapshotOfLock } from "../../core/lock-server.js";
import { LOCKFILE_NAME, type LockedServer, type Lockfile } from "../../core/lockfile.js";
import type { ServerSnapshot } from "../../core/snapshot.js";
import { diffServer } from "../../drift/diff-server.js";
import { findFileText } from "../../files/read-files.js";
import { isShallow, listRevisions, type FileRevision, readAtCommit } from "../../sources/git/git.js";
import { parseOldLock } from "../generate/contract-bases.js";
import type { ContractVersion, LogReport } from "../reports.js";

/** A committed lock; absent where the commit removed it. */
interface State {
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
  const known = new Set<string>();
  let newer: State | undefined;
  for (const revision of revisions) {
    const text = await readAtCommit(dir, revision.commit, revision.path);
    const lock = text === undefined ? undefined : parseOldLock(text);
    if (text !== undefined && lock === undefined) {
      unreadable.push(revision.commit);
      continue;
    }
    const state = { revision, lock };
    Object.keys(lock?.servers ?? {}).forEach((name) => known.add(name));
    if (newer !== undefined) versions.push(...findVersion(server, state, newer));
    if (versions.length > limit) break;
    newer = state;
  }
  const isWhole = versions.length <= limit;
  if (isWhole && newer !== undefined) versions.push(...findVersion(server, undefined, newer));
  if (!known.has(server))
    throw new McpCodegenError("SERVER_UNKNOWN", `No committed lock has a server "${server}".`, {
      hint:
        known.size === 0
          ? `Commit "${LOCKFILE_NAME}": its history is read from git.`
          : `Locked servers: ${quoteAll([...known])}.`,
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
  before: State | undefined,
  { revision: { commit, date, subject }, lock }: State,
): readonly ContractVersion[] {
  const [old, now] = [before?.lock, lock].map((one) => getOwn(one?.servers ?? {}, server));
  if (now === undefined && old === undefined) return [];
  // A removed server has no tools.
  const gone = old && { ...snapshotOfLock(server, old), tools: [], repeated: [] };
  const after = now === undefined ? gone : snapshotOfLock(server, now);
  const changes = old === undefined || after === undefined ? [] : diffServer(server, old, after);
  if (now !== undefined && old?.contract === now.contract && changes.length === 0) return [];
  const tools = Object.keys(now?.tools ?? {}).length;
  return [{ contract: now?.contract ?? null, tools, commit, date, subject, changes }];
}

/** A definition to find in earlier locks. */
export interface WantedDefinition {
  /** The current key of its server; any by default. */
  readonly server?: string;
  readonly tool: string;
  /** The digest of its schemas. */
  readonly schemas: string;
}

/** A tool in one version of the lock. */
export interface ToolVersion {
  /** The contract of the first lock that has it. */
  readonly contract: string;
  /** The digest of its schemas; absent where the lock does not have the tool. */
  readonly schemas: string | undefined;
  /** The server with this tool alone. */
  readonly snapshot: ServerSnapshot;
}

export interface FormerDefinition {
  /** The current key of its server. */
  readonly server: string;
  readonly tool: string;
  readonly schemas: string;
  /** The versions of the tool since this definition, oldest first. Versions with the same schemas are one. */
  readonly versions: readonly [ToolVersion, ...ToolVersion[]];
}

/** More commits than a lock has between two exports of a consumer. */
const MOST_COMMITS = 200;

/** Returns those of the definitions that an earlier lock has. Keys of servers are followed where they changed. */
export async function findInHistory(
  wanted: readonly WantedDefinition[],
  { dir, lock: current }: { readonly dir: string; readonly lock?: Lockfile | undefined },
): Promise<readonly FormerDefinition[]> {
  const found: FormerDefinition[] = [];
  const missing = new Set(wanted);
  const tracks = new Map<string, FormerDefinition["versions"]>();
  let keys: Keys = { current: new Map(), added: [] };
  let newer: Lockfile | undefined;
  for await (const lock of readLocks(dir, current)) {
    if (newer !== undefined) keys = followKeys(newer, lock, keys);
    newer = lock;
    for (const [key, locked] of Object.entries(lock.servers)) {
      const server = keys.current.get(key) ?? key;
      const own = [...missing].filter((one) => one.server === undefined || one.server === server);
      for (const tool of new Set(own.map((one) => one.tool))) {
        const at = JSON.stringify([server, tool]);
        const versions = addVersion(tracks.get(at), server, tool, locked);
        tracks.set(at, versions);
        for (const one of own) {
          if (one.tool !== tool || one.schemas !== versions[0].schemas) continue;
          found.push({ server, tool, schemas: one.schemas, versions });
          missing.delete(one);
        }
      }
    }
    if (missing.size === 0) break;
  }
  return found;
}

/** Adds the version of an older lock. */
function addVersion(
  later: FormerDefinition["versions"] | undefined,
  server: string,
  tool: string,
  locked: LockedServer,
): FormerDefinition["versions"] {
  const own = getOwn(locked.tools, tool);
  const schemas = own && digestOfSchemas(own.definition);
  const { contract } = locked;
  if (later !== undefined && later[0].schemas === schemas) {
    const [same, ...others] = later;
    return [{ ...same, contract }, ...others];
  }
  const tools = own === undefined ? {} : { [tool]: own };
  return [{ contract, schemas, snapshot: snapshotOfLock(server, { ...locked, tools }) }, ...(later ?? [])];
}

interface Keys {
  /** The current keys of the servers in a lock, by their keys there. */
  readonly current: ReadonlyMap<string, string>;
  /** Servers that no lock before has, by their current key. */
  readonly added: readonly KeyedServer[];
}

interface KeyedServer {
  readonly server: string;
  readonly block: LockedServer;
}

/** Returns the keys for an older lock. One commit may remove a key, and a later one add another for the same server. */
function followKeys(newer: Lockfile, older: Lockfile, known: Keys): Keys {
  const currentOf = (server: string): string => known.current.get(server) ?? server;
  const lost = without(older, newer);
  const added = without(newer, older).map(({ server, block }) => ({ server: currentOf(server), block }));
  const only = lost.length === 1 && added.length === 1 ? added[0] : undefined;
  const renamed = new Map(
    lost.flatMap(({ server, block }) => {
      const hasCommon = Object.keys(block.tools).some((tool) => Object.hasOwn(only?.block.tools ?? {}, tool));
      const next =
        findSuccessor(block, added) ??
        (hasCommon ? only?.server : undefined) ??
        findSuccessor(block, known.added);
      return next === undefined ? [] : [[server, next] as const];
    }),
  );
  const taken = new Set(renamed.values());
  return {
    current: new Map(
      Object.keys(older.servers).map((server) => [server, renamed.get(server) ?? currentOf(server)]),
    ),
    added: [...added, ...known.added].filter(({ server }) => !taken.has(server)),
  };
}

/** The servers of a lock that another one does not have. */
function without({ servers }: Lockfile, other: Lockfile): readonly KeyedServer[] {
  return Object.entries(servers)
    .filter(([server]) => !Object.hasOwn(other.servers, server))
    .map(([server, block]) => ({ server, block }));
}

/**
 * Yields the current lock, which may not be committed yet, and those that git has, the latest first; none of these without
 * git or a history.
 */
async function* readLocks(dir: string, current: Lockfile | undefined): AsyncGenerator<Lockfile> {
  try {
    const text = current === undefined ? await findFileText(join(dir, LOCKFILE_NAME)) : undefined;
    const latest = current ?? (text === undefined ? undefined : parseOldLock(text));
    if (latest !== undefined) yield latest;
    for (const { commit, path } of (await listRevisions(dir, LOCKFILE_NAME)).slice(0, MOST_COMMITS)) {
      const text = await readAtCommit(dir, commit, path);
      const lock = text === undefined ? undefined : parseOldLock(text);
      if (lock !== undefined) yield lock;
    }
  } catch (error) {
    if (!(error instanceof McpCodegenError)) throw error;
  }
}

/** The new server with the same tools; else the one with the same server name and at least half of the tools. */
export function findSuccessor(removed: LockedServer, added: readonly KeyedServer[]): string | undefined {
  const toolsOf = ({ tools }: LockedServer): string =>
    canonicalJson(Object.entries(tools).map(([name, { digest }]) => [name, digest]));
  const hasTools = Object.keys(removed.tools).length > 0;
  const same = added.find(({ block }) => hasTools && toolsOf(block) === toolsOf(removed));
  return (same ?? added.find(({ block }) => isSimilar(block, removed)))?.server;
}

function isSimilar(added: LockedServer, removed: LockedServer): boolean {
  const name = added.identity.serverInfo["name"];
  if (typeof name !== "string" || name !== removed.identity.serverInfo["name"]) return false;
  const names = Object.keys(removed.tools);
  return names.filter((tool) => Object.hasOwn(added.tools, tool)).length * 2 >= names.length;
}

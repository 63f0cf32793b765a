import { join } from "node:path";
import { digestOfSchemas } from "../../contract/consumer.js";
import { McpCodegenError } from "../../contract/errors.js";
import { getOwn } from "../../contract/json.js";
import { snapshotOfLock } from "../../contract/lock-server.js";
import { LOCKFILE_NAME, type LockedServer, type Lockfile } from "../../contract/lockfile.js";
import { parseLockfile } from "../../contract/lockfile-text.js";
import type { ServerSnapshot } from "../../contract/snapshot.js";
import { findLockText } from "../../files/lockfile-on-disk.js";
import { listRevisions, readAtCommit } from "../../sources/git/commits.js";
import { findSuccessor } from "../plan-removals.js";

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
    const text = current === undefined ? await findLockText(join(dir, LOCKFILE_NAME)) : undefined;
    const latest = current ?? (text === undefined ? undefined : parseOld(text));
    if (latest !== undefined) yield latest;
    for (const { commit, path } of (await listRevisions(dir, LOCKFILE_NAME)).slice(0, MOST_COMMITS)) {
      const text = await readAtCommit(dir, commit, path);
      const lock = text === undefined ? undefined : parseOld(text);
      if (lock !== undefined) yield lock;
    }
  } catch (error) {
    if (!(error instanceof McpCodegenError)) throw error;
  }
}

function parseOld(text: string): Lockfile | undefined {
  try {
    return parseLockfile(text);
  } catch (error) {
    if (error instanceof McpCodegenError) return undefined;
    throw error;
  }
}

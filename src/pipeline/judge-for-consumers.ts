import type { LoadedConfig } from "../config/load-config.js";
import type { Change } from "../contract/change.js";
import { digestOfSchemas, type KnownConsumer } from "../contract/consumer.js";
import type { Unverified } from "../contract/diagnostic.js";
import { McpCodegenError } from "../contract/errors.js";
import { getOwn } from "../contract/json.js";
import { snapshotOfLock } from "../contract/lock-server.js";
import { LOCKFILE_NAME, type Lockfile } from "../contract/lockfile.js";
import { parseLockfile } from "../contract/lockfile-text.js";
import {
  findStrangeDefinitions,
  findUnknownDefinitions,
  judgeConsumers,
  type JudgedConsumers,
  type UnknownDefinition,
} from "../consumers/judge-consumers.js";
import { keyOfDefinition, type ProvidedServer } from "../consumers/match-server.js";
import { listRevisions, readAtCommit } from "../sources/git/commits.js";
import type { Revision } from "./find-drift.js";

/** Judges changes for the consumers of their servers, revision by revision. */
export async function judgeForConsumers(
  changes: readonly Change[],
  consumers: readonly KnownConsumer[],
  {
    revisions,
    lock,
    dir,
  }: { readonly revisions: readonly Revision[]; readonly lock: Lockfile } & Pick<LoadedConfig, "dir">,
): Promise<JudgedConsumers> {
  // Without a comparison, consumers can still be too old for the lock.
  const all = revisions.length > 0 ? revisions : [{ before: lock, after: lock }];
  const judged: Change[] = [];
  const unverified = new Map<string, Unverified>();
  for (const { environment, before, after } of all) {
    const those = changes.filter((change) => change.environment === environment);
    const found = await judgeServers(those, consumers, serversOf(before, after), { dir });
    judged.push(...found.changes);
    for (const notice of found.unverified)
      unverified.set(JSON.stringify([notice.server, notice.reason]), notice);
  }
  const others = changes.filter(
    ({ environment }) => !all.some((revision) => revision.environment === environment),
  );
  return { changes: [...judged, ...others], unverified: [...unverified.values()] };
}

/** As {@link judgeForConsumers}, for servers before and after. */
export async function judgeServers(
  changes: readonly Change[],
  consumers: readonly KnownConsumer[],
  servers: readonly ProvidedServer[],
  { dir, isPartial = false }: { readonly dir: string; readonly isPartial?: boolean },
): Promise<JudgedConsumers> {
  const strange = findStrangeDefinitions(consumers, servers);
  const former = strange.length === 0 ? new Map<string, Set<string>>() : await findFormer(strange, dir);
  const provided = servers.map((server) => ({ ...server, former: former.get(server.server) }));
  const unknown = findUnknownDefinitions(consumers, provided);
  const earlier = unknown.length === 0 ? new Set<string>() : await findEarlier(unknown, dir);
  return judgeConsumers({
    changes,
    consumers,
    servers: provided,
    isPartial,
    isEarlier: (server, tool, schemas) => earlier.has(JSON.stringify([server, tool, schemas])),
  });
}

function serversOf(before: Lockfile, after: Lockfile): readonly ProvidedServer[] {
  const names = [...new Set([...Object.keys(before.servers), ...Object.keys(after.servers)])].sort();
  return names.map((server): ProvidedServer => {
    const [old, now] = [before, after].map((lock) => {
      const locked = getOwn(lock.servers, server);
      return locked && snapshotOfLock(server, locked);
    });
    return { server, before: old, after: now };
  });
}

/** More commits than a lock has between two exports of a consumer. */
const MOST_COMMITS = 200;

/** Returns those of the definitions that an earlier lock has. */
async function findEarlier(unknown: readonly UnknownDefinition[], dir: string): Promise<ReadonlySet<string>> {
  const missing = new Map(unknown.map((one) => [JSON.stringify([one.server, one.tool, one.schemas]), one]));
  const found = new Set<string>();
  for await (const { servers } of readEarlierLocks(dir)) {
    for (const [key, { server, tool, schemas }] of missing) {
      const locked = getOwn(getOwn(servers, server)?.tools ?? {}, tool);
      if (locked === undefined || digestOfSchemas(locked.definition) !== schemas) continue;
      found.add(key);
      missing.delete(key);
    }
    if (missing.size === 0) break;
  }
  return found;
}

/** Returns the servers that had some of the definitions in an earlier lock, with these definitions. */
async function findFormer(
  definitions: readonly Omit<UnknownDefinition, "server">[],
  dir: string,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>();
  const missing = new Map(definitions.map((one) => [keyOfDefinition(one.tool, one.schemas), one]));
  for await (const { servers } of readEarlierLocks(dir)) {
    for (const [server, { tools }] of Object.entries(servers))
      for (const [key, { tool, schemas }] of missing) {
        const locked = getOwn(tools, tool);
        if (locked === undefined || digestOfSchemas(locked.definition) !== schemas) continue;
        found.set(server, (found.get(server) ?? new Set()).add(key));
        missing.delete(key);
      }
    if (missing.size === 0) break;
  }
  return found;
}

/** Yields the locks that git has, the latest first; none without git or a history. */
async function* readEarlierLocks(dir: string): AsyncGenerator<Lockfile> {
  try {
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

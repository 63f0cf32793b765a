import type { LoadedConfig } from "../../config/load-config.js";
import type { Change } from "../../core/change.js";
import type { KnownConsumer } from "../../core/consumer.js";
import type { Diagnostic, Unverified } from "../../core/diagnostic.js";
import { getOwn } from "../../core/json.js";
import { snapshotOfLock } from "../../core/lock-server.js";
import type { Lockfile } from "../../core/lockfile.js";
import {
  findStrangeDefinitions,
  findUnknownDefinitions,
  judgeConsumers,
  type JudgedConsumers,
} from "../../impact/consumers/judge-consumers.js";
import { keyOfDefinition, type ProvidedServer } from "../../impact/consumers/match-server.js";
import { definitionsBefore, findBroken } from "../find-broken.js";
import type { LockRevision } from "../check/find-drift.js";
import { findInHistory } from "../log/log.js";

interface JudgedForConsumers extends JudgedConsumers {
  /** Consumers that an earlier change breaks. */
  readonly diagnostics: readonly Diagnostic[];
}

interface JudgeOptions {
  readonly dir: string;
  /** The configuration of the servers, with the dialects of their schemas. */
  readonly servers?: LoadedConfig["config"]["servers"] | undefined;
  /** The latest lock; that in `dir` by default. */
  readonly lock?: Lockfile | undefined;
  /** Whether the provider may have other servers, which were not compared. */
  readonly isPartial?: boolean;
}

/** Judges changes for the consumers of their servers, revision by revision. */
export async function judgeForConsumers(
  changes: readonly Change[],
  consumers: readonly KnownConsumer[],
  {
    revisions,
    lock,
    ...options
  }: JudgeOptions & { readonly revisions: readonly LockRevision[]; readonly lock: Lockfile },
): Promise<JudgedForConsumers> {
  // Without a comparison, consumers can still be too old for the lock, or broken by it.
  const all = revisions.length > 0 ? revisions : [{ before: lock, after: lock }];
  const judged: Change[] = [];
  const unverified = new Map<string, Unverified>();
  const diagnostics = new Map<string, Diagnostic>();
  for (const { environment, before, after } of all) {
    const those = changes.filter((change) => change.environment === environment);
    const found = await judgeServers(those, consumers, serversOf(before, after), { ...options, lock });
    judged.push(...found.changes);
    for (const notice of found.unverified)
      unverified.set(JSON.stringify([notice.server, notice.reason]), notice);
    for (const notice of found.diagnostics) diagnostics.set(JSON.stringify(notice), notice);
  }
  const others = changes.filter(
    ({ environment }) => !all.some((revision) => revision.environment === environment),
  );
  return {
    changes: [...judged, ...others],
    unverified: [...unverified.values()],
    diagnostics: [...diagnostics.values()],
  };
}

/** As {@link judgeForConsumers}, for servers before and after. */
export async function judgeServers(
  changes: readonly Change[],
  consumers: readonly KnownConsumer[],
  servers: readonly ProvidedServer[],
  { isPartial = false, ...options }: JudgeOptions,
): Promise<JudgedForConsumers> {
  const strange = findStrangeDefinitions(consumers, servers);
  const strangers = strange.length === 0 ? [] : await findInHistory(strange, options);
  const provided = servers.map((server): ProvidedServer => {
    const own = strangers.filter((one) => one.server === server.server);
    return { ...server, former: new Set(own.map(({ tool, schemas }) => keyOfDefinition(tool, schemas))) };
  });
  const unknown = findUnknownDefinitions(consumers, provided);
  const wanted = [...unknown, ...definitionsBefore(unknown, provided)];
  const former = unknown.length === 0 ? [] : await findInHistory(wanted, options);
  const isEarlier = (server: string, tool: string, schemas: string): boolean =>
    former.some((one) => one.server === server && one.tool === tool && one.schemas === schemas);
  const findFormer = (tool: string, schemas: string): string | undefined =>
    strangers.find((one) => one.tool === tool && one.schemas === schemas)?.server;
  const judged = judgeConsumers({ changes, consumers, servers: provided, isPartial, isEarlier, findFormer });
  return { ...judged, diagnostics: findBroken(unknown, former, { provided, config: options.servers }) };
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

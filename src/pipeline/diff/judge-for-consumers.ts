import type { LoadedConfig } from "../../config/load-config.js";
import type { Change } from "../../core/change.js";
import { digestOfSchemas, type KnownConsumer } from "../../core/consumer.js";
import type { ConsumerVerdict, Diagnostic, Unverified } from "../../core/diagnostic.js";
import { getOwn } from "../../core/json.js";
import { snapshotOfLock } from "../../core/lock-server.js";
import type { Lockfile } from "../../core/lockfile.js";
import type { ServerSnapshot } from "../../core/snapshot.js";
import {
  findStrangeDefinitions,
  findUnknownDefinitions,
  judgeConsumers,
  type JudgedConsumers,
  type UnknownDefinition,
} from "../../impact/consumers/judge-consumers.js";
import { keyOfDefinition, type ProvidedServer } from "../../impact/consumers/schema-paths.js";
import type { LockRevision } from "../check/find-drift.js";
import { diffServer } from "../../drift/diff-server.js";
import { type FormerDefinition, type ToolVersion, type WantedDefinition, findInHistory } from "../log/log.js";

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
  return { ...judged, diagnostics: findBroken(unknown, former, provided, options.servers) };
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

/**
 * Finds the consumers that the contract breaks before the changes under review: from the definition that a consumer
 * locked to the one before these changes.
 */
function findBroken(
  unknown: readonly UnknownDefinition[],
  former: readonly FormerDefinition[],
  provided: readonly ProvidedServer[],
  config: JudgeOptions["servers"] = {},
): readonly Diagnostic[] {
  return unknown.flatMap(({ server, tool, schemas, use }): readonly Diagnostic[] => {
    const own = former.find((one) => isOf(one, { server, tool, schemas }));
    const before = provided.find((one) => one.server === server)?.before;
    if (own === undefined || before === undefined) return [];
    const [first, ...later] = own.versions;
    const schemasBefore = schemasOf(before, tool);
    const end = later.findLastIndex((version) => version.schemas === schemasBefore);
    const isOlder =
      schemasBefore === undefined ||
      former.some((one) => isOf(one, { server, tool, schemas: schemasBefore }));
    // The comparison starts before the consumer's definition.
    if (end === -1 && isOlder) return [];
    const find = (after: ServerSnapshot): readonly Change[] =>
      diffServer(server, first.snapshot, after, { schemas: getOwn(config, server) }).filter(
        (change) => change.tool === tool,
      );
    const { changes } = judgeConsumers({
      changes: find(before),
      consumers: [use],
      servers: [{ server, before: first.snapshot, after: before }],
    });
    return changes.flatMap((change) => {
      const hits = (change.consumers ?? []).filter(({ effect }) => effect !== "none");
      if (hits.length === 0) return [];
      const has = ({ snapshot }: ToolVersion): boolean =>
        find(snapshot).some(({ rule, path }) => rule === change.rule && path === change.path);
      const known = later.slice(0, end + 1);
      // Undefined if no lock has the definition before the changes, such as that of another server.
      const since = known[known.findLastIndex((version) => !has(version)) + 1] ?? known.at(-1);
      return hits.map((verdict) => ({
        ...{ code: "CONSUMER_BROKEN", server, tool, path: change.path },
        message: `${BROKEN[verdict.effect]} ${verdict.consumer}${since === undefined ? "" : ` since ${since.contract}`}: ${verdict.says}`,
        file: use.file,
      }));
    });
  });
}

const BROKEN: { readonly [E in ConsumerVerdict["effect"]]: string } = {
  breaks: "already breaks",
  "may-break": "may already break",
  "until-pull": "already affects",
  none: "already affects",
};

function isOf(one: FormerDefinition, wanted: Required<WantedDefinition>): boolean {
  return one.server === wanted.server && one.tool === wanted.tool && one.schemas === wanted.schemas;
}

/** Returns the definitions before the changes, of the tools that consumers know otherwise. */
function definitionsBefore(
  unknown: readonly UnknownDefinition[],
  provided: readonly ProvidedServer[],
): readonly WantedDefinition[] {
  return unknown.flatMap(({ server, tool }) => {
    const before = provided.find((one) => one.server === server)?.before;
    const schemas = before && schemasOf(before, tool);
    return schemas === undefined ? [] : [{ server, tool, schemas }];
  });
}

function schemasOf({ tools }: ServerSnapshot, name: string): string | undefined {
  const tool = tools.find((one) => one.name === name);
  return tool && digestOfSchemas(tool);
}

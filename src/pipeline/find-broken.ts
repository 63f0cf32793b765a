import type { CompleteConfig } from "../config/config.js";
import type { Change } from "../core/change.js";
import type { ConsumerVerdict, Diagnostic } from "../core/diagnostic.js";
import { digestOfSchemas } from "../core/consumer.js";
import { getOwn } from "../core/json.js";
import type { ServerSnapshot } from "../core/snapshot.js";
import { judgeConsumers, type UnknownDefinition } from "../impact/consumers/judge-consumers.js";
import type { ProvidedServer } from "../impact/consumers/match-server.js";
import { diffServer } from "../drift/diff-server.js";
import type { FormerDefinition, ToolVersion, WantedDefinition } from "./log/log.js";

interface BrokenContext {
  readonly provided: readonly ProvidedServer[];
  /** The configuration of the servers, which says how to read their schemas. */
  readonly config: CompleteConfig["servers"] | undefined;
}

/**
 * Finds the consumers that the contract breaks before the changes under review: from the definition that a consumer
 * locked to the one before these changes.
 */
export function findBroken(
  unknown: readonly UnknownDefinition[],
  former: readonly FormerDefinition[],
  { provided, config = {} }: BrokenContext,
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
        message: describeBroken(verdict, since === undefined ? "" : ` since ${since.contract}`),
        file: use.file,
      }));
    });
  });
}

function describeBroken({ consumer, effect, says }: ConsumerVerdict, since: string): string {
  switch (effect) {
    case "breaks":
      return `already breaks ${consumer}${since}: ${says}`;
    case "may-break":
      return `may already break ${consumer}${since}: ${says}`;
    case "until-pull":
    case "none":
      return `already affects ${consumer}${since}: ${says}`;
    default:
      return effect satisfies never;
  }
}

function isOf(one: FormerDefinition, wanted: Required<WantedDefinition>): boolean {
  return one.server === wanted.server && one.tool === wanted.tool && one.schemas === wanted.schemas;
}

/** Returns the definitions before the changes, of the tools that consumers know otherwise. */
export function definitionsBefore(
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

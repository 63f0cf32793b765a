import type { CompleteConfig } from "../config/config.js";
import type { Change } from "../contract/change.js";
import { digestOfSchemas } from "../contract/consumer.js";
import type { ConsumerVerdict } from "../contract/consumer-verdict.js";
import type { Diagnostic } from "../contract/diagnostic.js";
import { getOwn } from "../contract/json.js";
import type { ServerSnapshot } from "../contract/snapshot.js";
import { judgeConsumers, type UnknownDefinition } from "../consumers/judge-consumers.js";
import type { ProvidedServer } from "../consumers/match-server.js";
import { diffServer } from "../drift/diff-server.js";
import type { FormerDefinition, ToolVersion } from "./lock-history.js";

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
    const own = former.find((one) => one.server === server && one.tool === tool && one.schemas === schemas);
    const before = provided.find((one) => one.server === server)?.before;
    if (own === undefined || before === undefined) return [];
    const [first, ...later] = own.versions;
    const schemasBefore = schemasOf(before, tool);
    const end = later.findLastIndex((version) => version.schemas === schemasBefore);
    // Otherwise the comparison starts before the consumer's definition, or elsewhere.
    if (end === -1) return [];
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
      const since = known[known.findLastIndex((version) => !has(version)) + 1] ?? known.at(-1);
      return hits.map((verdict) => ({
        ...{ code: "CONSUMER_BROKEN", server, tool, path: change.path },
        message: describeBroken(verdict, since?.contract ?? ""),
        file: use.file,
      }));
    });
  });
}

function describeBroken({ consumer, effect, says }: ConsumerVerdict, since: string): string {
  switch (effect) {
    case "breaks":
      return `already breaks ${consumer} since ${since}: ${says}`;
    case "may-break":
      return `may already break ${consumer} since ${since}: ${says}`;
    case "until-pull":
    case "none":
      return `already affects ${consumer} since ${since}: ${says}`;
    default:
      return effect satisfies never;
  }
}

function schemasOf({ tools }: ServerSnapshot, name: string): string | undefined {
  const tool = tools.find((one) => one.name === name);
  return tool && digestOfSchemas(tool);
}

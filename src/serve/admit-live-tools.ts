import { getOwn } from "../contract/json.js";
import type { ConnectedTools } from "../project/locked-tools.js";
import { originOf } from "../runtime/connect-tools.js";
import { defineLiveTool } from "../agent/registry/list-live.js";
import { unlockedIn } from "../agent/registry/server-tools.js";
import { registerTool, type RegisteredTool } from "../agent/registry/registered-tool.js";
import { resolveSource } from "../agent/registry/server-source.js";
import { joinToolName, ownNameOf } from "../agent/registry/tool-names.js";
import type { ContractWatch } from "./contract-watch.js";
import type { LiveContract } from "./live-contract.js";

/**
 * Reads the tools that servers have now: those that keep to the lock as they are locked, all others by their live definitions
 * and not locked. A server that cannot be asked is shown by its lock, and reported to `onListed` with the error. While nothing
 * changes, the list is the same one.
 */
export function admitLiveTools(
  locked: readonly RegisteredTool[],
  connections: readonly ConnectedTools[],
  watches: ReadonlyMap<string, ContractWatch>,
  onListed: (server: string, error: unknown) => void,
): () => Promise<readonly RegisteredTool[]> {
  const last: { contracts: readonly (LiveContract | undefined)[]; tools: readonly RegisteredTool[] } = {
    contracts: [],
    tools: [],
  };
  return async () => {
    const contracts = await Promise.all(
      connections.map(async (connection) => {
        const name = nameOf(connection);
        try {
          const contract = await watches.get(name)?.read();
          onListed(name, undefined);
          return contract;
        } catch (error) {
          onListed(name, error);
          return undefined;
        }
      }),
    );
    const isSame = contracts.every((contract, at) => contract === last.contracts[at]);
    if (isSame && contracts.length === last.contracts.length) return last.tools;
    const lists = connections.map(async (connection, at) => {
      const own = locked.filter(({ server }) => server === nameOf(connection));
      const contract = contracts[at];
      return contract === undefined ? own : admit(own, connection, contract);
    });
    last.tools = (await Promise.all(lists)).flat();
    last.contracts = contracts;
    return last.tools;
  };
}

function nameOf(connection: ConnectedTools): string {
  return originOf(connection)?.server.name ?? "";
}

async function admit(
  locked: readonly RegisteredTool[],
  connection: ConnectedTools,
  contract: LiveContract,
): Promise<readonly RegisteredTool[]> {
  const kept = new Map<string, RegisteredTool>();
  for (const tool of locked) {
    const name = ownNameOf(tool);
    if ((await contract.findBreaks(name)).length === 0) kept.set(name, tool);
  }
  const source = resolveSource(connection, originOf(connection)?.options.environment);
  const { tools, abilities = {}, unusable } = contract.snapshot;
  const isThrough = (contract.snapshot.wordpress?.route ?? "tools") !== "tools";
  return tools.flatMap((tool) => {
    const same = kept.get(tool.name);
    if (same !== undefined || source === undefined) return same ?? [];
    const ability = isThrough ? getOwn(abilities, tool.name)?.definition : undefined;
    const defined = defineLiveTool(source.definition, {
      tool,
      unusable: getOwn(unusable, tool.name),
      ...(ability && { ability }),
    });
    if ("reason" in defined) return [];
    const { name } = source.definition;
    const registered = registerTool(source.bind(defined), joinToolName(name, tool.name), name);
    return [{ ...registered, ...unlockedIn(originOf(connection)?.options.environment, source.definition) }];
  });
}

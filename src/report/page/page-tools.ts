import { describeTool, readStatedEffect } from "../../core/snapshot.js";
import { ENTRY_LIST_NAMES } from "../../core/entries.js";
import { byCodeUnit, findText, getOwn } from "../../core/json.js";
import type { LockedTool, Lockfile } from "../../core/lockfile.js";
import { estimateTokens, sumTokens } from "../../core/model-schema.js";
import { deriveCategory } from "../../core/words/derive-category.js";
import { present } from "../layout.js";
import type { PageServer, PageTool } from "./page-data.js";

/** Returns the servers of a lock, by name. */
export function describeServers(lock: Lockfile): readonly PageServer[] {
  return sortedEntries(lock.servers).map(([name, server]) => {
    const { serverInfo, protocolVersion, instructions } = server.identity;
    const identity = present(findText(serverInfo, "name"), findText(serverInfo, "version"));
    return {
      name,
      contract: server.contract,
      identity: identity.length > 0 ? identity.join(" ") : undefined,
      protocol: protocolVersion === "" ? undefined : protocolVersion,
      instructions,
      ...sumTokens(server),
      entries: ENTRY_LIST_NAMES.flatMap((list) => {
        const ids = Object.keys(server[list] ?? {});
        return ids.length === 0 ? [] : [{ list, ids }];
      }),
    };
  });
}

/** Returns the tools of a lock, by server and name. */
export function describePageTools(lock: Lockfile): readonly PageTool[] {
  return sortedEntries(lock.servers).flatMap(([server, { tools }]) =>
    sortedEntries(tools).map(([name, tool]) => describePageTool(server, name, tool)),
  );
}

function sortedEntries<T>(byName: Readonly<Record<string, T>>): readonly (readonly [string, T])[] {
  return Object.entries(byName).sort(([a], [b]) => byCodeUnit(a, b));
}

function describePageTool(server: string, name: string, tool: LockedTool): PageTool {
  const { definition, unusable, ability } = tool;
  const words = describeTool(definition);
  // The plugin is the folder below `plugins`, where the file has one.
  const plugin = /(?:^|\/)plugins\/([^/]+)\//.exec(ability?.file ?? "")?.[1];
  return {
    server,
    name,
    title: words.title,
    description: words.description ?? "",
    category: tool.category ?? deriveCategory(name) ?? "uncategorized",
    tokens: tool.tokens ?? estimateTokens(definition),
    isEstimate: tool.tokens === undefined,
    effect: readStatedEffect(words.annotations),
    unusable,
    input: getOwn(definition, "inputSchema") ?? {},
    output: getOwn(definition, "outputSchema"),
    ability: ability && { name: ability.definition.name, plugin, file: ability.file },
  };
}

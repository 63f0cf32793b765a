import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AbilitySnapshot } from "../../src/core/ability.js";
import { configuredCategory } from "../../src/config/match-tools.js";
import type { Config } from "../../src/config/config.js";
import { ENTRY_LISTS, mapLists, type EntryList } from "../../src/core/entries.js";
import type { JsonObject } from "../../src/core/json.js";
import { digestOf } from "../../src/core/digest.js";
import type { LockedEntry, LockedServer, Lockfile } from "../../src/core/lockfile.js";
import { lockServer } from "../../src/core/lock-server.js";
import type { ServerSnapshot, ToolSnapshot } from "../../src/core/snapshot.js";
import type { FormatOptions } from "../../src/emit/format-text.js";
import { projectAbility } from "../../src/client/listing/wordpress/project-ability.js";

export const GOLDEN: string = fileURLToPath(new URL("../golden/", import.meta.url));

/** One golden file: a configuration and its servers' tools. A tool given only by name accepts any object. */
interface Fixture {
  readonly config: Config;
  readonly format?: FormatOptions;
  readonly servers: { readonly [server: string]: readonly (ToolSnapshot | string)[] };
  /** Abilities that are called through the WordPress adapter's default server, by server. */
  readonly abilities?: { readonly [server: string]: readonly AbilitySnapshot[] };
  /** What servers list besides tools. */
  readonly entries?: { readonly [server: string]: EntryLists };
}

type EntryLists = { readonly [List in EntryList]?: readonly JsonObject[] };

export interface Case {
  readonly name: string;
  /** The text of the fixture. */
  readonly source: string;
  readonly config: Config;
  readonly format: FormatOptions;
  readonly lock: Lockfile;
}

/** Every fixture of test/golden. */
export function readCases(): readonly Case[] {
  return readdirSync(GOLDEN)
    .filter((entry) => entry.endsWith(".json") && !/^(revision|tsconfig)\b/.test(entry))
    .sort()
    .map((entry) => {
      const source = readFileSync(join(GOLDEN, entry), "utf8");
      const { config, format = {}, servers, abilities = {}, entries = {} } = JSON.parse(source) as Fixture;
      const lock = lockOf(config, servers, entries);
      const wordpress = Object.entries(abilities).map(([name, list]) => [name, lockAbilities(list)] as const);
      return {
        name: entry.replace(/\.json$/, ""),
        source,
        config,
        format,
        lock: { ...lock, servers: { ...lock.servers, ...Object.fromEntries(wordpress) } },
      };
    });
}

export function lockAbilities(abilities: readonly AbilitySnapshot[]): LockedServer {
  const projected = abilities.flatMap((ability) => {
    const projection = projectAbility(ability, "0.4");
    return "tool" in projection ? [{ ability, tool: projection.tool }] : [];
  });
  const snapshot: ServerSnapshot = {
    server: "wordpress",
    identity: { serverInfo: { name: "WordPress" }, protocolVersion: "2025-11-25", capabilities: {} },
    listing: { clientCapabilities: {}, pages: 1 },
    wordpress: { profile: "0.4", route: "execute" },
    tools: projected.map(({ tool }) => tool),
    abilities: Object.fromEntries(projected.map(({ ability, tool }) => [tool.name, { definition: ability }])),
    unusable: {},
    diagnostics: [],
  };
  return lockServer(snapshot, undefined, { contract: "1.0.0", categoryOf: () => undefined });
}

/** A lock as `pull` would write it for servers that list these tools. */
export function lockOf(
  config: Config,
  servers: { readonly [server: string]: readonly (ToolSnapshot | string)[] },
  entries: { readonly [server: string]: EntryLists } = {},
): Lockfile {
  const locked = Object.entries(servers).map(([server, tools]): [string, LockedServer] => [
    server,
    {
      contract: "1.0.0",
      identity: {
        serverInfo: { name: server, version: "1" },
        protocolVersion: "2025-11-25",
        capabilities: {},
      },
      listing: { clientCapabilities: {}, pages: 1 },
      tools: Object.fromEntries(
        tools.map((tool) => {
          const definition =
            typeof tool === "string" ? { name: tool, inputSchema: { type: "object" } } : tool;
          const settings = config.servers[server];
          const category = settings === undefined ? undefined : configuredCategory(settings, definition.name);
          return [
            definition.name,
            { digest: digestOf(definition), ...(category !== undefined && { category }), definition },
          ];
        }),
      ),
      ...mapLists(entries[server] ?? {}, (list, name) =>
        Object.fromEntries(
          list.flatMap((definition): readonly [string, LockedEntry][] => {
            const id = definition[ENTRY_LISTS[name].id];
            return typeof id === "string" ? [[id, { digest: digestOf(definition), definition }]] : [];
          }),
        ),
      ),
    },
  ]);
  return { lockfileVersion: 1, servers: Object.fromEntries(locked) };
}

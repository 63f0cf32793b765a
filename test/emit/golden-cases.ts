import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { categoryOf } from "../../src/config/category-of.js";
import type { Config } from "../../src/config/config.js";
import { digestOf } from "../../src/contract/digest.js";
import type { LockedServer, Lockfile } from "../../src/contract/lockfile.js";
import type { ToolSnapshot } from "../../src/contract/snapshot.js";
import type { FormatOptions } from "../../src/emit/format-text.js";

export const GOLDEN: string = fileURLToPath(new URL("../golden/", import.meta.url));

/** One golden file: a configuration and what its servers list. A tool that is a bare name takes any object. */
interface Fixture {
  readonly config: Config;
  readonly format?: FormatOptions;
  readonly servers: { readonly [server: string]: readonly (ToolSnapshot | string)[] };
}

export interface Case {
  readonly name: string;
  /** The fixture as it stands on disk. */
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
      const { config, format = {}, servers } = JSON.parse(source) as Fixture;
      return { name: entry.replace(/\.json$/, ""), source, config, format, lock: lockOf(config, servers) };
    });
}

/** A lock as `pull` would write it for servers that list these tools. */
export function lockOf(
  config: Config,
  servers: { readonly [server: string]: readonly (ToolSnapshot | string)[] },
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
          const category = settings === undefined ? undefined : categoryOf(settings, definition.name);
          return [
            definition.name,
            { digest: digestOf(definition), ...(category !== undefined && { category }), definition },
          ];
        }),
      ),
    },
  ]);
  return { lockfileVersion: 1, servers: Object.fromEntries(locked) };
}

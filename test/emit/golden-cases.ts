import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AbilitySnapshot } from "../../src/core/ability.js";
import { configuredCategory } from "../../src/config/match-tools.js";
import type { Config } from "../../src/config/config.js";
import { ENTRY_LISTS, mapLists, type EntryList } from "../../src/core/entries.js";
import type { JsonObject } from "../../src/core/json.js";
import { digestOf } from "../../src/core/digest.js";
import type { LockedEntry, LockedServer, Lockfile } from "../../src/core/lockfile.js";
import { lockServer } from "../../src/core/lock-server.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import type { GeneratedFile } from "../../src/core/generated-file.js";
import { emitFiles } from "../../src/emit/emit.js";
import { type FormatOptions, loadOxfmt } from "../../src/emit/format-text.js";
import { projectAbility } from "../../src/client/listing/wordpress/project-ability.js";
import { OPTIONS, snapshotOf } from "../core/locks.js";
import { DIGESTED_FIXTURES } from "./golden-fixtures.js";

export const GOLDEN: string = fileURLToPath(new URL("../golden/", import.meta.url));

/** One golden file: a configuration and its servers' tools. A tool given only by name accepts any object. */
export interface Fixture {
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

/** Odd schemas as those of answers, and a tool for each hostile text. */
const FIXTURES: Readonly<Record<string, Fixture>> = {
  ...DIGESTED_FIXTURES,
  answers: answersFixture(DIGESTED_FIXTURES.schemas),
  texts: textsFixture(),
};
export const DIGESTED: readonly string[] = Object.keys(FIXTURES);

/** Every fixture of test/golden, and those without golden files. */
export function readCases(): readonly Case[] {
  const names = readdirSync(GOLDEN).filter(
    (entry) => entry.endsWith(".json") && !/^(revision|tsconfig)\b/.test(entry),
  );
  const sources = new Map(names.map((entry) => [entry, readFileSync(join(GOLDEN, entry), "utf8")]));
  for (const [name, fixture] of Object.entries(FIXTURES))
    sources.set(`${name}.json`, JSON.stringify(fixture));
  return [...sources]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([entry, source]) => {
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

/** The same schemas as a fixture has for inputs, for outputs. */
function answersFixture({ config, servers }: Fixture): Fixture {
  const answering = (tool: ToolSnapshot | string): ToolSnapshot | string =>
    typeof tool === "string"
      ? tool
      : { name: tool.name, inputSchema: { type: "object" }, outputSchema: tool["inputSchema"] ?? {} };
  return {
    config,
    servers: Object.fromEntries(Object.entries(servers).map(([name, tools]) => [name, tools.map(answering)])),
  };
}

/** Tools with a text in each place of a definition that has one. */
function textsFixture(): Fixture {
  const hostile = JSON.parse(
    readFileSync(new URL("../servers/hostile-texts.json", import.meta.url), "utf8"),
  ) as readonly string[];
  const directives = ["@ts-expect-error", "x\n@ts-ignore", "@internal\n@ts-expect-error"];
  return {
    config: { servers: { texts: { url: "https://example.com/*/`${URL}`\\\u2028" } } },
    servers: { texts: [...hostile, ...directives].map((text, index) => toolOf(`text-${index}`, text)) },
  };
}

function toolOf(name: string, text: string): ToolSnapshot {
  // A computed key, since "__proto__" is one of the texts.
  const keyed = (value: JsonObject): JsonObject => ({ [text]: value });
  return {
    name,
    title: text,
    description: text,
    inputSchema: {
      type: "object",
      description: text,
      properties: {
        ...keyed({ type: "string", description: text, default: text, pattern: "^" }),
        choice: { enum: [text, "other"] },
        fixed: { const: text },
        title: { type: "string", title: text },
      },
      required: [text],
    },
    outputSchema: {
      type: "object",
      properties: {
        ...keyed({ enum: [text] }),
        nested: { type: "object", title: text, properties: keyed({ type: "number", description: text }) },
      },
    },
  };
}

/** Returns the generated files of a case. */
export async function emitCase({ config, lock, format }: Case): Promise<readonly GeneratedFile[]> {
  const { files } = await emitFiles(lock, config, {
    prettierConfig: JSON.stringify(format),
    importExtension: config.importExtension ?? "js",
    format: () => loadOxfmt(format),
    isCurrent: () => false,
  });
  return files;
}

/** Writes files below a folder, each text after a change. */
export function writeFiles(
  folder: string,
  files: readonly GeneratedFile[],
  change = (text: string): string => text,
): void {
  for (const { path, text } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), change(text));
  }
}

/** Returns the generated files of all cases, each with a path below test/golden. */
export async function emitCases(): Promise<readonly GeneratedFile[]> {
  const outputs = await Promise.all(
    readCases().map(async (entry) =>
      (await emitCase(entry)).map((file) => ({ ...file, path: `${entry.name}/${file.path}` })),
    ),
  );
  return outputs.flat();
}

export function lockAbilities(abilities: readonly AbilitySnapshot[]): LockedServer {
  const projected = abilities.flatMap((ability) => {
    const projection = projectAbility(ability, "0.4");
    return "tool" in projection ? [{ ability, tool: projection.tool }] : [];
  });
  const snapshot = snapshotOf({
    server: "wordpress",
    wordpress: { profile: "0.4", route: "execute" },
    tools: projected.map(({ tool }) => tool),
    abilities: Object.fromEntries(projected.map(({ ability, tool }) => [tool.name, { definition: ability }])),
  });
  return lockServer(snapshot, undefined, OPTIONS);
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

/** Code for tools of real servers, and for abilities of real plugins, as tools and through the adapter's execute tool. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AdapterProfile } from "../../src/core/ability.js";
import type { JsonValue } from "../../src/core/json.js";
import type { LockedServer, Lockfile } from "../../src/core/lockfile.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import type { Emission } from "../../src/emit/emit.js";
import { validateTools } from "../../src/client/listing/validate-tools.js";
import {
  hasData,
  readAbilitySets,
  readServedTools,
  skipNote,
  WORDPRESS,
} from "../client/listing/wordpress/data.js";
import { dataFiles } from "../data/files.js";
import { emissionFolder } from "./emission-folder.js";
import { lockAbilities, lockOf } from "./golden-cases.js";
import { sample } from "../sample.js";

/** A program of all modules would take gigabytes, since every Zod schema is a separate type. */
const TOOLS_PER_PROGRAM = 250;

/** Returns the tools that a pull would lock: one of these servers lists a name twice. */
function readLists(): Lockfile {
  const entries = sample(dataFiles("tool-lists"), 6).map((path) => {
    const file = basename(path);
    const { tools: entries } = JSON.parse(readFileSync(path, "utf8")) as {
      readonly tools: readonly JsonValue[];
    };
    const { tools } = validateTools(file, [{ entries }]);
    return [`s_${file.replace(/\.json$/, "").replace(/\W+/g, "_")}`, tools] as const;
  });
  return lockOf({ servers: {} }, Object.fromEntries(entries));
}

/** The servers of a lock in groups for a program each. */
function groupsOf({ servers }: Lockfile): readonly (readonly string[])[] {
  const groups: { names: string[]; tools: number }[] = [];
  for (const [name, server] of Object.entries(servers)) {
    const { length } = Object.keys(server.tools);
    const last = groups.at(-1);
    if (last === undefined || last.tools + length > TOOLS_PER_PROGRAM)
      groups.push({ names: [name], tools: length });
    else {
      last.names.push(name);
      last.tools += length;
    }
  }
  return groups.map(({ names }) => names);
}

const ADAPTERS = [
  ["0.4", "tools-adapter-0.4.1", "transcript-adapter-041.txt"],
  ["0.5", "tools-adapter-0.5.0", "transcript-adapter-050.txt"],
] as const satisfies readonly (readonly [AdapterProfile, string, string])[];

function lockTools(profile: AdapterProfile, tools: readonly ToolSnapshot[]): LockedServer {
  const { servers } = lockOf({ servers: {} }, { wordpress: tools });
  const [server] = Object.values(servers);
  if (server === undefined) throw new Error("There is no server.");
  return { ...server, wordpress: { profile, route: "tools" } };
}

/** Returns the complete tools of a transcript, one per line. */
function readTranscript(file: string): readonly ToolSnapshot[] {
  const lines = readFileSync(join(WORDPRESS, file), "utf8").split("\n");
  return lines.flatMap((line) => {
    if (!line.startsWith('{"name"')) return [];
    try {
      return [JSON.parse(line) as ToolSnapshot];
    } catch {
      // Some lines are truncated.
      return [];
    }
  });
}

function readWordPress(): Lockfile {
  const abilities = readAbilitySets().map((set, at) => [`abilities_${at}`, lockAbilities(set)] as const);
  const served = ADAPTERS.flatMap(([profile, folder, transcript]) => {
    const lists = readdirSync(join(WORDPRESS, folder)).map((file) => [
      ...readServedTools(join(folder, file)).values(),
    ]);
    return [...lists, readTranscript(transcript)].map(
      (tools, at) => [`served_${profile.replace(".", "")}_${at}`, lockTools(profile, tools)] as const,
    );
  });
  return { lockfileVersion: 1, servers: Object.fromEntries([...abilities, ...served]) };
}

const generatesModules = (
  cache: string,
  read: () => Lockfile,
  groups: readonly (readonly string[])[],
  least: number,
): void => {
  const generated = emissionFolder(cache);
  let emission: Emission;
  let tools: number;

  beforeAll(async () => {
    const lock = read();
    tools = Object.values(lock.servers).flatMap((server) => Object.keys(server.tools)).length;
    emission = await generated.emit(lock);
  });

  afterAll(() => {
    generated.remove();
  });

  it("generate a module for every tool", () => {
    expect(tools).toBeGreaterThan(least);
    expect(emission.diagnostics.filter(({ code }) => code === "TOOL_UNUSABLE")).toEqual([]);
    const modules = emission.files.filter(({ path }) => !/(?:^|\/)(?:index|schemas|server)\.ts$/.test(path));
    expect(modules).toHaveLength(tools);
  });

  it.each(groups.map((names) => ({ names })))(
    "compile under the strictest flags: $names.0 and others",
    ({ names }) => {
      expect(generated.compile(names)).toBe("");
    },
  );
};

describe("published tool lists", () => {
  generatesModules("mcp-codegen-tool-lists", readLists, groupsOf(readLists()), 0);
});

describe.skipIf(!hasData)(`the abilities of real plugins${skipNote}`, () => {
  const groups = ["abilities_*", "served_04_*", "served_05_*"].map((names) => [names]);
  generatesModules("mcp-codegen-wordpress-tools", readWordPress, groups, 600);
});

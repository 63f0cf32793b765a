/** Abilities of real plugins, as tools and through the adapter's execute tool. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AdapterProfile } from "../../src/core/ability.js";
import type { LockedServer, Lockfile } from "../../src/core/lockfile.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import type { Emission } from "../../src/emit/emit.js";
import {
  hasData,
  readAbilitySets,
  readServedTools,
  skipNote,
  WORDPRESS,
} from "../client/listing/wordpress/data.js";
import { emissionFolder } from "./emission-folder.js";
import { lockAbilities, lockOf } from "./golden-cases.js";

const generated = emissionFolder("mcp-codegen-wordpress-tools");

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

function readLock(): Lockfile {
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

describe.skipIf(!hasData)(`the abilities of real plugins${skipNote}`, () => {
  let emission: Emission;
  let tools: number;

  beforeAll(async () => {
    const lock = readLock();
    tools = Object.values(lock.servers).flatMap((server) => Object.keys(server.tools)).length;
    emission = await generated.emit(lock);
  }, 300_000);

  afterAll(() => {
    generated.remove();
  });

  it("generate a module for every tool", () => {
    expect(tools).toBeGreaterThan(600);
    expect(emission.diagnostics.filter(({ code }) => code === "TOOL_UNUSABLE")).toEqual([]);
    const modules = emission.files.filter(({ path }) => !/(?:^|\/)(?:index|schemas|server)\.ts$/.test(path));
    expect(modules).toHaveLength(tools);
  });

  it.each(["abilities_*", "served_04_*", "served_05_*"])(
    "compile under the strictest flags: %s",
    (names) => {
      expect(generated.compile([names])).toBe("");
    },
    300_000,
  );
});

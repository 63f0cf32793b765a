/** The abilities of real plugins, as adapters serve them and as they are called through the execute tool. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AdapterProfile } from "../../src/contract/ability.js";
import type { Config } from "../../src/config/config.js";
import type { LockedServer, Lockfile } from "../../src/contract/lockfile.js";
import type { ToolSnapshot } from "../../src/contract/snapshot.js";
import { emitFiles, type Emission } from "../../src/emit/emit.js";
import { hasData, readAbilitySets, readServedTools, skipNote, WORDPRESS } from "../sources/wordpress/data.js";
import { lockAbilities, lockOf } from "./golden-cases.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Below node_modules, so that the modules find zod, and version control does not find them. */
const output = join(root, "node_modules/.cache/mcp-codegen-wordpress-tools");

const CONFIG: Config = { servers: {} };
const ADAPTERS = [
  ["0.4", "tools-adapter-0.4.1", "transcript-adapter-041.txt"],
  ["0.5", "tools-adapter-0.5.0", "transcript-adapter-050.txt"],
] as const satisfies readonly (readonly [AdapterProfile, string, string])[];

function lockTools(profile: AdapterProfile, tools: readonly ToolSnapshot[]): LockedServer {
  const { servers } = lockOf(CONFIG, { wordpress: tools });
  const [server] = Object.values(servers);
  if (server === undefined) throw new Error("There is no server.");
  return { ...server, wordpress: { profile, route: "tools" } };
}

/** The tools that a transcript shows in full, one a line. */
function readTranscript(file: string): readonly ToolSnapshot[] {
  const lines = readFileSync(join(WORDPRESS, file), "utf8").split("\n");
  return lines.flatMap((line) => {
    if (!line.startsWith('{"name"')) return [];
    try {
      return [JSON.parse(line) as ToolSnapshot];
    } catch {
      // Some are cut off.
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
    emission = await emitFiles(lock, CONFIG, {
      prettierConfig: "",
      importExtension: "js",
      format: () => ({}),
      isCurrent: () => false,
    });
    rmSync(output, { recursive: true, force: true });
    for (const { path, text } of emission.files) {
      mkdirSync(dirname(join(output, path)), { recursive: true });
      writeFileSync(join(output, path), text);
    }
  }, 300_000);

  afterAll(() => {
    rmSync(output, { recursive: true, force: true });
  });

  it("give a module for every tool", () => {
    expect(tools).toBeGreaterThan(600);
    expect(emission.diagnostics.filter(({ code }) => code === "TOOL_UNUSABLE")).toEqual([]);
    expect(emission.tools).toHaveLength(tools);
  });

  it.each(["abilities_*", "served_04_*", "served_05_*"])(
    "compile under the strictest flags: %s",
    (names) => {
      const tsconfig = join(output, "tsconfig.json");
      const settings = {
        extends: join(root, "test/golden/tsconfig.json"),
        compilerOptions: {
          exactOptionalPropertyTypes: true,
          skipLibCheck: true,
          paths: { "mcp-codegen/runtime": [join(root, "dist/runtime/index.d.ts")] },
        },
        include: [`${names}/**/*.ts`],
        exclude: [],
      };
      writeFileSync(tsconfig, JSON.stringify(settings));
      const args = [join(root, "node_modules/typescript-7/bin/tsc"), "-p", tsconfig, "--pretty", "false"];
      const { stdout, status } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 1e9 });
      expect(stdout.slice(0, 5000)).toBe("");
      expect(status).toBe(0);
    },
    300_000,
  );
});

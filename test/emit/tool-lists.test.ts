import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Config } from "../../src/config/config.js";
import type { JsonValue } from "../../src/contract/json.js";
import type { ToolSnapshot } from "../../src/contract/snapshot.js";
import { emitFiles, type Emission } from "../../src/emit/emit.js";
import { judgeTools } from "../../src/sources/mcp/judge-tools.js";
import { lockOf } from "./golden-cases.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const lists = join(root, "../shared/data/tool-lists");
const hasLists = existsSync(lists);
const skipped = hasLists ? "" : " (skipped: ../shared/data/tool-lists is not there)";

/** As a user sees the runtime: its declarations. */
const PATHS = { "mcp-codegen/runtime": [join(root, "dist/runtime/index.d.ts")] };

/** Below node_modules, so that the modules find zod, and version control does not find them. */
const output = join(root, "node_modules/.cache/mcp-codegen-tool-lists");

/** A program of all modules would take gigabytes: every schema is a type of its own to Zod. */
const TOOLS_PER_PROGRAM = 250;

interface ToolList {
  readonly tools: readonly JsonValue[];
}

/** The tools that a pull would lock: one of these servers lists two of one name. */
function readLists(): { readonly [server: string]: readonly ToolSnapshot[] } {
  const entries = readdirSync(lists).map((file) => {
    const { tools: entries } = JSON.parse(readFileSync(join(lists, file), "utf8")) as ToolList;
    const { tools } = judgeTools(file, [{ entries, at: ["tools"] }]);
    return [`s_${file.replace(/\.json$/, "").replace(/\W+/g, "_")}`, tools] as const;
  });
  return Object.fromEntries(entries);
}

describe.skipIf(!hasLists)(`the tool lists of public servers${skipped}`, () => {
  let emission: Emission;
  let servers: ReturnType<typeof readLists>;

  beforeAll(async () => {
    servers = readLists();
    const config: Config = { servers: {} };
    emission = await emitFiles(lockOf(config, servers), config, {
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
    expect(emission.diagnostics.filter(({ code }) => code === "TOOL_UNUSABLE")).toEqual([]);
    const tools = Object.values(servers).flat().length;
    expect(emission.files).toHaveLength(tools + 2 * Object.keys(servers).length + 1);
  });

  it.each(hasLists ? groupsOf(readLists()) : [])(
    "compile under the strictest flags: $first and $rest others",
    ({ names }) => {
      const tsconfig = join(output, "tsconfig.json");
      const settings = {
        extends: join(root, "test/golden/tsconfig.json"),
        // Declarations of packages are checked with the golden files, once.
        compilerOptions: { exactOptionalPropertyTypes: true, skipLibCheck: true, paths: PATHS },
        include: names.map((name) => `${name}/**/*.ts`),
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

function groupsOf(servers: ReturnType<typeof readLists>): readonly Group[] {
  const groups: { names: string[]; tools: number }[] = [];
  for (const [name, { length }] of Object.entries(servers)) {
    const last = groups.at(-1);
    if (last === undefined || last.tools + length > TOOLS_PER_PROGRAM)
      groups.push({ names: [name], tools: length });
    else {
      last.names.push(name);
      last.tools += length;
    }
  }
  return groups.map(({ names }) => ({ names, first: names[0] ?? "", rest: names.length - 1 }));
}

interface Group {
  readonly names: readonly string[];
  readonly first: string;
  readonly rest: number;
}

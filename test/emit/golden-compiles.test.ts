import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dropUnusedDefinitions } from "../../src/core/show-schema.js";
import { isJsonObject } from "../../src/core/json.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import { outlineOf } from "../../src/core/lock-server.js";
import { planFiles } from "../../src/emit/plan-files.js";
import { isSample, sample } from "../sample.js";
import { withCheck } from "./emission-folder.js";
import { DIGESTED, emitCase, GOLDEN, readCases, writeFiles } from "./golden-cases.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const COMPILERS = [
  ["5.9", "node_modules/typescript-5.9/bin/tsc"],
  ["6", "node_modules/typescript/bin/tsc"],
  ["7", "node_modules/typescript-7/bin/tsc"],
] as const;

/**
 * The flags that differ most between users; all others are in the golden files' own tsconfig. Each compiler checks the
 * declarations of packages. The native one is fast, so it checks them under all flags, and its own as well.
 */
const PROJECTS = [
  ["nodenext, exact optional properties", "tsconfig.json", "true", "--skipDefaultLibCheck"],
  ["bundler, inexact optional properties", "tsconfig.bundler.json", "false", "--skipLibCheck"],
] as const;

/** In a sample, each compiler in JavaScript has flags of its own: it takes ten times as long as the native one. */
const COMPILATIONS = COMPILERS.flatMap(([version, bin], at) =>
  PROJECTS.filter((_, of) => !isSample || version === "7" || of === at).map(
    ([flags, project, exact, skips]) => ({
      ...{ version, bin, flags, project, exact },
      libraries: version === "7" ? ["--singleThreaded"] : [skips],
    }),
  ),
);

/** Creates a project with a copy of generated files, and with these packages. */
function createProject(
  packages: readonly string[],
  from: string,
  change = (text: string): string => text,
): string {
  const folder = mkdtempSync(join(tmpdir(), "mcp-codegen-golden-"));
  folders.push(folder);
  mkdirSync(join(folder, "node_modules"));
  for (const name of packages)
    symlinkSync(
      name === "mcp-codegen" ? ROOT : join(ROOT, "node_modules", name),
      join(folder, "node_modules", name),
      "junction",
    );
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  cpSync(join(GOLDEN, from), join(folder, from), { recursive: true });
  // Not what the links in node_modules lead to: other tests write there.
  for (const path of readdirSync(join(GOLDEN, from), { recursive: true, encoding: "utf8" })) {
    const file = join(folder, from, path);
    if (path.endsWith(".ts")) writeFileSync(file, change(readFileSync(file, "utf8")));
  }
  return folder;
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function runCompiler(bin: string, cwd: string, ...args: readonly string[]) {
  // With more space for short-lived objects, compilers in JavaScript collect garbage less often.
  const command = ["--max-semi-space-size=64", join(ROOT, bin), "--pretty", "false", ...args];
  const { stdout, status } = spawnSync(process.execPath, command, { cwd, encoding: "utf8" });
  return { stdout, status };
}

const FLAGS = "--strict --noEmit --module nodenext --lib es2023 --target es2023 --skipLibCheck".split(" ");
/** Uses generated code that has the directive. */
const USER = `
import { connect, create, CreateInput } from "./generated/posts/index.js";
create({ title: 1 }).catch(() => undefined);
connect().create.safe({ title: "a", titel: "b" }).catch(() => undefined);
const input: number = CreateInput.parse({});
export { nothing } from "./generated/posts/index.js";
export { input };
`;

describe("golden files", () => {
  let unchecked = "";
  beforeAll(async () => {
    unchecked = createProject(["mcp-codegen", "zod"], "", withCheck);
    cpSync(join(GOLDEN, "posts/posts"), join(unchecked, "user/generated/posts"), { recursive: true });
    writeFileSync(join(unchecked, "user/user.ts"), USER);
    for (const entry of readCases()) {
      if (!DIGESTED.includes(entry.name)) continue;
      writeFiles(join(unchecked, entry.name), await emitCase(entry), withCheck);
    }
  });

  it.each(COMPILATIONS)(
    "compile under TypeScript $version, $flags, without the directive that skips them, and leave errors in code that uses them",
    ({ bin, project, exact, libraries }) => {
      const args = ["-p", project, "--exactOptionalPropertyTypes", exact, ...libraries];
      const { stdout } = runCompiler(bin, unchecked, ...args);
      const errors = stdout.split("\n").filter((line) => /^(?! ).*\berror TS/u.test(line));
      const places = errors.map((line) => line.replace(/,\d+\): error.*$/u, ""));
      expect(places, stdout).toEqual([3, 4, 5, 6].map((line) => `user/user.ts(${line}`));
    },
  );

  it.each(sample(COMPILERS, 2))("do not compile without Zod, under TypeScript %s", (_version, bin) => {
    const folder = createProject(["mcp-codegen"], "posts");
    writeFileSync(join(folder, "user.ts"), 'export { ping } from "./posts/posts/ping.js";\n');
    const { stdout } = runCompiler(bin, folder, ...FLAGS, "user.ts");
    expect(stdout).toMatch(/^posts\/posts\/server\.ts\(.*Cannot find module 'zod'/mu);
  });

  it.each(readCases())(
    "of $name load, run no text of a server, and contain its definitions unchanged, without unused ones",
    async (entry) => {
      const { lock, config, name } = entry;
      const { files } = planFiles(outlineOf(lock), config, { prettierConfig: "", importExtension: "js" });
      for (const { path, task } of files) {
        const file = join(DIGESTED.includes(name) ? unchecked : GOLDEN, name, path);
        // A tool with an unreadable schema has no file; the golden files show which ones.
        if (task.kind !== "tool" || !existsSync(file)) continue;
        const locked = lock.servers[task.server]?.tools[task.names.tool];
        if (locked === undefined) throw new Error(`"${task.names.tool}" is not locked.`);
        const module: unknown = await import(pathToFileURL(file).href);
        expect(definitionIn(module, task.names.wrapper)).toEqual(asDefined(locked.definition));
      }
      expect("pwned" in globalThis).toBe(false);
    },
  );
});

function definitionIn(module: unknown, wrapper: string): unknown {
  const tool: unknown =
    typeof module === "object" && module !== null ? Reflect.get(module, wrapper) : undefined;
  if (typeof tool !== "function" || !("definition" in tool) || !isDefinition(tool.definition))
    throw new Error(`There is no tool "${wrapper}".`);
  const { name, description, inputSchema } = tool.definition;
  return { name, description, inputSchema: JSON.stringify(inputSchema()) };
}

interface Definition {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: () => unknown;
}

function isDefinition(value: unknown): value is Definition {
  return typeof value === "object" && value !== null && "inputSchema" in value;
}

function asDefined({ name, description, inputSchema }: ToolSnapshot): unknown {
  const text = typeof description === "string" && description.trim() !== "" ? description : undefined;
  return {
    name,
    description: text,
    inputSchema: JSON.stringify(isJsonObject(inputSchema) ? dropUnusedDefinitions(inputSchema) : {}),
  };
}

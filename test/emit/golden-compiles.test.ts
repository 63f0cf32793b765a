import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { dropUnusedDefinitions } from "../../src/core/show-schema.js";
import { isJsonObject } from "../../src/core/json.js";
import type { ToolSnapshot } from "../../src/core/snapshot.js";
import { outlineOf } from "../../src/core/lock-outline.js";
import { planFiles } from "../../src/emit/plan-files.js";
import { GOLDEN, readCases } from "./golden-cases.js";

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

const COMPILATIONS = COMPILERS.flatMap(([version, bin]) =>
  PROJECTS.map(([flags, project, exact, skips]) => ({
    ...{ version, bin, flags, project, exact },
    libraries: version === "7" ? ["--singleThreaded"] : [skips],
  })),
);

describe("golden files", () => {
  it.each(COMPILATIONS)(
    "compile under TypeScript $version, $flags",
    ({ bin, project, exact, libraries }) => {
      const args = [
        bin,
        "-p",
        join(GOLDEN, project),
        "--exactOptionalPropertyTypes",
        exact,
        "--pretty",
        "false",
        ...libraries,
      ];
      const { stdout, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
      expect(stdout).toBe("");
      expect(status).toBe(0);
    },
    120_000,
  );

  it.each(readCases())(
    "of $name load, run no text of a server, and contain its definitions unchanged, without unused ones",
    async (entry) => {
      const { lock, config, name } = entry;
      const { files } = planFiles(outlineOf(lock), config, { prettierConfig: "", importExtension: "js" });
      for (const { path, task } of files) {
        const file = join(GOLDEN, name, path);
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

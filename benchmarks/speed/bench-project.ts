import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { digestOf } from "../../src/core/digest.js";
import { LOCKFILE_NAME } from "../../src/core/lockfile.js";
import type { JsonValue } from "../../src/core/json.js";
import type { BenchTool } from "./bench-tools.js";

export const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));
export const BIN: string = join(ROOT, "bin/mcp-codegen.js");

/** Creates a project whose servers are saved tool lists, locked and generated. */
export interface BenchProject {
  readonly dir: string;
  /** Removes all generated files. */
  readonly removeGenerated: () => void;
  /** Changes the locked description of one tool, as a pull would. */
  readonly changeOneTool: () => void;
}

/** Tools with a security finding that `accept` does not name are left out. */
export function createProject(
  dir: string,
  servers: Readonly<Record<string, readonly BenchTool[]>>,
  configIn: "json" | "ts",
  accept: readonly string[] = [],
): BenchProject {
  mkdirSync(join(dir, "node_modules"), { recursive: true });
  symlinkSync(ROOT, join(dir, "node_modules/mcp-codegen"));
  symlinkSync(join(ROOT, "node_modules/zod"), join(dir, "node_modules/zod"));
  writeFileSync(join(dir, "package.json"), '{ "type": "module" }');
  for (const [name, tools] of Object.entries(servers)) {
    writeFileSync(join(dir, `${name}.json`), JSON.stringify({ tools }));
  }
  const files = Object.keys(servers).map((name) => [name, { file: `${name}.json` }]);
  const config = JSON.stringify({ output: "generated", servers: Object.fromEntries(files) as unknown });
  if (configIn === "json") writeFileSync(join(dir, "mcp-codegen.config.json"), config);
  else {
    const text = `import { defineConfig } from "mcp-codegen";\nexport default defineConfig(${config});\n`;
    writeFileSync(join(dir, "mcp-codegen.config.ts"), text);
  }
  const accepted = accept.flatMap((rule) => ["--accept", rule]);
  const reason = accept.length === 0 ? [] : ["--reason", "measured, never called"];
  // It exits 1 for tools that are held back.
  spawnSync(process.execPath, [BIN, "pull", "--no-frozen", ...accepted, ...reason], { cwd: dir });
  const lock = readLock(dir);
  for (const [name, tools] of Object.entries(servers)) {
    const locked = lock.servers[name]?.tools ?? {};
    const kept = tools.filter((tool) => Object.hasOwn(locked, tool.name));
    writeFileSync(join(dir, `${name}.json`), JSON.stringify({ tools: kept }));
  }

  let changes = 0;
  let removals = 0;
  return {
    dir,
    removeGenerated: () => {
      // Moved, since ext4 takes half a second to make a thousand files after as many were deleted.
      const generated = join(dir, "generated");
      if (existsSync(generated)) renameSync(generated, `${dir}-removed-${++removals}`);
    },
    changeOneTool: () => {
      const lock = readLock(dir);
      const tool = Object.values(Object.values(lock.servers)[0]?.tools ?? {})[0];
      if (!tool) throw new Error("The project has no locked tool.");
      tool.definition["description"] = `Changed ${++changes} times.`;
      tool.digest = digestOf(tool.definition);
      writeFileSync(join(dir, LOCKFILE_NAME), `${JSON.stringify(lock, null, 2)}\n`);
    },
  };
}

interface LockText {
  readonly servers: Record<
    string,
    { readonly tools: Record<string, { digest: string; definition: Record<string, JsonValue> }> }
  >;
}

function readLock(dir: string): LockText {
  return JSON.parse(readFileSync(join(dir, LOCKFILE_NAME), "utf8")) as LockText;
}

/** Compiles a server's generated folder to JavaScript without checking types, and returns the new folder. */
export function transpile(project: BenchProject, server: string): string {
  const from = join(project.dir, "generated", server);
  const to = join(project.dir, "out", server);
  mkdirSync(to, { recursive: true });
  for (const file of readdirSync(from)) {
    const { outputText } = ts.transpileModule(readFileSync(join(from, file), "utf8"), {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2023,
        verbatimModuleSyntax: true,
      },
    });
    writeFileSync(join(to, file.replace(/\.ts$/u, ".js")), outputText);
  }
  return to;
}

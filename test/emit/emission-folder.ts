import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Lockfile } from "../../src/core/lockfile.js";
import { emitFiles, type Emission } from "../../src/emit/emit.js";
import { loadOxfmt } from "../../src/emit/format-text.js";
import { writeFiles } from "./golden-cases.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Returns a generated module without the directive that makes tsc skip it. */
export function withCheck(text: string): string {
  return text.replace(/^\/\/ @ts-nocheck.*\n/mu, "");
}

/** A folder with code for real tools, compiled in parts: a program of all modules would take gigabytes. */
export interface EmissionFolder {
  /** Replaces the folder's content with the files of the lock. */
  readonly emit: (lock: Lockfile) => Promise<Emission>;
  /** Returns tsc's errors for the servers whose folders match these patterns, under the strictest flags. */
  readonly compile: (servers: readonly string[]) => string;
  readonly remove: () => void;
}

export function emissionFolder(name: string): EmissionFolder {
  // In node_modules, so that the modules resolve zod and git ignores them.
  const output = join(root, "node_modules/.cache", name);
  const remove = (): void => {
    rmSync(output, { recursive: true, force: true });
  };
  return {
    remove,
    emit: async (lock) => {
      const options = { prettierConfig: "", importExtension: "js", isCurrent: () => false } as const;
      const emission = await emitFiles(lock, { servers: {} }, { ...options, format: () => loadOxfmt({}) });
      remove();
      writeFiles(output, emission.files, withCheck);
      return emission;
    },
    compile: (servers) => {
      const tsconfig = join(output, "tsconfig.json");
      const settings = {
        extends: join(root, "test/golden/tsconfig.json"),
        compilerOptions: {
          exactOptionalPropertyTypes: true,
          // Declarations of packages are checked with the golden files, once.
          skipLibCheck: true,
          // Compile against the runtime's declarations, as users do.
          paths: {
            "mcp-codegen/runtime": [join(root, "dist/runtime/index.d.ts")],
            "mcp-codegen/codegen": [join(root, "dist/codegen.d.ts")],
          },
        },
        include: servers.map((server) => `${server}/**/*.ts`),
        exclude: [],
      };
      writeFileSync(tsconfig, JSON.stringify(settings));
      const tsc = join(root, "node_modules/typescript-7/bin/tsc");
      const args = [tsc, "-p", tsconfig, "--singleThreaded", "--pretty", "false"];
      const { stdout, status } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 1e9 });
      return status === 0 && stdout === "" ? "" : `tsc ended with ${status}: ${stdout.slice(0, 5000)}`;
    },
  };
}

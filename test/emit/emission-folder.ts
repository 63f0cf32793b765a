import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Lockfile } from "../../src/contract/lockfile.js";
import { emitFiles, type Emission } from "../../src/emit/emit.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A folder for what real tools give, to be compiled in parts: a program of all modules would take gigabytes. */
export interface EmissionFolder {
  /** Writes every file that the lock gives; what was there before is gone. */
  readonly emit: (lock: Lockfile) => Promise<Emission>;
  /** What tsc says of the servers whose folders fit these patterns, under the strictest flags; nothing where all is well. */
  readonly compile: (servers: readonly string[]) => string;
  readonly remove: () => void;
}

export function emissionFolder(name: string): EmissionFolder {
  // Below node_modules, so that the modules find zod, and version control does not find them.
  const output = join(root, "node_modules/.cache", name);
  const remove = (): void => {
    rmSync(output, { recursive: true, force: true });
  };
  return {
    remove,
    emit: async (lock) => {
      const emission = await emitFiles(
        lock,
        { servers: {} },
        {
          prettierConfig: "",
          importExtension: "js",
          format: () => ({ by: "oxfmt", options: {} }),
          isCurrent: () => false,
        },
      );
      remove();
      for (const { path, text } of emission.files) {
        mkdirSync(dirname(join(output, path)), { recursive: true });
        writeFileSync(join(output, path), text);
      }
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
          // As a user sees the runtime: its declarations.
          paths: {
            "mcp-codegen/runtime": [join(root, "dist/runtime/index.d.ts")],
            "mcp-codegen/codegen": [join(root, "dist/codegen.d.ts")],
          },
        },
        include: servers.map((server) => `${server}/**/*.ts`),
        exclude: [],
      };
      writeFileSync(tsconfig, JSON.stringify(settings));
      const args = [join(root, "node_modules/typescript-7/bin/tsc"), "-p", tsconfig, "--pretty", "false"];
      const { stdout, status } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 1e9 });
      return status === 0 && stdout === "" ? "" : `tsc ended with ${status}: ${stdout.slice(0, 5000)}`;
    },
  };
}

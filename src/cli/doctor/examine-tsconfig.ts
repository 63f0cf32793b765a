import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { findOwn, type JsonValue } from "../../contract/json.js";
import { findOwnTsconfig } from "../../impact/find-tsconfig.js";
import type { Diagnosis } from "../../report/diagnosis.js";

/** How TypeScript found modules before packages had `exports`. */
const OLD_RESOLUTIONS: readonly (JsonValue | undefined)[] = ["node", "node10", "classic"];
/** The values of `module` that decide how modules are found, in TypeScript 5. */
const DECIDING_MODULES: readonly (JsonValue | undefined)[] = [
  "node16",
  "node18",
  "node20",
  "nodenext",
  "preserve",
];

/** Whether the TypeScript project around the output folder resolves the imports of generated code; empty without one. */
export async function examineTsconfig(dir: string, output: string): Promise<readonly Diagnosis[]> {
  const path = findOwnTsconfig([output, dir]);
  const compiler = path === undefined ? undefined : findCompiler(dirname(path));
  if (path === undefined || compiler === undefined) return [];
  const name = relative(dir, path);
  const options = await showOptions(compiler.bin, path);
  if (options === undefined)
    return [
      {
        ...{ about: "tsconfig", status: "failed", message: `TypeScript cannot read "${name}".` },
        fix: `Run "npx tsc -p ${name} --showConfig".`,
      },
    ];
  // TypeScript 6 changed the defaults: strict, and the resolution of bundlers.
  const isOld = compiler.major < 6;
  const [module, resolution] = ["module", "moduleResolution"].map((key) => lower(findOwn(options, key)));
  const isLost =
    OLD_RESOLUTIONS.includes(resolution) ||
    (resolution === undefined && isOld && !DECIDING_MODULES.includes(module));
  if (isLost)
    return [
      {
        ...{ about: "tsconfig", status: "failed" },
        message: `"${name}" does not resolve "mcp-codegen/runtime", which generated code imports.`,
        fix: 'Set "module": "nodenext", or "moduleResolution": "bundler".',
      },
    ];
  const strict = findOwn(options, "strict");
  if (strict === false || (strict === undefined && isOld))
    return [
      {
        ...{ about: "tsconfig", status: "warning" },
        message: `"${name}" is not strict, so the compiler finds less of what a change breaks.`,
        fix: 'Set "strict": true.',
      },
    ];
  return [{ about: "tsconfig", status: "ok", message: `"${name}" resolves the imports of generated code.` }];
}

function lower(value: JsonValue | undefined): JsonValue | undefined {
  return typeof value === "string" ? value.toLowerCase() : value;
}

interface Compiler {
  readonly bin: string;
  readonly major: number;
}

/** The TypeScript that is installed for a folder. */
function findCompiler(folder: string): Compiler | undefined {
  const require = createRequire(join(folder, "index.js"));
  try {
    const manifest: unknown = require("typescript/package.json");
    const bin = join(dirname(require.resolve("typescript/package.json")), "bin/tsc");
    const version = findOwn(manifest, "version");
    return typeof version === "string" ? { bin, major: Number.parseInt(version, 10) } : undefined;
  } catch {
    return undefined;
  }
}

/** The options of a project, with those that it inherits; undefined if the compiler rejects its configuration. */
async function showOptions(bin: string, path: string): Promise<JsonValue | undefined> {
  const stdout = await new Promise<string>((resolve) => {
    execFile(process.execPath, [bin, "-p", path, "--showConfig"], (_error, text) => {
      resolve(text);
    });
  });
  try {
    return findOwn(JSON.parse(stdout), "compilerOptions") ?? {};
  } catch {
    return undefined;
  }
}

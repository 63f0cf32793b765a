/** A user's project with generated code: packages, compiler and Node. */
import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The newest and the oldest supported compiler according to the README. */
export const [NEWEST, OLDEST] = ["node_modules/typescript-7/bin/tsc", "node_modules/typescript-5.9/bin/tsc"];
export const COMPILERS = [["7", NEWEST] as const, ["5.9", OLDEST] as const];

/** Compiles the code in `src` beside generated code, under TypeScript 6 and 7. */
export const TSCONFIG = JSON.stringify({
  compilerOptions: {
    ...{ module: "nodenext", target: "es2023", strict: true, skipLibCheck: true },
    ...{ types: [], lib: ["es2023"] },
  },
  include: ["src"],
});

export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Links the packages of `npm install mcp-codegen zod`, and writes a package.json with type "module". */
export async function linkPackages(dir: string): Promise<void> {
  await mkdir(join(dir, "node_modules"));
  await symlink(ROOT, join(dir, "node_modules/mcp-codegen"), "junction");
  await symlink(join(ROOT, "node_modules/zod"), join(dir, "node_modules/zod"), "junction");
  await writeFile(join(dir, "package.json"), JSON.stringify({ private: true, type: "module" }));
}

/** Runs the real binary in a folder; `CI` is not set, since a pull is frozen there. */
export function runBinary(dir: string, argv: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return runNode(dir, [join(ROOT, "bin/mcp-codegen.js"), ...argv], env);
}

/** Compiles the project in `dir` with its tsconfig.json into its folder `out`. */
export function compile(dir: string, compiler: string, out: string): Promise<Ended> {
  // Threads of the native compiler check the same types twice, and other tests use the other cores.
  const threads = compiler.includes("typescript-7") ? ["--singleThreaded"] : [];
  return runNode(dir, [join(ROOT, compiler), "-p", ".", "--outDir", out, "--pretty", "false", ...threads]);
}

/** Compiles a program beside the generated code of a project, runs it, and returns the JSON that it prints. */
export async function runTypeScript(
  { dir }: { readonly dir: string },
  program: string,
  { compiler = NEWEST, env = {} }: { readonly compiler?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<unknown> {
  await linkPackages(dir);
  const compilerOptions = {
    ...{ target: "es2023", module: "nodenext", lib: ["es2023", "dom"], types: [], strict: true },
    ...{ exactOptionalPropertyTypes: true, rootDir: ".", skipLibCheck: true },
  };
  const include = ["program.ts", "generated/**/*.ts"];
  await writeFile(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
  await writeFile(join(dir, "program.ts"), program);
  const compiled = await compile(dir, compiler, "out");
  expect(compiled.stdout + compiled.stderr).toBe("");
  await writeFile(join(dir, "out/package.json"), '{ "type": "module" }');
  const { exitCode, stdout, stderr } = await runNode(dir, ["out/program.js"], env);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return JSON.parse(stdout);
}

export function runNode(dir: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const options = { cwd: dir, env: { ...process.env, CI: "", ...env }, maxBuffer: 1e8 };
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      resolve({ exitCode: typeof code === "number" ? code : -1, stdout, stderr });
    });
  });
}

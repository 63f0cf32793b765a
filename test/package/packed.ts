import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { cp, lstat, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end; never rejects because of an exit code. `CI` is not set unless `env` sets it. */
export async function runProgram(
  cwd: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const inherited = { ...process.env };
  delete inherited["CI"];
  return new Promise((resolve) => {
    const options = { cwd, env: { ...inherited, ...env }, maxBuffer: 64 * 1024 * 1024 };
    execFile(command, args, options, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ exitCode, stdout, stderr });
    });
  });
}

/** Runs a program that must succeed, and returns what it wrote to stdout. */
export async function runOrThrow(
  cwd: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { exitCode, stdout, stderr } = await runProgram(cwd, command, args, env);
  if (exitCode !== 0)
    throw new Error(`"${command} ${args.join(" ")}" exited ${exitCode}:\n${stdout}${stderr}`);
  return stdout;
}

/** Creates an empty folder outside the repository; `remove` deletes it. */
export async function createFolder(
  name: string,
): Promise<{ readonly path: string; readonly remove: () => void }> {
  const path = await mkdtemp(join(tmpdir(), `mcp-codegen-${name}-`));
  return {
    path,
    // For thousands of files, the asynchronous one takes three times as long.
    remove: () => {
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Packs the package as `npm publish` would, and returns the tarball's path. Requires the build. */
export async function packPackage(folder: string): Promise<string> {
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const [packed] = JSON.parse(await runOrThrow(ROOT, "npm", args)) as readonly {
    readonly filename: string;
  }[];
  if (packed === undefined) throw new Error("npm pack packed nothing.");
  return join(folder, packed.filename);
}

/** Creates a user's project in `folder` and runs `npm install` with `flags`. */
export async function installPackage(
  folder: string,
  tarball: string,
  packages: readonly string[],
  flags: readonly string[] = [],
): Promise<void> {
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ name: "user", private: true, type: "module" }),
  );
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await runOrThrow(folder, "npm", ["install", ...quiet, ...flags, tarball, ...packages]);
}

/** Returns the number of packages in `node_modules`, and the total size of their files in bytes. */
export async function weighInstall(
  folder: string,
): Promise<{ readonly packages: number; readonly bytes: number }> {
  const lock = JSON.parse(await readFile(join(folder, "node_modules/.package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, unknown>>;
  };
  return {
    packages: Object.keys(lock.packages).length,
    bytes: await weighFolder(join(folder, "node_modules")),
  };
}

/** Returns the total size of the files in a folder in bytes. */
export async function weighFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(entries.map((entry) => lstat(join(folder, entry))));
  return sizes.reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}

/** Copies a folder of the repository into a user's project. */
export async function copyFixture(from: string, to: string): Promise<void> {
  await cp(join(ROOT, from), to, { recursive: true });
}

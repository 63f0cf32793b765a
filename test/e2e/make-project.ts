import { rmSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { JsonObject } from "../../src/core/json.js";
import { type LockedServer, LOCKFILE_NAME } from "../../src/core/lockfile.js";
import { parseLockfile } from "../../src/core/lockfile-text.js";
import { Project as OpenedProject } from "../../src/project/project.js";
import { type CommandLine, runCommand, runJson, type Outcome } from "../cli/run-command.js";
import { complaints } from "../report/schemas.js";

type Text = string | RegExp;

export interface Project {
  readonly dir: string;
  readonly run: (line: CommandLine, env?: NodeJS.ProcessEnv) => Promise<Outcome>;
  /** Runs, and expects this exit code and these texts on stdout. */
  readonly prints: (line: CommandLine, exitCode: number, ...texts: readonly Text[]) => Promise<Outcome>;
  /** Runs, and expects exit code 2 and these texts on stderr. */
  readonly refuses: (line: CommandLine, ...texts: readonly Text[]) => Promise<Outcome>;
  /** The same folder, in which commands run with these variables. */
  readonly withEnv: (env: NodeJS.ProcessEnv) => Project;
  /** Runs with `--json`, validates the document against its published schema, and returns it. */
  readonly runJson: (line: CommandLine, env?: NodeJS.ProcessEnv) => ReturnType<typeof runJson>;
  /** Runs as {@link runJson}, and expects a document with these parts. */
  readonly reports: (line: CommandLine, parts: object) => ReturnType<typeof runJson>;
  /** Returns the files in the folder, posix, sorted. */
  readonly paths: () => Promise<readonly string[]>;
  /** Returns the text of every file by its path. */
  readonly files: () => Promise<{ readonly [path: string]: string }>;
  readonly read: (path: string) => Promise<string>;
  /** Returns the block of a server in the lock. */
  readonly locked: (server: string) => Promise<LockedServer>;
  /** Writes a file, and creates its folder. */
  readonly write: (path: string, text: string) => Promise<void>;
  readonly writeJson: (path: string, value: unknown) => Promise<void>;
  /** Writes the configuration. */
  readonly configure: (config: object) => Promise<void>;
}

export { LOCKFILE_NAME };

/** The example server. */
export const EXAMPLE = {
  command: "node",
  args: [join(import.meta.dirname, "../../bin/mcp-codegen.js"), "example-server"],
};

/** The project of a folder whose code is generated into `generated`. */
export function openAt(dir: string): OpenedProject {
  const config = { servers: {}, output: "generated" };
  return new OpenedProject({ config, dir, path: join(dir, "mcp-codegen.config.json") });
}

/** Creates an empty folder for one test, or until `atEnd`, with the given configuration if any. */
export async function makeProject(
  config?: object,
  atEnd: (remove: () => void) => void = onTestFinished,
): Promise<Project> {
  const dir = await mkdtemp(join(tmpdir(), "mcp-codegen-e2e-"));
  // A WordPress has 2,600 files, which takes the asynchronous one three times as long.
  atEnd(() => {
    rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  });
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  };
  const paths = async (): Promise<readonly string[]> => {
    const entries = await readdir(dir, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    return files.map((path) => relative(dir, path).split(sep).join("/")).sort();
  };
  const writeJson = (path: string, value: unknown): Promise<void> => write(path, JSON.stringify(value));
  const configure = (config: object): Promise<void> => writeJson("mcp-codegen.config.json", config);
  if (config !== undefined) await configure(config);
  const open = (env: NodeJS.ProcessEnv): Project => {
    const run: Project["run"] = (line, more) => runCommand(line, { cwd: dir, env: { ...env, ...more } });
    const runValid: Project["runJson"] = async (line, more) => {
      const outcome = await runJson(line, { cwd: dir, env: { ...env, ...more } });
      expect(complaints(JSON.parse(outcome.stdout) as JsonObject)).toEqual([]);
      expect(outcome.document["exitCode"]).toBe(outcome.exitCode);
      return outcome;
    };
    return {
      dir,
      run,
      ...expectationsOf(run),
      withEnv: (more) => open({ ...env, ...more }),
      runJson: runValid,
      reports: async (line, parts) => {
        const outcome = await runValid(line);
        expect(outcome.document, outcome.stderr).toMatchObject(parts);
        return outcome;
      },
      paths,
      files: async () => {
        const texts = (await paths()).map(
          async (path) => [path, await readFile(join(dir, path), "utf8")] as const,
        );
        return Object.fromEntries(await Promise.all(texts));
      },
      read: (path) => readFile(join(dir, path), "utf8"),
      locked: async (server) => {
        const block = parseLockfile(await readFile(join(dir, LOCKFILE_NAME), "utf8")).servers[server];
        if (block === undefined) throw new Error(`Server "${server}" is not locked.`);
        return block;
      },
      write,
      writeJson,
      configure,
    };
  };
  return open({});
}

/** The two ways of a project to run a command and judge its outcome. */
export function expectationsOf(run: Project["run"]): Pick<Project, "prints" | "refuses"> {
  const fits = (text: Text): unknown =>
    typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text);
  return {
    prints: async (line, exitCode, ...texts) => {
      const outcome = await run(line);
      for (const text of ["", ...texts])
        expect(outcome, outcome.stderr).toMatchObject({ exitCode, stdout: fits(text) });
      return outcome;
    },
    refuses: async (line, ...texts) => {
      const outcome = await run(line);
      for (const text of ["", ...texts]) expect(outcome).toMatchObject({ exitCode: 2, stderr: fits(text) });
      return outcome;
    },
  };
}

/** The files of pulled projects by configuration and arguments. */
const pulledFiles = new Map<string, Awaited<ReturnType<Project["files"]>>>();

/**
 * Creates a project that was pulled. Projects with one configuration, and the same function that adds files, are pulled once
 * and then copied, since starting their servers takes longer.
 */
export async function makePulled(
  config: object,
  argv: readonly string[] = [],
  {
    env,
    addFiles,
  }: { readonly env?: NodeJS.ProcessEnv; readonly addFiles?: (project: Project) => Promise<void> } = {},
): Promise<Project> {
  const project = await makeProject(config);
  const key = JSON.stringify([config, argv, env, addFiles?.toString()]);
  const known = pulledFiles.get(key);
  if (known === undefined) {
    await addFiles?.(project);
    const { exitCode, stderr, stdout } = await project.run(["pull", ...argv], env);
    if (exitCode !== 0) throw new Error(stderr + stdout);
    pulledFiles.set(key, await project.files());
    return project;
  }
  for (const [path, text] of Object.entries(known)) await project.write(path, text);
  return project;
}

import { existsSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import process from "node:process";
import type { AccessContext } from "../client/listing/list-server.js";
import { CONFIG_FILES } from "../config/load-config.js";
import { readVariables } from "../config/variables.js";
import type { VariableLookup } from "../core/connection.js";
import { quoteAll, quoteFirst } from "../core/collections.js";
import { McpCodegenError } from "../core/errors.js";
import { LOCKFILE_NAME, type Lockfile } from "../core/lockfile.js";
import { commandToLogIn, keyOfAuth, type Logins } from "../core/login.js";
import { findLockfile } from "../files/project-records.js";
import { findFiles, isFileAt, upwards } from "../files/read-files.js";
import { openLoginStore } from "../files/login-store.js";
import { openProject, type Project, type RunSettings } from "../project/project.js";
import { usageError } from "./command-spec.js";
import { type Context, isCi, listenToServers, today, readPackage } from "./context.js";

/**
 * Returns the configuration of `--config`, or the one found from the working folder upward; undefined if there is
 * none.
 */
export async function findProject(context: Context): Promise<Project | undefined> {
  const { io, options } = context;
  const path = options.config === undefined ? undefined : resolve(io.cwd, options.config);
  return openProject({ cwd: io.cwd, path }, settingsOf(context));
}

/**
 * As {@link findProject}, but throws `CONFIG_NOT_FOUND` if there is none.
 *
 * @param instead what else the command accepts, for the hint
 */
export async function loadProject(context: Context, instead = ""): Promise<Project> {
  const project = await findProject(context);
  if (project !== undefined) return project;
  throw new McpCodegenError("CONFIG_NOT_FOUND", "No mcp-codegen configuration found.", {
    hint: `${await hintAt(context.io.cwd)}${instead}`,
  });
}

/** Returns the lock of the project, or of the working folder if there is no project. Undefined if there is no lock. */
export async function findLock({ io }: Context, project: Project | undefined): Promise<Lockfile | undefined> {
  return project === undefined ? findLockfile(join(io.cwd, LOCKFILE_NAME)) : project.findLock();
}

/** Throws `SERVER_UNKNOWN` for a name that the lock does not have. */
export function assertLocked(servers: readonly string[], lock: Lockfile): void {
  const unknown = servers.find((server) => !Object.hasOwn(lock.servers, server));
  if (unknown === undefined) return;
  const names = quoteAll(Object.keys(lock.servers));
  throw new McpCodegenError("SERVER_UNKNOWN", `The lock has no server "${unknown}".`, {
    hint: names === "" ? 'Run "npx mcp-codegen pull" first.' : `It has ${names}.`,
  });
}

/** Says what to do in a folder without a configuration: in the root of a repository, its packages may have some. */
async function hintAt(dir: string): Promise<string> {
  const isRoot = [".git", "package.json", "pnpm-workspace.yaml"].some((name) => existsSync(join(dir, name)));
  const names = CONFIG_FILES.filter((name) => name !== "package.json").join(",");
  const globs = ["*", "*/*", "*/*/*"].map((depth) => `${depth}/{${names}}`);
  const paths = isRoot ? await findFiles(dir, globs) : [];
  const [first] = paths;
  if (first === undefined) return 'Run "npx mcp-codegen init", or pass a configuration file with --config.';
  return `Packages below have one: ${quoteFirst(paths, MOST_NAMED)}. Run the command there, or pass --config ${first}.`;
}

const MOST_NAMED = 5;

/**
 * Returns a lookup of variables in the environment, in `--env-file` and in the `.env` files next to the configuration.
 */
export async function readLookup({ io, options }: Context, dir: string): Promise<VariableLookup> {
  return readVariables({
    dir,
    environment: io.env,
    envFile: options.envFile === undefined ? undefined : resolve(io.cwd, options.envFile),
  });
}

/** Returns how commands work with projects. `MCP_CODEGEN_CACHE` names another folder for the cache, or is `0`. */
export function settingsOf(context: Context): RunSettings {
  const { env, cwd } = context.io;
  const { MCP_CODEGEN_CACHE: folder = "" } = env;
  const cache = { version: readPackage().version, folder: folder === "" ? undefined : resolve(cwd, folder) };
  return {
    access: (dir) => readAccess(context, dir),
    cache: folder === "0" ? undefined : cache,
    today: today(),
  };
}

/** How a command reaches servers. */
export type Access = AccessContext & { readonly logins: Logins };

/**
 * Returns the variables, the signal and the user's logins, whose files are read when a server needs them.
 *
 * @param url the URL of a server that is not configured, to be named in hints
 */
export async function readAccess(context: Context, dir: string, url?: string): Promise<Access> {
  const lookup = await readLookup(context, dir);
  return {
    lookup,
    logins: openLogins(context.io, url),
    signal: context.io.signal,
    onStderr: listenToServers(context),
  };
}

/**
 * Returns the logins of the user. Nothing is read yet.
 *
 * @param url the URL of a server that is not configured, to be named in hints
 */
export function openLogins({ env }: { readonly env: NodeJS.ProcessEnv }, url?: string): Logins {
  const store = openLoginStore({
    dir: join(stateFolder(env), "mcp-codegen", "logins"),
    now: () => Date.now(),
    uid: process.getuid?.(),
    host: hostname(),
  });
  return {
    store,
    hint: (server, environment, loginUrl) =>
      isCi(env)
        ? `In CI, set clientId, clientSecret and issuer under ${keyOfAuth(server, environment)}, or a token: { bearer: "\${TOKEN}" }.`
        : `Run "${commandToLogIn(loginUrl ?? url ?? server, loginUrl === undefined ? environment : undefined)}".`,
  };
}

/** Returns the folder for the state of programs: by the XDG specification, else the one of the platform. */
export function stateFolder(env: NodeJS.ProcessEnv): string {
  const { XDG_STATE_HOME: state = "", LOCALAPPDATA: local = "" } = env;
  if (isAbsolute(state)) return state;
  if (process.platform === "win32" && isAbsolute(local)) return local;
  const home = homeFolder(env);
  return process.platform === "darwin"
    ? join(home, "Library", "Application Support")
    : join(home, ".local", "state");
}

/**
 * Returns the user's folder: by `HOME`, else that of the account. An empty or relative one would be in the project, where
 * saved logins could be committed.
 *
 * @throws McpCodegenError `FILE_FAILED` for an account without a folder
 */
export function homeFolder({ HOME: home = "" }: NodeJS.ProcessEnv): string {
  const folder = [home, folderOfAccount()].find(isAbsolute);
  if (folder !== undefined) return folder;
  throw new McpCodegenError("FILE_FAILED", "The home folder of the user is not known.", {
    hint: "Set HOME to an absolute path.",
  });
}

/** Empty for an account that the system does not know, as in some containers. */
function folderOfAccount(): string {
  try {
    return userInfo().homedir;
  } catch {
    return "";
  }
}

/** Configuration files of TypeScript projects; the first in a folder counts. */
const NAMES = ["tsconfig.json", "jsconfig.json"];

/**
 * Returns the TypeScript project around the output folder, or else around the configuration: the nearest
 * `tsconfig.json` upwards. Loads no compiler, so that a missing project is reported before any server is contacted.
 *
 * @throws McpCodegenError `USAGE` when no project is found, or the named one does not exist
 */
export function findTsconfig(project: Project, named?: string): string {
  if (named !== undefined) {
    const file = [named, ...NAMES.map((name) => join(named, name))].find(isFile);
    if (file !== undefined) return file;
    throw usageError(
      `There is no TypeScript configuration at "${named}".`,
      "Pass --project a tsconfig.json, or the folder that contains one.",
    );
  }
  const tsconfigAbove = findTsconfigAbove(project);
  if (tsconfigAbove !== undefined) return tsconfigAbove;
  throw usageError(
    "There is no tsconfig.json in the output folder or above it.",
    "Name the TypeScript project whose code calls the tools: --project <tsconfig>.",
  );
}

/** As {@link findTsconfig}, for code that may have none. */
export function findTsconfigAbove(project: Project): string | undefined {
  return findIn(foldersOf(project).flatMap((folder) => [...upwards(folder)]));
}

/** The output folder and that of the configuration; none where no code is generated. */
function foldersOf({ dir, paths: { output } }: Project): readonly string[] {
  return output === undefined ? [] : [output, dir];
}

/**
 * As {@link findTsconfig}, for a search that was not requested: undefined when no project is found up to the nearest
 * folder with a `package.json`.
 */
export function findOwnTsconfig(project: Project): string | undefined {
  const candidates = foldersOf(project).flatMap((folder) => {
    const above = [...upwards(folder)];
    const last = above.findIndex((dir) => existsSync(join(dir, "package.json")));
    return last === -1 ? above : above.slice(0, last + 1);
  });
  return findIn(candidates);
}

function findIn(folders: readonly string[]): string | undefined {
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isFile);
}

function isFile(path: string): boolean {
  return /\.json$/.test(path) && isFileAt(path);
}

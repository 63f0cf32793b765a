import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { promisify } from "node:util";
import { getServer, type ServerConfig } from "../../../config/config.js";
import type { LoadedConfig } from "../../../config/load-config.js";
import { locateKeys } from "../../../config/locate-keys.js";
import { compareVersions, findStartedPackage, pinPackage } from "../../../config/package-pins.js";
import { McpCodegenError } from "../../../core/errors.js";
import { writeAtomic } from "../../../files/write-atomic.js";
import { Project } from "../../../project/project.js";
import { usageError } from "../../command-spec.js";
import type { Context } from "../../context.js";
import { confirm } from "../../prompts.js";

/** A newer version of the package that a server's command starts. */
interface Upgrade {
  readonly server: string;
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly settings: ServerConfig;
}

interface UpgradeOptions {
  /** Names of servers; all by default. */
  readonly servers: readonly string[];
  /** Whether nothing is written. */
  readonly isDryRun: boolean;
  /** Shows how the tools would change with this configuration. Returns an exit code. */
  readonly preview: (project: Project, servers: readonly string[]) => Promise<number>;
}

/** The project after the upgrade with the upgraded servers, or the exit code of a command that ends here. */
type Upgraded =
  | { readonly project: Project; readonly servers: readonly string[] }
  | { readonly exitCode: number };

/**
 * Finds newer versions of pinned packages, shows how their tools differ, and writes the versions into the configuration, after
 * a question on a terminal.
 *
 * @throws McpCodegenError `USAGE` for a named server that starts no pinned package, or for a version that the text of the
 *   configuration does not have; `SERVER_UNREACHABLE` if the registry cannot be asked
 */
export async function upgradePins(
  context: Context,
  project: Project,
  { servers, isDryRun, preview }: UpgradeOptions,
): Promise<Upgraded> {
  const names = servers.length > 0 ? servers : Object.keys(project.config.servers);
  const upgrades = (
    await Promise.all(names.map((server) => findUpgrade(context, project, server, servers.length > 0)))
  ).flat();
  if (upgrades.length === 0) {
    context.print(["Every pinned package is at its newest version."]);
    return { project, servers: [] };
  }
  context.print(upgrades.map(({ server, name, before, after }) => `${server}: ${name} ${before} → ${after}`));
  const changed = Object.fromEntries(upgrades.map(({ server, settings }) => [server, settings]));
  const { config, dir, path, run } = project;
  const rewrite = async (): Promise<string> =>
    replaceVersions(await readFile(path, "utf8"), upgrades, project);
  // A version that cannot be written is reported before the changes, which the pull could not take.
  if (!isDryRun) await rewrite();
  const all = { ...config.servers, ...changed };
  const upgraded = new Project({ config: { ...config, servers: all }, dir, path }, run);
  const exitCode = await preview(upgraded, Object.keys(changed));
  if (isDryRun || exitCode === 3) return { exitCode };
  const question = `Write ${upgrades.length === 1 ? "this version" : "these versions"} to ${basename(path)}?`;
  if (context.isInteractive && !(await confirm(context, question))) return { exitCode: 0 };
  await writeAtomic(path, await rewrite());
  return { project: upgraded, servers: Object.keys(changed) };
}

async function findUpgrade(
  { io }: Context,
  { config, dir }: LoadedConfig,
  server: string,
  isNamed: boolean,
): Promise<readonly Upgrade[]> {
  const settings = getServer(config.servers, server);
  const started = findStartedPackage(settings);
  if (started?.version === undefined) {
    if (!isNamed) return [];
    throw usageError(
      `Server ${JSON.stringify(server)} starts no package with an exact version.`,
      'Write one, such as "@scope/server@1.4.2", in its args.',
    );
  }
  const { name, version: before } = started;
  const after = await newestOf(name, dir, io.env);
  if (compareVersions(after, before) <= 0) return [];
  return [{ server, name, before, after, settings: pinPackage(settings, started, after) }];
}

/** Milliseconds that the registry may take. */
const REGISTRY_TIMEOUT = 30_000;

/** Asks npm, which knows the registry of the project and its credentials. */
async function newestOf(name: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  try {
    const { stdout } = await promisify(execFile)(npm, ["view", name, "version"], {
      cwd,
      env,
      timeout: REGISTRY_TIMEOUT,
      shell: process.platform === "win32",
    });
    return stdout.trim();
  } catch (cause) {
    const message = `npm cannot say which version of ${name} is the newest.`;
    const hint = `Run "npm view ${name} version" to see why.`;
    throw new McpCodegenError("SERVER_UNREACHABLE", message, { hint, cause });
  }
}

/** Replaces the versions of these servers in the text of a configuration, and nothing else. */
async function replaceVersions(
  text: string,
  upgrades: readonly Upgrade[],
  { path, config }: LoadedConfig,
): Promise<string> {
  let changed = text;
  for (const { server, name, before, after } of upgrades) {
    const specifier = `${name}@${before}`;
    const { args = [] } = getServer(config.servers, server);
    const [place] = await locateKeys(path, [["servers", server, "args", args.indexOf(specifier)]], changed);
    const { offset: start = 0 } = place ?? {};
    const literal = changed.slice(start, start + specifier.length + 2);
    if (!['"', "'", "`"].some((quote) => literal === `${quote}${specifier}${quote}`))
      throw usageError(
        `"${basename(path)}" does not contain "${specifier}" as one text in servers.${server}.args.`,
        `Write "${name}@${after}" there, and run "npx mcp-codegen pull".`,
      );
    changed = `${changed.slice(0, start + 1)}${name}@${after}${changed.slice(start + 1 + specifier.length)}`;
  }
  return changed;
}

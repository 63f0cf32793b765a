import { readdir } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { findOwn } from "../core/json.js";
import { findPackageRunner } from "../core/packages.js";
import { parseJson } from "../files/parse-json.js";
import { findBounded, upwards } from "../files/read-files.js";
import type { Config, ServerConfig } from "./config.js";

/** The package of npm that a server's command fetches and starts. */
interface StartedPackage {
  readonly name: string;
  /** The exact version in the command; undefined for a range, a tag or nothing, which may start another one tomorrow. */
  readonly version: string | undefined;
}

/** A package with what follows its name. Paths, URLs and repositories do not match. */
const SPECIFIER = /^((?:@[\w.-]+\/)?[\w][\w.-]*)(?:@([^/@]*))?$/;
const EXACT = /^\d+\.\d+\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?$/;
const NPM = /^(?:npx|pnpx|bunx|npm exec|npm x|pnpm dlx|yarn dlx|bun x)$/;

/** Returns the package that a server's command starts with `npx` or a program like it; undefined for any other command. */
export function findStartedPackage({ command, args = [] }: ServerConfig): StartedPackage | undefined {
  const runner = command === undefined ? undefined : findPackageRunner(command, args);
  if (runner?.started === undefined || !NPM.test(runner.name)) return undefined;
  const [, name, version = ""] = SPECIFIER.exec(runner.started) ?? [];
  return name === undefined ? undefined : { name, version: EXACT.test(version) ? version : undefined };
}

/** Returns the settings with this version of the package that they start. */
export function pinPackage(settings: ServerConfig, { name }: StartedPackage, version: string): ServerConfig {
  const args = (settings.args ?? []).map((arg) =>
    SPECIFIER.exec(arg)?.[1] === name ? `${name}@${version}` : arg,
  );
  return { ...settings, args };
}

/**
 * Returns the version of a package that the project has, or else the newest in the cache of npx; undefined without one. `npx` starts
 * that of the project (`isOwn`), and the project's lockfile pins it.
 */
async function findInstalled(name: string, dir: string, cache: string | undefined) {
  for (const folder of upwards(dir)) {
    const version = await readVersion(join(folder, "node_modules", name));
    if (version !== undefined) return { version, isOwn: true };
  }
  if (cache === undefined) return undefined;
  const entries = await readdir(cache).catch(() => []);
  const versions = await Promise.all(
    entries.map((entry) => readVersion(join(cache, entry, "node_modules", name))),
  );
  const [newest] = versions
    .filter((version) => version !== undefined)
    .toSorted((a, b) => compareVersions(b, a));
  return newest === undefined ? undefined : { version: newest, isOwn: false };
}

async function readVersion(folder: string): Promise<string | undefined> {
  const text = (await findBounded(join(folder, "package.json")).catch(() => undefined))?.toString("utf8");
  const parsed = text === undefined ? undefined : parseJson(text);
  const version = parsed !== undefined && "value" in parsed ? findOwn(parsed.value, "version") : undefined;
  return typeof version === "string" && EXACT.test(version) ? version : undefined;
}

/** Compares the numbers of two exact versions; a prerelease comes before its release. */
export function compareVersions(first: string, other: string): number {
  const numbers = (version: string): readonly number[] => version.split(/[.+-]/).slice(0, 3).map(Number);
  const a = numbers(first);
  const b = numbers(other);
  const at = a.findIndex((number, index) => number !== b[index]);
  if (at >= 0) return (a[at] ?? 0) - (b[at] ?? 0);
  return Number(other.includes("-")) - Number(first.includes("-"));
}

interface UnpinnedServer {
  readonly server: string;
  readonly name: string;
  /** The version to pin; undefined if none is installed. */
  readonly installed: string | undefined;
}

/**
 * Finds the servers whose command starts the newest version of a package.
 *
 * @param cache the cache of npx, to name a version that is not in the project. A report does not depend on it.
 */
export async function findUnpinned(
  servers: Config["servers"],
  dir: string,
  cache?: string,
): Promise<readonly UnpinnedServer[]> {
  const unpinned = await Promise.all(
    Object.entries(servers).map(async ([server, settings]) => {
      const started = findStartedPackage(settings);
      if (started === undefined || started.version !== undefined) return [];
      const installed = await findInstalled(started.name, dir, cache);
      return installed?.isOwn === true ? [] : [{ server, name: started.name, installed: installed?.version }];
    }),
  );
  return unpinned.flat();
}

/** Says which server is not pinned, and what to write. */
export function describeUnpinned({ server, name, installed }: UnpinnedServer) {
  return {
    message: `The command of ${JSON.stringify(server)} starts the newest ${name}, and its next release may change the tools.`,
    fix: `Write "${name}@${installed ?? "<version>"}" in servers.${server}.args. "npx mcp-codegen pull --upgrade" then proposes newer versions.`,
  };
}

/**
 * Whether a server is probably maintained by the user's team: started from its own files, reached on this machine or
 * in a private network, a WordPress site, or at a URL from a variable. Published packages and other services change
 * independently.
 */
export function isOwned({ url, command, args = [] }: ServerConfig): boolean {
  if (url !== undefined) return isOwnUrl(url);
  return command === undefined || isOwnCommand(command, args);
}

function isOwnCommand(command: string, args: readonly string[]): boolean {
  const runner = findPackageRunner(command, args);
  if (runner?.started === undefined) return runner === undefined;
  // A path is not a package. The example server changes only with this program.
  return /^\.{0,2}(?:[/\\]|$)/.test(runner.started) || runner.started === "mcp-codegen";
}

function isOwnUrl(url: string): boolean {
  if (url.includes("/wp-json/") || /^(?:https?:\/\/)?\$\{/i.test(url) || !URL.canParse(url)) return true;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return isPrivateAddress(host);
  return !host.includes(".") || /\.(?:localhost|local|test|internal|lan|home\.arpa)$/i.test(host);
}

/** The blocks of RFC 1918, RFC 4193, loopback and link-local. */
function isPrivateAddress(address: string): boolean {
  return /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|::1$|f[cd]|fe80:)/i.test(address);
}

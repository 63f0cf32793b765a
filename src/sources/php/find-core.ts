import { existsSync } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { codeOf, McpCodegenError } from "../../core/errors.js";
import { findOwn, findText, isJsonObject } from "../../core/json.js";
import { findForeignOwner } from "../../files/owners.js";
import { readManifest } from "../../files/project-settings.js";
import { isFileAt, upwards } from "../../files/read-files.js";
import { reasonOf } from "../../files/write-atomic.js";

/** The PHP files of a WordPress, without a site. */
export interface Core {
  /** An absolute path without links. */
  readonly folder: string;
  readonly version: string;
  /** The oldest PHP that runs it; undefined if it does not say so. */
  readonly oldestPhp: string | undefined;
  /** How it was found: `php.core`, `WP_CORE_DIR`, `above the plugins`, `Composer`, `wp-studio` or `downloaded`. */
  readonly by: string;
}

export interface FindCoreOptions {
  readonly server: string;
  /** The `php.core` of the configuration. */
  readonly core?: string | undefined;
  /** The `php.paths` of the configuration. */
  readonly paths: readonly string[];
  /** The folder of the configuration. Paths are relative to it. */
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The WordPress that is downloaded. */
export const CORE_VERSION = "7.1.1";

const VERSION_FILE = "wp-includes/version.php";
/** Files without which abilities cannot be registered. */
const NEEDED = ["wp-settings.php", "wp-includes/abilities-api"];
const OLDEST = "6.9";
/** Where the package wp-studio has a WordPress. */
const IN_STUDIO = "node_modules/wp-studio/dist/cli/wp-files/latest/wordpress";

/** No WordPress was found where one is searched for. */
export class NoCoreError extends McpCodegenError {
  constructor(server: string, unusable: readonly string[]) {
    const message = `The PHP of ${JSON.stringify(server)} cannot be read: no WordPress ${OLDEST} or later was found.`;
    super("PHP_FAILED", [message, ...unusable].join(" "), {
      hint: 'Set php.core or WP_CORE_DIR to the folder of a WordPress, or run "composer require --dev roots/wordpress-no-content". On a terminal, "npx mcp-codegen check --php" offers to download it.',
    });
  }
}

/**
 * Finds the WordPress whose code runs plugins: `php.core`, `WP_CORE_DIR`, a WordPress above the plugins, one of Composer or
 * of the package wp-studio, or the downloaded one.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a `php.core` that cannot be used, `PHP_FAILED` for such a `WP_CORE_DIR`; a
 *   {@link NoCoreError} if none is found
 */
export async function findCore({ server, core, paths, dir, env }: FindCoreOptions): Promise<Core> {
  const { WP_CORE_DIR: variable = "" } = env;
  const [value, by] = core === undefined ? [variable, "WP_CORE_DIR"] : [core, "php.core"];
  if (value !== "") {
    const examined = await examineCore(resolve(dir, value));
    if (typeof examined !== "string") return { ...examined, by };
    const [code, where] =
      core === undefined
        ? (["PHP_FAILED", by] as const)
        : (["CONFIG_INVALID", `servers.${server}.${by}`] as const);
    throw new McpCodegenError(code, `${where}: ${JSON.stringify(value)} ${examined}.`, {
      hint: `Set it to the folder of a WordPress ${OLDEST} or later, in which "wp-settings.php" is.`,
    });
  }
  const unusable: string[] = [];
  for await (const { folder, by } of listPlaces(paths, dir, env)) {
    const file = join(folder, VERSION_FILE);
    if (!isFileAt(file)) continue;
    const owner = findForeignOwner(file, dir);
    const result =
      owner === undefined
        ? await examineCore(folder)
        : `belongs to another user (ID ${owner}), so it is not run`;
    if (typeof result !== "string") return { ...result, by };
    unusable.push(`${JSON.stringify(folder)} ${result}.`);
  }
  throw new NoCoreError(server, unusable);
}

interface CorePlace {
  readonly folder: string;
  readonly by: string;
}

async function* listPlaces(
  paths: readonly string[],
  dir: string,
  env: NodeJS.ProcessEnv,
): AsyncGenerator<CorePlace> {
  const above = new Set(paths.flatMap((path) => [...upwards(resolve(dir, path))]));
  for (const folder of above) yield { folder, by: "above the plugins" };
  for (const folder of new Set([dir, ...above])) {
    if (!isFileAt(join(folder, "composer.json"))) continue;
    const manifest = await readManifest(join(folder, "composer.json"));
    for (const name of foldersOfComposer(manifest)) yield { folder: resolve(folder, name), by: "Composer" };
  }
  for (const folder of upwards(dir)) yield { folder: join(folder, IN_STUDIO), by: "wp-studio" };
  const downloaded = coreFolder(env);
  if (downloaded !== undefined) yield { folder: downloaded, by: "downloaded" };
}

/** Returns where Composer installs WordPress: by the setting of the installers, one folder or one for each package. */
function foldersOfComposer(manifest: unknown): readonly string[] {
  const setting = findOwn(findOwn(manifest, "extra"), "wordpress-install-dir");
  const folders = isJsonObject(setting) ? Object.values(setting) : [setting];
  const vendor = findText(findOwn(manifest, "config"), "vendor-dir") ?? "vendor";
  const packages = ["roots/wordpress-no-content", "johnpbloch/wordpress-core"];
  return [
    ...folders.filter((folder) => typeof folder === "string"),
    ...packages.map((name) => `${vendor}/${name}`),
    // The default of both installers.
    "wordpress",
  ];
}

/** The variables that are read. */
export const CORE_VARIABLES = ["WP_CORE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"] as const;

/** Returns the folder of the downloaded WordPress, in the user's cache; undefined if the user has no folder. */
export function coreFolder(env: NodeJS.ProcessEnv): string | undefined {
  const { XDG_CACHE_HOME: cache = "", LOCALAPPDATA: local = "", HOME: home = "" } = env;
  const caches = process.platform === "darwin" ? join("Library", "Caches") : ".cache";
  const folder = [cache, process.platform === "win32" ? local : join(home, caches)].find(isAbsolute);
  return folder === undefined ? undefined : join(folder, "mcp-codegen", `wordpress-${CORE_VERSION}`);
}

const VERSION = /^\$wp_version[ \t]*=[ \t]*['"](\d[\w.+-]{0,40})['"]/m;
const OLDEST_PHP = /^\$required_php_version[ \t]*=[ \t]*['"](\d[\w.+-]{0,40})['"]/m;

/** Returns the WordPress in a folder, or what is wrong with the folder, such as `does not exist`. */
export async function examineCore(folder: string): Promise<Omit<Core, "by"> | string> {
  try {
    if (!(await stat(folder)).isDirectory()) return "is not a folder";
    const file = join(folder, VERSION_FILE);
    if (!isFileAt(file)) return `is not a WordPress: it has no "${VERSION_FILE}"`;
    const text = await readFile(file, "utf8");
    const version = VERSION.exec(text)?.[1];
    if (version === undefined) return `is damaged: "${VERSION_FILE}" names no version`;
    const [major = 0, minor = 0] = version.split(/[.-]/).map(Number);
    if (major < 6 || (major === 6 && minor < 9))
      return `has WordPress ${version}, and abilities need ${OLDEST} or later`;
    const missing = NEEDED.find((name) => !existsSync(join(folder, name)));
    if (missing !== undefined) return `is damaged: it has no "${missing}"`;
    return { folder: await realpath(folder), version, oldestPhp: OLDEST_PHP.exec(text)?.[1] };
  } catch (cause) {
    return codeOf(cause) === "ENOENT" ? "does not exist" : `cannot be read: ${reasonOf(cause)}`;
  }
}

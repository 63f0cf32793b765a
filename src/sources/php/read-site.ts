import { existsSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { PhpConfig } from "../../config/config.js";
import { splitCommand } from "../../config/parse-server-argument.js";
import { digestOf } from "../../core/digest.js";
import { McpCodegenError } from "../../core/errors.js";
import {
  coveredBy,
  filesOfPlugin,
  nameRealFiles,
  posix,
  findMentionedAbilities,
  findPluginFiles,
  type PluginFiles,
} from "./plugin-files.js";
import type { PhpAnswer, PhpPlace } from "./php-answer.js";
import {
  type PhpAbility,
  type PhpFailure,
  type PhpLines,
  type PhpReading,
  type ReadPhpOptions,
  registrationsOf,
} from "./php-reading.js";
import { runSite, type Site } from "./run-site.js";
import { readCore } from "./read-core.js";

/**
 * Returns the abilities that plugins register in a real WordPress: those of `paths`, or all. Places inside an
 * ability come from a run in its core, if the ability is equal there.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a folder without `wp-load.php`; `PHP_FAILED` when WordPress
 *   does not load
 */
export async function readSite(server: string, php: PhpConfig, options: ReadPhpOptions): Promise<PhpReading> {
  const { dir, locked = [], signal } = options;
  const site = await findSite(server, php, dir);
  const plugins = await findPlugins(server, php, dir);
  const nameOf = await namesIn(site, dir, plugins ?? []);
  const answer = await runSite(site, { dir, nameOf, signal });
  const registrations = registrationsOf(answer, nameOf);
  const { covers, failures } = await findScope(plugins, { dir, site, answer, nameOf });
  // A locked ability that another plugin registers is read too.
  const isOwn = ({ file }: PhpPlace): boolean =>
    covers(file) && (plugins === undefined || existsSync(resolve(dir, file)));
  const names = new Set(locked.map(({ definition }) => definition.name));
  const abilities = registrations.abilities.filter(
    (phpAbility) => isOwn(phpAbility) || names.has(phpAbility.ability.name),
  );
  const registered = new Set(registrations.abilities.map(({ ability }) => ability.name));
  return {
    by: `php ${answer.php} in WordPress ${answer.wordpress}`,
    ...registrations,
    abilities,
    refused: registrations.refused.filter(isOwn),
    hint: "",
    notes: [],
    covers,
    isWhole: php.paths === undefined,
    failures,
    undecided: new Map(),
    gaps: [],
    mentioned: await findMentionedAbilities(
      plugins?.flatMap(({ files }) => files.roots) ?? [],
      locked
        .filter(({ file, definition }) => file === undefined && !registered.has(definition.name))
        .map(({ definition }) => definition.name),
    ),
    trace: (names) => traceInCore(server, php, options, abilities, names),
  };
}

async function findSite(server: string, { wordpress, command = [] }: PhpConfig, dir: string): Promise<Site> {
  if (wordpress === undefined) {
    const parts = typeof command === "string" ? (splitCommand(command) ?? []) : command;
    const label = `The WordPress of ${JSON.stringify(parts[0] ?? "")}`;
    return { kind: "command", command: parts, label };
  }
  const folder = resolve(dir, wordpress);
  if (!(await isFile(join(folder, "wp-load.php")))) {
    throw new McpCodegenError(
      "CONFIG_INVALID",
      `servers.${server}.php.wordpress: ${JSON.stringify(wordpress)} has no wp-load.php.`,
      { hint: "Name the folder that WordPress is installed in." },
    );
  }
  const label = `The WordPress at ${JSON.stringify(wordpress)}`;
  return { kind: "folder", folder: await realpath(folder), label };
}

interface ConfiguredPlugins {
  /** The configured path. */
  readonly path: string;
  readonly files: PluginFiles;
}

async function findPlugins(
  server: string,
  { paths }: PhpConfig,
  dir: string,
): Promise<readonly ConfiguredPlugins[] | undefined> {
  if (paths === undefined) return undefined;
  return Promise.all(
    paths.map(async (path) => ({ path, files: await findPluginFiles(dir, [path], `servers.${server}.php`) })),
  );
}

async function findScope(
  plugins: readonly ConfiguredPlugins[] | undefined,
  at: {
    readonly dir: string;
    readonly site: Site;
    readonly answer: PhpAnswer;
    readonly nameOf: (file: string) => string;
  },
): Promise<Pick<PhpReading, "covers" | "failures">> {
  if (plugins === undefined) return { covers: () => true, failures: [] };
  const { dir, site, answer, nameOf } = at;
  const isLoaded = findLoaded(answer.included);
  const failures: PhpFailure[] = [];
  const inactive: ((file: string) => boolean)[] = [];
  for (const { path, files } of plugins) {
    const mains = files.files.map(({ file }) => file);
    const loaded = await Promise.all(mains.map(isLoaded));
    if (!loaded.includes(true)) {
      failures.push({
        covers: coveredBy([nameIn(dir, path)]),
        reason: `${site.label} did not load ${JSON.stringify(path)}.`,
        hint: "Activate the plugin in that WordPress, in a folder of the same name.",
      });
      continue;
    }
    // Inactive plugins in a folder of plugins are not checked.
    const names = new Set(mains.map(nameOf));
    const off = mains.filter((_, index) => loaded[index] !== true);
    inactive.push(...off.map((file) => filesOfPlugin(nameOf(file), names)));
  }
  const paths = plugins.map(({ path }) => nameIn(dir, path));
  // If the configuration is in the folder of a plugin, the site may be below or next to it.
  const isInSite = coveredBy(site.kind === "folder" ? [nameOf(site.folder)] : []);
  const isOutside = (file: string): boolean => file.startsWith("../") || isInSite(file);
  const isConfigured = coveredBy(paths);
  const isNamed = coveredBy(paths.filter((path) => path !== ""));
  const covers = (file: string): boolean =>
    (isOutside(file) ? isNamed(file) : isConfigured(file)) && !inactive.some((isOf) => isOf(file));
  return { covers, failures };
}

function nameIn(dir: string, path: string): string {
  return posix(relative(dir, resolve(dir, path)));
}

/**
 * Returns whether a main file is loaded. In a container, a plugin has another path but the same folder name.
 */
function findLoaded(included: readonly string[]): (file: string) => Promise<boolean> {
  const loaded = new Set(included);
  const ends = new Set(included.map((file) => lastTwo(file.split("\\").join("/"))));
  return async (file) => loaded.has(await realpath(file)) || ends.has(lastTwo(posix(file)));
}

function lastTwo(file: string): string {
  return file.split("/").slice(-2).join("/");
}

/**
 * Returns a function that names a file of the site relative to the configuration. In a container, a plugin is
 * in a folder of the same name, and other files are below `wp-content`. A file that only the site has is
 * named by its path there.
 */
async function namesIn(
  site: Site,
  dir: string,
  plugins: readonly ConfiguredPlugins[],
): Promise<(file: string) => string> {
  const paths = plugins.map(({ path }) => path);
  const nameReal = await nameRealFiles(dir, site.kind === "folder" ? [...paths, site.folder] : paths);
  if (site.kind === "folder") return (file) => (file === "" ? "" : nameReal(file));
  const folders = plugins.flatMap(({ files }) => files.folders).filter((folder) => folder !== dir);
  const roots = paths.includes(".") ? [...folders, dir] : folders;
  return (file) => {
    const parts = file.split(/[/\\]/).filter((part) => part !== "");
    const below = (root: string): readonly string[] => {
      const start = parts.includes("..") ? -1 : parts.lastIndexOf(basename(root));
      return start < 0 ? [] : [join(dirname(root), ...parts.slice(start))];
    };
    const match = [...roots.flatMap(below), file, ...below(join(dir, "wp-content"))].find((path) =>
      existsSync(path),
    );
    if (match !== undefined && file !== "") return nameReal(match);
    const inSite = parts.findIndex((part) => /^wp-(?:content|includes|admin)$/.test(part));
    return parts.slice(Math.max(inSite, 0)).join("/");
  };
}

/** Runs the plugins in the core of WordPress, and returns the places of abilities that are equal there. */
async function traceInCore(
  server: string,
  php: PhpConfig,
  options: ReadPhpOptions,
  abilities: readonly PhpAbility[],
  names: readonly string[],
): Promise<PhpLines> {
  const traced = abilities.filter(({ ability }) => names.includes(ability.name));
  const paths = php.paths ?? pluginsOf(traced, options.dir);
  if (paths.length === 0) return new Map();
  const { dir, lookup, signal } = options;
  const core = php.wordpress === undefined ? {} : { core: php.wordpress };
  const reading = await readCore(server, { ...core, paths }, { dir, lookup, signal });
  const same = traced.filter(({ ability }) =>
    reading.abilities.some((other) => digestOf(ability) === digestOf(other.ability)),
  );
  return reading.trace(same.map(({ ability }) => ability.name));
}

/** Returns the plugins that register abilities and whose files exist here. */
function pluginsOf(abilities: readonly PhpAbility[], dir: string): readonly string[] {
  const folders = abilities.flatMap(({ file }) => /^.*?(?:mu-)?plugins\/[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)].filter((path) => existsSync(resolve(dir, path)));
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { PhpConfig } from "../../config/config.js";
import { splitCommand } from "../../config/parse-server-argument.js";
import { McpCodegenError } from "../../core/errors.js";
import { isEqual } from "../../core/json.js";
import { isFileAt } from "../../files/read-files.js";
import { explainFailure, type FailedWordPress } from "./explain-failure.js";
import type {
  NameOf,
  PhpAbility,
  PhpAnswer,
  PhpFailure,
  PhpLines,
  PhpPlace,
  PhpReading,
  ReadPhpOptions,
} from "./php-answer.js";
import { phpArguments, phpFile, runPhp, SITE_SETTINGS } from "./php-process.js";
import {
  coveredBy,
  filesOfPlugin,
  findMentionedAbilities,
  findPluginFiles,
  type MainFile,
  nameOfPath,
  nameRealFiles,
} from "./plugin-files.js";
import { readCore } from "./read-core.js";

/**
 * Returns the abilities that the PHP code of a server registers, in the configured WordPress, or else in the core of one
 * without a site.
 *
 * @throws McpCodegenError `PHP_FAILED` when PHP, WordPress or a plugin fails, or there is no core; `CONFIG_INVALID` for paths
 *   without a plugin, and for a folder without WordPress
 */
export async function readPhp(server: string, php: PhpConfig, options: ReadPhpOptions): Promise<PhpReading> {
  const isSite = php.wordpress !== undefined || php.command !== undefined;
  return await (isSite ? readSite : readCore)(server, php, options);
}

/** Allows time to start a container and to install WordPress. */
const MOST_SECONDS = 120;

/**
 * Returns the abilities that plugins register in a real WordPress: those of `paths`, or all. Nothing is written to its database,
 * no HTTP request is sent, and no cron job starts. Places inside an ability come from a run in its core, if the ability is equal
 * there.
 */
async function readSite(server: string, php: PhpConfig, options: ReadPhpOptions): Promise<PhpReading> {
  const { dir, locked = [], signal } = options;
  const { paths = [] } = php;
  const isWhole = php.paths === undefined;
  const site = await findSite(server, php, dir);
  const plugins = await Promise.all(
    paths.map(async (path) => ({
      path,
      ...(await findPluginFiles(dir, [path], `servers.${server}.php`)),
    })),
  );
  const roots = plugins.flatMap((each) => each.roots);
  const { command, stdin } = await commandFor(site);
  const cwd = site.kind === "folder" ? site.folder : dir;
  const run = { cwd, stdin, seconds: MOST_SECONDS, signal };
  const answer = await runPhp(command, run, await namesIn(site, dir, { paths, roots }));
  if ("kind" in answer) throw await explainFailure(answer, site);
  const scope = isWhole ? { covers: () => true, failures: [] } : findScope(plugins, answer, site, dir);
  const isOwn = ({ file }: PhpPlace): boolean =>
    scope.covers(file) && (isWhole || existsSync(resolve(dir, file)));
  const names = new Set(locked.map(({ definition }) => definition.name));
  // A locked ability that another plugin registers is read too.
  const abilities = answer.abilities.filter((each) => isOwn(each) || names.has(each.ability.name));
  const registered = new Set(answer.abilities.map(({ ability }) => ability.name));
  return {
    ...answer,
    ...scope,
    by: `php ${answer.php} in WordPress ${answer.wordpress}`,
    abilities,
    refused: answer.refused.filter(isOwn),
    hint: "",
    notes: [],
    isWhole,
    undecided: new Map(),
    gaps: [],
    mentioned: await findMentionedAbilities(
      dir,
      roots,
      locked
        .filter(({ file, definition }) => file === undefined && !registered.has(definition.name))
        .map(({ definition }) => definition.name),
    ),
    trace: (wanted) => traceInCore(server, php, options, abilities, wanted),
  };
}

/** A WordPress on disk, or one behind a command: WP-CLI or WordPress Playground. */
type PhpSite = FailedWordPress &
  (
    | { readonly kind: "folder"; readonly folder: string }
    | { readonly kind: "command"; readonly command: readonly string[] }
  );

async function findSite(
  server: string,
  { wordpress, command = [] }: PhpConfig,
  dir: string,
): Promise<PhpSite> {
  if (wordpress === undefined) {
    const parts = typeof command === "string" ? (splitCommand(command) ?? []) : command;
    const label = `The WordPress of ${JSON.stringify(parts[0] ?? "")}`;
    return { kind: "command", command: parts, label };
  }
  const folder = resolve(dir, wordpress);
  if (!isFileAt(join(folder, "wp-load.php"))) {
    throw new McpCodegenError(
      "CONFIG_INVALID",
      `servers.${server}.php.wordpress: ${JSON.stringify(wordpress)} has no wp-load.php.`,
      { hint: "Name the folder that WordPress is installed in." },
    );
  }
  const label = `The WordPress at ${JSON.stringify(wordpress)}`;
  return { kind: "folder", folder: await realpath(folder), label };
}

async function commandFor(site: PhpSite): Promise<SiteCommand> {
  const script = await readFile(phpFile("collect.php"), "utf8");
  if (site.kind === "command") return commandWith(site.command, script);
  return { command: ["php", ...phpArguments(SITE_SETTINGS), "--", site.folder], stdin: script };
}

interface SiteCommand {
  readonly command: readonly string[];
  readonly stdin: string;
}

/**
 * Returns the command that runs a PHP script in the WordPress of a configured command. WP-CLI reads the script from
 * stdin. WordPress Playground passes arguments to its PHP, and has WordPress at `/wordpress`. Other commands, such as
 * `wp-env run cli --`, start WP-CLI in a container.
 */
export function commandWith(words: readonly string[], script: string): SiteCommand {
  const playground = words.findIndex((word) => PLAYGROUND.test(word));
  if (playground >= 0) {
    const before = words.slice(0, playground + 1);
    const options = words.slice(playground + 1).filter((word) => word !== "--");
    const php = options[0] === "php" ? [] : ["php"];
    const code = script.replace(/^<\?php/, "");
    return { command: [...before, ...php, ...options, "--", "-r", code, "/wordpress"], stdin: "" };
  }
  const wp = words.some((word) => WP_CLI.test(word)) ? [] : ["wp"];
  return { command: [...words, ...wp, "eval-file", "-"], stdin: script };
}

const WP_CLI = /(?:^|[/\\])(?:wp|wp-cli|wp-cli\.phar|wp\.bat)$/;
const PLAYGROUND = /(?:^|[/\\])(?:wp-playground(?:-cli)?(?:\.js)?|@wp-playground[/\\]cli(?:@[^/\\]+)?)$/;

interface ConfiguredPlugins {
  /** The configured path. */
  readonly path: string;
  readonly files: readonly MainFile[];
  readonly roots: readonly string[];
}

interface PhpScope {
  readonly covers: PhpReading["covers"];
  readonly failures: readonly PhpFailure[];
}

/** Returns which files are read: those of the configured plugins that the site loaded. */
function findScope(
  plugins: readonly ConfiguredPlugins[],
  { included }: PhpAnswer,
  site: PhpSite,
  dir: string,
): PhpScope {
  const failures: PhpFailure[] = [];
  const inactive: ((file: string) => boolean)[] = [];
  for (const { path, files, roots } of plugins) {
    const off = files.filter(({ name }) => !included.includes(name));
    if (off.length === files.length)
      failures.push({
        covers: coveredBy(roots),
        reason: `${site.label} did not load ${JSON.stringify(path)}.`,
        hint: "Activate the plugin in that WordPress, in a folder of the same name.",
      });
    // Inactive plugins in a folder of plugins are not checked.
    else inactive.push(...off.map((plugin) => filesOfPlugin(plugin, files)));
  }
  const all = plugins.flatMap(({ roots }) => roots);
  // If the configuration is in the folder of a plugin, the site may be below or next to it.
  const isInSite = coveredBy(site.kind === "folder" ? [nameOfPath(dir, site.folder)] : []);
  const isOutside = (file: string): boolean => file.startsWith("../") || isInSite(file);
  const isConfigured = coveredBy(all);
  const isNamed = coveredBy(all.filter((root) => root !== ""));
  const covers = (file: string): boolean =>
    (isOutside(file) ? isNamed(file) : isConfigured(file)) && !inactive.some((isOf) => isOf(file));
  return { covers, failures };
}

/**
 * Returns a function that names a file of the site relative to the configuration. In a container, a plugin is
 * in a folder of the same name, and other files are below `wp-content`. A file that only the site has is
 * named by its path there.
 */
async function namesIn(
  site: PhpSite,
  dir: string,
  { paths, roots }: { readonly paths: readonly string[]; readonly roots: readonly string[] },
): Promise<NameOf> {
  const nameReal = await nameRealFiles(dir, site.kind === "folder" ? [...roots, site.folder] : roots);
  if (site.kind === "folder") return nameReal;
  const folders = paths.map((path) => resolve(dir, isFileAt(resolve(dir, path)) ? dirname(path) : path));
  const above = folders.filter((folder) => folder !== dir || paths.includes("."));
  return (file) => {
    const parts = file.split(/[/\\]/).filter((part) => part !== "");
    const below = (root: string): readonly string[] => {
      const start = parts.includes("..") ? -1 : parts.lastIndexOf(basename(root));
      return start < 0 ? [] : [join(dirname(root), ...parts.slice(start))];
    };
    const match = [...above.flatMap(below), file, ...below(join(dir, "wp-content"))].find((path) =>
      existsSync(path),
    );
    if (match !== undefined) return nameReal(match);
    const inSite = parts.findIndex((part) => /^wp-(?:content|includes|admin)$/.test(part));
    return parts.slice(Math.max(inSite, 0)).join("/");
  };
}

/** Runs the plugins in the core of WordPress, and returns the places of abilities that are equal there. */
async function traceInCore(
  server: string,
  { wordpress, paths }: PhpConfig,
  { dir, lookup, signal }: ReadPhpOptions,
  abilities: readonly PhpAbility[],
  names: readonly string[],
): Promise<PhpLines> {
  const traced = abilities.filter(({ ability }) => names.includes(ability.name));
  const plugins = paths ?? pluginsOf(traced, dir);
  if (plugins.length === 0) return new Map();
  const core = wordpress === undefined ? {} : { core: wordpress };
  const reading = await readCore(server, { ...core, paths: plugins }, { dir, lookup, signal });
  const definitions = new Map(reading.abilities.map(({ ability }) => [ability.name, ability]));
  const same = traced.filter(({ ability }) => isEqual(ability, definitions.get(ability.name)));
  return reading.trace(same.map(({ ability }) => ability.name));
}

/** Returns the plugins that register abilities and whose files exist here. */
function pluginsOf(abilities: readonly PhpAbility[], dir: string): readonly string[] {
  const folders = abilities.flatMap(({ file }) => /^.*?(?:mu-)?plugins\/[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)].filter((path) => existsSync(resolve(dir, path)));
}

import { statSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, parse } from "node:path";
import { fileURLToPath } from "node:url";
import { omitUndefined } from "../../core/collections.js";
import { byCodeUnit, mapEntries, listOrEmpty } from "../../core/json.js";
import { findForeignOwner } from "../../files/owners.js";
import { fileFailed, makeFolder } from "../../files/write-atomic.js";
import type { CoreSite } from "./core-site.js";
import { explainFailure } from "./explain-failure.js";
import { coreFolder } from "./find-core.js";
import type { PhpAnswer, PhpFailure, SiteFailure } from "./php-answer.js";
import { CORE_SETTINGS, phpArguments, phpFile, runPhp } from "./php-process.js";
import { type Answers, constantsOf, settledBy, SITE_STATES } from "./site-state.js";
import { filesOfPlugin, findPlugin, type MainFile } from "./plugin-files.js";

interface CoreRun {
  readonly answers?: Answers;
  /** The abilities whose lines are looked for. */
  readonly trace?: readonly string[];
  /** The plugins to load; all by default. */
  readonly plugins?: readonly MainFile[];
}

/** Loads the plugins into the core, and returns what they register. */
export type RunCore = (run: CoreRun) => Promise<PhpAnswer | SiteFailure>;

/**
 * Lets `work` run PHP, one run after the other, with the content folder of a site in a temporary folder. Nothing is written
 * anywhere else.
 */
export async function withCore<T>(site: CoreSite, work: (run: RunCore) => Promise<T>): Promise<T> {
  const shared = tmpdir();
  const dir = await mkdtemp(join(shared, "mcp-codegen-php-"))
    .then((path) => realpath(path))
    .catch((cause: unknown) => {
      throw fileFailed(`In the temporary folder "${shared}", none can be created`, cause);
    });
  try {
    return await work((run) => runOnce(site, dir, run));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** The time limit of a run. PHP's own limit names the line of a loop; this one ends code that waits. */
const MOST_SECONDS = 45;

async function runOnce(
  {
    core,
    plugins: all,
    beside,
    before,
    themes: configured,
    options,
    constants,
    env,
    nameOf,
    signal,
  }: CoreSite,
  dir: string,
  { answers = {}, trace = [], plugins = all }: CoreRun,
): Promise<PhpAnswer | SiteFailure> {
  const themes = "wp_get_theme()" in answers ? [await makeTheme(dir)] : configured;
  const state = join(dir, "state.php");
  const code = Object.keys(answers).map((question) => SITE_STATES[question]?.php ?? "");
  await writeFile(state, ["<?php", ...code].join("\n"));
  const content = await makeContent(dir, [state, ...before], themes);
  const names = new Map<string, string>();
  const bases: string[] = [];
  const linked: Record<string, string> = {};
  for (const { file, isMustUse } of [...plugins, ...beside.map((file) => ({ file, isMustUse: false }))]) {
    const folder = join(content, isMustUse ? "mu-plugins" : "plugins");
    const isSingle = isMustUse || basename(dirname(file)) === "plugins";
    const source = isSingle ? file : dirname(file);
    const target = await realpath(source);
    const name = names.get(target) ?? freeName(basename(source), [...names.values()]);
    if (!names.has(target)) await linkTo(target, join(folder, name));
    names.set(target, name);
    if (isSingle) linked[folder] = await realpath(dirname(file));
    if (!isMustUse) bases.push(isSingle ? name : `${name}/${basename(file)}`);
  }
  const realFolders = (files: readonly string[]): Promise<readonly string[]> =>
    Promise.all(files.map((file) => realpath(file)));
  const [stylesheet, template = stylesheet] = themes.map((folder) => basename(folder));
  const theme = stylesheet === undefined ? {} : omitUndefined({ stylesheet, template });
  const others = listOrEmpty(options["active_plugins"]);
  const job = {
    core,
    dir,
    content,
    answers,
    states: mapEntries(SITE_STATES, ({ names }) => names),
    settled: settledBy({ ...theme, ...options }, constants),
    trace,
    // WordPress loads those that are there.
    options: { ...theme, ...options, active_plugins: [...bases.sort(byCodeUnit), ...others] },
    constants: { ...constants, ...constantsOf(answers) },
    linked,
    beside: await realFolders(beside.map((file) => dirname(file))),
    folders: await realFolders([...plugins.map(({ file }) => dirname(file)), ...themes]),
  };
  // The tracer has other code in the same files.
  const cache = trace.length > 0 ? {} : codeCache(env);
  const command = [
    "php",
    ...phpArguments({ ...CORE_SETTINGS, ...cache }),
    fileURLToPath(phpFile("core/boot.php")),
  ];
  const stdin = JSON.stringify(job);
  return runPhp(command, { cwd: dir, home: dir, stdin, seconds: MOST_SECONDS, signal }, nameOf);
}

/** Makes the content folder of a run, without plugins. */
async function makeContent(
  dir: string,
  before: readonly string[],
  themes: readonly string[],
): Promise<string> {
  // Another one for each run, so that a definition with its path is not the same twice.
  const content = join(await mkdtemp(join(dir, "run-")), "wp-content");
  for (const name of ["plugins", "mu-plugins", "themes"])
    await mkdir(join(content, name), { recursive: true });
  const load = async (name: string, file: string): Promise<void> =>
    writeFile(join(content, name), `<?php require_once ${phpText(file)};\n`);
  await load("db.php", fileURLToPath(phpFile("core/no-database.php")));
  await writeFile(join(content, "sunrise.php"), "<?php McpCodegen\\Core\\Watch::make_network();\n");
  // Our own first, since WordPress loads must-use plugins by their names.
  const first = [fileURLToPath(phpFile("core/new-site.php")), ...before];
  await Promise.all(first.map((file, at) => load(`mu-plugins/!${String(at).padStart(2, "0")}.php`, file)));
  for (const theme of themes) await linkTo(await realpath(theme), join(content, "themes", basename(theme)));
  return content;
}

/** Makes a block theme that has something of each kind, and returns its folder. */
async function makeTheme(dir: string): Promise<string> {
  const theme = join(dir, "another-theme");
  const files = {
    "style.css": "/* Theme Name: Another */",
    "theme.json":
      '{"version":3,"customTemplates":[{"name":"another","title":"Another","postTypes":["page"]}]}',
    "templates/index.html": "",
    "templates/another.html": "",
    "functions.php": `<?php add_action( 'init', function () {
      foreach ( array( 'post-thumbnails', 'custom-logo', 'woocommerce', 'align-wide' ) as $feature ) { add_theme_support( $feature ); }
      register_nav_menu( 'another', 'Another' );
      register_sidebar( array( 'id' => 'another' ) );
      add_image_size( 'another', 1, 1 );
      register_block_pattern( 'another/one', array( 'title' => 'Another', 'content' => '' ) );
    }, 1 );`,
  };
  await mkdir(join(theme, "templates"), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(theme, name), text);
  return theme;
}

function freeName(name: string, others: readonly string[]): string {
  const { name: stem, ext } = parse(name);
  let free = name;
  for (let count = 2; others.includes(free); count += 1) free = `${stem}-${count}${ext}`;
  return free;
}

/** Windows lets everyone link folders, and only some people link files. */
async function linkTo(target: string, path: string): Promise<void> {
  await symlink(target, path, "junction").catch(() => copyFile(target, path));
}

/** Prints a text as a literal of PHP. */
function phpText(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/**
 * Returns the settings with which PHP keeps compiled code in files, which halves the time of a run: in the user's cache, in a
 * folder that is made if need be, and that no other user can write to. None where there can be no such folder.
 */
function codeCache(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const downloaded = coreFolder(env);
  if (downloaded === undefined) return {};
  const folder = join(dirname(downloaded), "opcache");
  try {
    makeFolder(folder, 0o700);
    if ((statSync(folder).mode & 0o022) !== 0 || findForeignOwner(folder) !== undefined) return {};
  } catch {
    return {};
  }
  return { "opcache.enable_cli": "1", "opcache.file_cache_only": "1", "opcache.file_cache": folder };
}

interface PluginRun {
  readonly answer: PhpAnswer;
  /** The answers that the plugins ask for; undefined if one fails with them. */
  readonly answers: Answers | undefined;
  /** The plugins that did not fail. */
  readonly plugins: readonly MainFile[];
  readonly failures: readonly PhpFailure[];
}

/**
 * Runs the plugins in the site with these answers, again without one that fails, until the others register their abilities.
 *
 * @throws McpCodegenError `PHP_FAILED` when the only plugin fails, or no plugin is the cause
 */
export async function runPlugins(site: CoreSite, run: RunCore, answers: Answers): Promise<PluginRun> {
  const failures: PhpFailure[] = [];
  let { plugins } = site;
  const isNew = Object.keys(answers).length === 0;
  const first = isNew ? undefined : await run({ plugins, answers });
  if (first !== undefined && !("kind" in first)) {
    const asked = new Set(first.asked.map(({ question }) => question));
    const needed = Object.entries(answers).filter(([question]) => asked.has(question));
    return { answer: first, answers: Object.fromEntries(needed), plugins, failures };
  }
  for (;;) {
    const answer = await run({ plugins });
    if (!("kind" in answer)) return { answer, answers: isNew ? answers : undefined, plugins, failures };
    // Without PHP, or with an old one, no plugin is the cause.
    if (answer.kind === "old-php" || answer.kind === "not-found") throw await explainFailure(answer, site);
    const failed = findPlugin(answer.file, plugins);
    const causes = failed === undefined ? await findCauses(answer, plugins, run) : [failed];
    const error = await explainFailure(answer, site, causes[0]);
    plugins = plugins.filter((plugin) => !causes.includes(plugin));
    if (causes.length === 0 || plugins.length === 0) throw error;
    for (const plugin of causes)
      failures.push({
        // A file of no plugin may be one that it loads.
        covers: (file) =>
          filesOfPlugin(plugin, site.plugins)(file) || findPlugin(file, site.plugins) === undefined,
        reason: error.message,
        hint: error.hint,
        place: error.place,
      });
  }
}

/**
 * Returns the plugins that fail in the same way alone. A process that was stopped names no place, and WordPress calls a callback
 * that does not exist.
 */
async function findCauses(
  { message }: SiteFailure,
  plugins: readonly MainFile[],
  run: RunCore,
): Promise<readonly MainFile[]> {
  const causes: MainFile[] = [];
  for (const plugin of plugins) {
    const result = await run({ plugins: [plugin] });
    if ("kind" in result && result.message === message) causes.push(plugin);
  }
  return causes;
}

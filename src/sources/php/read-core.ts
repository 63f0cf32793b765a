import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { parsePhpAbility } from "../../client/listing/wordpress/read-abilities.js";
import type { PhpConfig } from "../../config/config.js";
import { toolNameOf } from "../../core/ability.js";
import { McpCodegenError } from "../../core/errors.js";
import { findOwn, objectOrEmpty, tryParseJson } from "../../core/json.js";
import { openCodeCache } from "./code-cache.js";
import { CORE_VARIABLES, findCore } from "./find-core.js";
import {
  describePlace,
  type PhpAnswer,
  type PhpPlace,
  type Question,
  serversOf,
  type SiteFailure,
} from "./php-answer.js";
import type { PhpFailure, PhpLines, PhpReading, ReadPhpOptions } from "./php-reading.js";
import {
  coveredBy,
  filesOfPlugin,
  findMentionedAbilities,
  findPluginFiles,
  type MainFile,
  nameRealFiles,
  posix,
  readPhpFiles,
  REGISTERS,
} from "./plugin-files.js";
import { type CoreSite, type RunCore, withCore } from "./run-core.js";
import { type Settled, settleAnswers } from "./settle-answers.js";

type NameOf = (file: string) => string;

const OF_CORE = "wp-includes/";

/**
 * Loads plugins into the core of WordPress without a site, and returns the abilities that they register. Uses the `php` on the
 * PATH.
 *
 * @throws McpCodegenError `PHP_FAILED` when there is no PHP or no core, or the code fails; `CONFIG_INVALID` for paths without a
 *   plugin
 */
export async function readCore(server: string, php: PhpConfig, options: ReadPhpOptions): Promise<PhpReading> {
  const { paths = [], bootstrap, theme, options: site = {}, constants = {} } = php;
  const { dir, locked, lookup, signal } = options;
  const where = `servers.${server}.php`;
  assertThere(`${where}.bootstrap`, dir, bootstrap);
  assertThere(`${where}.theme`, dir, theme);
  const files = await findPluginFiles(dir, paths, where);
  const themes = await findThemes(theme ?? (await themeOf(dir, paths)), dir);
  // A theme loads its files itself.
  const plugins = files.files.filter(
    ({ file }) => !themes.some((folder) => file.startsWith(`${folder}${sep}`)),
  );
  const env = Object.fromEntries(CORE_VARIABLES.map((name) => [name, lookup(name)]));
  const core = await findCore({ server, core: php.core, paths, dir, env });
  const loaded: CoreSite = {
    server,
    core: core.folder,
    plugins,
    beside: await findAdapter(plugins),
    before: [...(await findAutoloader(dir)), ...(bootstrap === undefined ? [] : [resolve(dir, bootstrap)])],
    themes,
    options: site,
    constants,
    codeCache: openCodeCache(env),
    signal,
  };
  const nameReal = await nameRealFiles(dir, paths);
  // The core may be anywhere.
  const inCore = join(core.folder, OF_CORE);
  const nameOf: NameOf = (file) =>
    file.startsWith(inCore) ? posix(relative(core.folder, file)) : nameReal(file);
  const covers = coveredBy(paths.map((path) => posix(relative(dir, resolve(dir, path)))));
  return withCore(loaded, async (run) => {
    const { answer: base, plugins: sound, failures } = await runPlugins(plugins, run, nameOf);
    const lockedNames = new Set((locked ?? []).map(({ definition }) => definition.name));
    const read = (answer: PhpAnswer): PhpReading => ({
      by: `php ${answer.php} in WordPress ${answer.wordpress} (a new ${"MULTISITE" in constants ? "network" : "single site"})`,
      abilities: answer.abilities.flatMap(({ name, json, file, line }) => {
        const found = parsePhpAbility(json);
        const own = nameOf(file);
        const isOwn = covers(own) && !own.startsWith(OF_CORE);
        return found !== undefined && (isOwn || lockedNames.has(name)) ? [{ ...found, file: own, line }] : [];
      }),
      refused: answer.refused.map((refusal) => ({ ...refusal, file: nameOf(refusal.file) })),
      outputs: answer.outputs.map((output) => ({ ...output, file: nameOf(output.file) })),
      ...serversOf(answer, nameOf),
      failures,
      gaps: [],
      covers,
      isWhole: false,
      undecided: new Map(),
      hint: `Set it in servers.${server}.php.options or .constants, load what defines it with .bootstrap, or read a site with .wordpress.`,
      notes: [],
      mentioned: new Set(),
      trace: async () => Promise.resolve(new Map()),
    });
    const openIn = (answer: PhpAnswer): ReadonlySet<string> => {
      // Without a lock, the abilities are those of a new site.
      const reading = read(locked === undefined ? base : answer);
      const tools = options.differing?.(reading);
      const names = [...reading.abilities.map(({ ability }) => ability.name), ...lockedNames];
      return new Set(names.filter((name) => tools?.has(toolNameOf(name)) === true));
    };
    const asked = ownQuestions(base, openIn(base), { locked: locked ?? [], plugins: sound, nameOf });
    const settled = await settleAnswers({
      base: { ...base, asked },
      run: (answers) => run({ answers, plugins: sound }),
      openIn,
      locked: new Map((locked ?? []).map(({ definition }) => [definition.name, definition])),
    });
    const { answer } = settled;
    const reading = read(answer);
    const registered = new Set(reading.abilities.map(({ ability }) => ability.name));
    const missing = (locked ?? []).filter(({ definition }) => !registered.has(definition.name));
    return {
      ...reading,
      gaps: await findGaps(sound, {
        dir,
        answer,
        locked: missing.flatMap(({ file }) => file ?? []),
        covers: (file) => covers(file) && !failures.some((failure) => failure.covers(file)),
        nameOf,
      }),
      undecided:
        locked === undefined
          ? new Map()
          : await describeOpen(settled, openIn(answer), { locked: lockedNames, roots: files.roots, nameOf }),
      notes: [...noteOld(answer, nameOf), ...noteAnswers(settled, locked === undefined, nameOf)],
      mentioned: await findMentionedAbilities(
        files.roots,
        missing.filter(({ file }) => file === undefined).map(({ definition }) => definition.name),
      ),
      trace: async (names) =>
        withCore(loaded, async (again) => {
          const traced = await again({ answers: settled.answers, plugins: sound, trace: true });
          if (traced.failure !== undefined) throw failed(traced.failure, nameOf);
          return linesOf(traced, answer, names, nameOf);
        }),
    };
  });
}

function assertThere(where: string, dir: string, path: string | undefined): void {
  if (path === undefined || existsSync(resolve(dir, path))) return;
  throw new McpCodegenError("CONFIG_INVALID", `${where}: ${JSON.stringify(path)} does not exist.`);
}

/** Returns the theme that a path is in: the nearest folder with the header of a theme in its `style.css`. */
async function themeOf(dir: string, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    for (let folder = resolve(dir, path); folder !== dirname(folder); folder = dirname(folder)) {
      if (/^[ \t/*#@]*Theme Name:/im.test(await readStyle(folder))) return folder;
      if (folder === dir) break;
    }
  }
  return undefined;
}

/** Returns the folder of a theme, and that of its parent if it is beside it. */
async function findThemes(theme: string | undefined, dir: string): Promise<readonly string[]> {
  if (theme === undefined) return [];
  const folder = resolve(dir, theme);
  const parent = /^[ \t/*#@]*Template:[ \t]*([\w-]+)/im.exec(await readStyle(folder))?.[1];
  const beside = parent === undefined ? folder : join(dirname(folder), parent);
  return beside !== folder && existsSync(beside) ? [folder, beside] : [folder];
}

async function readStyle(folder: string): Promise<string> {
  return (await readFile(join(folder, "style.css"), "utf8").catch(() => "")).slice(0, 8_192);
}

/** The autoloader of Composer, where the folder has the plugins of a whole site: its `wp-config.php` loads it there. */
async function findAutoloader(dir: string): Promise<readonly string[]> {
  const composer = tryParseJson(await readFile(join(dir, "composer.json"), "utf8").catch(() => ""));
  const extra = objectOrEmpty(findOwn(composer, "extra"));
  const file = join(dir, "vendor/autoload.php");
  const isSite = ["wordpress-install-dir", "installer-paths"].some((key) => Object.hasOwn(extra, key));
  return isSite && existsSync(file) ? [file] : [];
}

/** Returns the MCP adapter in the folder of plugins, unless it is read itself: it then says which abilities a server lists. */
async function findAdapter(plugins: readonly MainFile[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const { file, isMustUse } of plugins) {
    const above = isMustUse ? join(dirname(file), "../plugins") : dirname(dirname(file));
    const adapter = join(above, "mcp-adapter/mcp-adapter.php");
    if (plugins.some((plugin) => plugin.file === adapter)) return [];
    if (existsSync(adapter)) found.add(await realpath(adapter));
  }
  return [...found].slice(0, 1);
}

interface PluginRun {
  readonly answer: PhpAnswer;
  /** The plugins that did not fail. */
  readonly plugins: readonly MainFile[];
  readonly failures: readonly PhpFailure[];
}

/**
 * Runs the plugins, again without one that fails, until the others register their abilities.
 *
 * @throws McpCodegenError `PHP_FAILED` when the only plugin fails, or no plugin is the cause
 */
async function runPlugins(all: readonly MainFile[], run: RunCore, nameOf: NameOf): Promise<PluginRun> {
  const names = new Set(all.map(({ file }) => nameOf(file)));
  const failures: PhpFailure[] = [];
  let plugins = all;
  for (;;) {
    const answer = await run({ plugins });
    const { failure } = answer;
    if (failure === undefined) return { answer, plugins, failures };
    const named = causesOf(failure, plugins, nameOf);
    const causes = named.length > 0 ? named : await findCauses(failure, plugins, run);
    const error = failed(failure, nameOf, await hintOfMissing(failure, causes[0], nameOf));
    if (causes.length === 0 || all.length === 1 || failure.kind === "old-php") throw error;
    plugins = plugins.filter((plugin) => !causes.includes(plugin));
    if (plugins.length === 0) throw error;
    for (const { file } of causes) {
      const covers = filesOfPlugin(nameOf(file), names);
      failures.push({ covers, reason: error.message, hint: error.hint });
    }
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
    const { failure } = await run({ plugins: [plugin] });
    if (failure?.message === message) causes.push(plugin);
  }
  return causes;
}

/** Returns the plugin of a failure: the nearest one around the file. Must-use plugins share a folder. */
function causesOf({ file }: SiteFailure, plugins: readonly MainFile[], nameOf: NameOf): readonly MainFile[] {
  const name = nameOf(file);
  const exact = plugins.filter((plugin) => nameOf(plugin.file) === name);
  if (exact.length > 0) return exact;
  const around = plugins
    .filter((plugin) => coveredBy([posix(dirname(nameOf(plugin.file)))])(name))
    .map((plugin) => ({ plugin, depth: dirname(plugin.file).length }));
  const nearest = around.filter(({ depth }) => around.every((other) => other.depth <= depth));
  return nearest.length === 1 ? nearest.map(({ plugin }) => plugin) : [];
}

function failed(failure: SiteFailure, nameOf: NameOf, hint: string = hintOf(failure)): McpCodegenError {
  if (failure.kind === "old-php")
    return new McpCodegenError("PHP_FAILED", `${failure.message}.`, { hint: "Install a newer PHP." });
  if (failure.file === "")
    return new McpCodegenError("PHP_FAILED", `PHP failed: ${failure.message}`, { hint: WAITS });
  const during = failure.hook === "" ? "loading" : `in the hook "${failure.hook}"`;
  return new McpCodegenError(
    "PHP_FAILED",
    `${describePlace(failure, nameOf)}, ${during}: ${describeFailure(failure)}.`,
    { hint },
  );
}

const WAITS = "Look for code that loops or waits when the plugins load, or that needs more memory.";

function describeFailure({ kind, message }: SiteFailure): string {
  switch (kind) {
    case "exit":
      return "the plugin ends the process (exit or die)";
    case "died":
      return `the plugin stops WordPress with ${JSON.stringify(message)}`;
    case "redirect":
      return `the plugin redirects to ${JSON.stringify(message)} and ends the process`;
    default:
      return message.replace(/\.$/, "");
  }
}

function hintOf({ kind, message, missing }: SiteFailure): string {
  if (/Failed opening required '[^']*[/\\]vendor[\w-]*[/\\]/.test(message)) return 'Run "composer install".';
  if (kind === "parse") return "Fix the file.";
  if (/^Maximum execution time|^Allowed memory size|undefined function \w*sleep/.test(message)) return WAITS;
  if (missing !== "")
    return `A site fails here too if nothing defines ${missing}. If another plugin does, load it with the php.bootstrap of this server.`;
  if (kind === "fatal" || kind === "thrown")
    return "If it needs another plugin or a setting, load it with the php.bootstrap of this server, or set php.options.";
  return "Set what it checks before it ends, in php.options or the php.bootstrap of this server.";
}

function linesOf(traced: PhpAnswer, answer: PhpAnswer, names: readonly string[], nameOf: NameOf): PhpLines {
  const printed = new Map(answer.abilities.map(({ name, json }) => [name, json]));
  const same = traced.abilities.filter(
    ({ name, json }) => names.includes(name) && printed.get(name) === json,
  );
  return new Map(
    same.map(({ name, lines }) => [
      name,
      new Map([...lines].map(([pointer, { file, line }]) => [pointer, { file: nameOf(file), line }])),
    ]),
  );
}

const SHOWN = 3;

function listOf(questions: readonly Question[], nameOf: NameOf): string {
  const shown = questions.slice(0, SHOWN).map((one) => `${one.question} (${nameOf(one.file)}:${one.line})`);
  const more = questions.length > shown.length ? ` and ${questions.length - shown.length} more` : "";
  return `${shown.join(", ")}${more}`;
}

interface OwnOptions {
  readonly locked: NonNullable<ReadPhpOptions["locked"]>;
  readonly plugins: readonly MainFile[];
  readonly nameOf: NameOf;
}

/** Returns the questions of the plugins whose abilities are open; all if the plugin of one is not known. */
function ownQuestions(
  { abilities, asked }: PhpAnswer,
  open: ReadonlySet<string>,
  { locked, plugins, nameOf }: OwnOptions,
): readonly Question[] {
  const folders = plugins.flatMap(({ file, isMustUse }) =>
    isMustUse ? [] : [posix(dirname(nameOf(file))).replace(/^\.$/, "")],
  );
  // Must-use plugins count as one.
  const ownerOf = (file: string): string => folders.find((folder) => coveredBy([folder])(file)) ?? "";
  const files = new Map(locked.map(({ definition, file }) => [definition.name, file]));
  for (const { name, file } of abilities) files.set(name, nameOf(file));
  const owners = new Set([...open].map((name) => files.get(name)));
  if (owners.has(undefined)) return asked;
  const known = new Set([...owners].map((file = "") => ownerOf(file)));
  return asked.filter(({ file }) => known.has(ownerOf(nameOf(file))));
}

interface OpenOptions {
  readonly locked: ReadonlySet<string>;
  readonly roots: readonly string[];
  readonly nameOf: NameOf;
}

/**
 * Returns why locked abilities are not known: an answer of the site decides them, the contents of its database may, or the PHP
 * names an ability that it does not register here.
 */
async function describeOpen(
  { answer, deciding }: Settled,
  open: ReadonlySet<string>,
  { locked, roots, nameOf }: OpenOptions,
): Promise<ReadonlyMap<string, string>> {
  const reasons = new Map<string, string>();
  // A refused ability is removed, and a new one is that of a new site.
  const names = [...open].filter(
    (name) => locked.has(name) && !answer.refused.some((refusal) => refusal.name === name),
  );
  const absent = names.filter((name) => !answer.abilities.some((one) => one.name === name));
  const [query] = answer.queries;
  const depends = answer.asked.length > 0 || query !== undefined;
  const named = await findMentionedAbilities(roots, absent, (text, name) =>
    isNamedIn(text, name, depends ? name.slice(name.indexOf("/") + 1) : name),
  );
  const database = (place: PhpPlace): string =>
    `It depends on the contents of the database: ${nameOf(place.file)}:${place.line} asks for them`;
  for (const name of names) {
    const questions = deciding.get(name);
    const registered = answer.abilities.find((one) => one.name === name);
    const own = registered && answer.queries.find(({ file }) => file === registered.file);
    if (questions !== undefined) reasons.set(name, `It depends on the site: ${listOf(questions, nameOf)}`);
    else if (own !== undefined) reasons.set(name, database(own));
    else if (!named.has(name)) continue;
    else if (query !== undefined) reasons.set(name, database(query));
    else {
      const asked = answer.asked.length === 0 ? "" : `, perhaps because of ${listOf(answer.asked, nameOf)}`;
      reasons.set(name, `The PHP names it and does not register it here${asked}`);
    }
  }
  return reasons;
}

/** Whether a PHP text names an ability, or the part of its name that is not its namespace. */
function isNamedIn(text: string, name: string, part: string): boolean {
  return [name, part].some((one) => text.includes(`'${one}'`) || text.includes(`"${one}"`));
}

function noteOld({ old, wordpress }: PhpAnswer, nameOf: NameOf): readonly string[] {
  return old.map(
    ({ hook, file, line }) =>
      `${nameOf(file)}:${line} is on the hook "${hook}", which WordPress ${wordpress} does not fire: use "wp_${hook}"`,
  );
}

/** Says for which site the abilities are as locked, or, without a lock, which of them another site registers otherwise. */
function noteAnswers({ answers, deciding }: Settled, isFirst: boolean, nameOf: NameOf): readonly string[] {
  const given = Object.entries(answers).map(([question, value]) => `${question} is ${JSON.stringify(value)}`);
  if (given.length > 0) return [`as locked if ${given.join(" and ")}`];
  if (!isFirst) return [];
  return [...deciding].map(
    ([name, questions]) =>
      `${JSON.stringify(name)} is that of a new site: it depends on ${listOf(questions, nameOf)}`,
  );
}

interface GapOptions {
  readonly dir: string;
  readonly answer: PhpAnswer;
  /** The files of locked abilities that are not registered. */
  readonly locked: readonly string[];
  readonly covers: PhpFailure["covers"];
  readonly nameOf: NameOf;
}

/** Returns the code that did not run as on a site: Composer did not run, or a file of locked abilities was not loaded. */
async function findGaps(plugins: readonly MainFile[], options: GapOptions): Promise<readonly PhpFailure[]> {
  const { dir, answer, covers, nameOf } = options;
  const loaded = new Set(answer.included.map(nameOf));
  const locked = [...new Set(options.locked)].filter((file) => covers(file) && !loaded.has(file));
  const names = new Set(plugins.map(({ file }) => nameOf(file)));
  const gaps: PhpFailure[] = [];
  for (const plugin of plugins) {
    const isOwn = filesOfPlugin(nameOf(plugin.file), names);
    const hint = await hintOfComposer(plugin, nameOf);
    const unread =
      hint === undefined
        ? undefined
        : ((await findUnread(dirname(plugin.file), loaded, nameOf)) ?? locked.find(isOwn));
    if (unread === undefined) continue;
    const autoloader = JSON.stringify(nameOf(join(dirname(plugin.file), AUTOLOADER)));
    const reason = `${autoloader} does not exist, and ${JSON.stringify(unread)}, which registers abilities, was not loaded.`;
    gaps.push({ covers: isOwn, reason, hint });
  }
  // The abilities of a file that was deleted are removed.
  const unread = locked.filter(
    (file) => existsSync(resolve(dir, file)) && !gaps.some((gap) => gap.covers(file)),
  );
  return [
    ...gaps,
    ...unread.map((file) => ({
      covers: (one: string) => one === file,
      reason: `${JSON.stringify(file)} registered abilities and was not loaded.`,
      hint: "Load it with php.bootstrap, or delete it with its abilities.",
    })),
  ];
}

const AUTOLOADER = "vendor/autoload.php";

/** Returns how to load a name that the plugin itself defines, or that Composer would load; undefined for another name. */
async function hintOfMissing(
  { missing }: SiteFailure,
  plugin: MainFile | undefined,
  nameOf: NameOf,
): Promise<string | undefined> {
  if (missing === "" || plugin === undefined || plugin.isMustUse) return undefined;
  const folder = dirname(plugin.file);
  const composer = await hintOfComposer(plugin, nameOf);
  if (composer !== undefined) return composer;
  const name = missing.slice(missing.lastIndexOf("\\") + 1);
  if (!/^\w+$/.test(name)) return undefined;
  const declares = new RegExp(
    `\\b(?:class|interface|trait|enum|function|const)\\s+&?${name}\\b|\\bdefine\\(\\s*['"]${name}['"]`,
    "i",
  );
  for await (const { file, text } of readPhpFiles([folder], DEPENDENCIES)) {
    if (!declares.test(text)) continue;
    return existsSync(join(folder, "composer.json"))
      ? runComposer(folder, nameOf)
      : `Load ${JSON.stringify(nameOf(file))}, which defines it.`;
  }
  return undefined;
}

function runComposer(folder: string, nameOf: NameOf): string {
  return `Run "composer install" in ${JSON.stringify(nameOf(folder) || ".")}.`;
}

/** Returns what to do if Composer loads the classes of a plugin, and did not run. */
async function hintOfComposer(plugin: MainFile | undefined, nameOf: NameOf): Promise<string | undefined> {
  if (plugin === undefined || plugin.isMustUse) return undefined;
  const folder = dirname(plugin.file);
  if (existsSync(join(folder, AUTOLOADER))) return undefined;
  const [json, code] = await Promise.all(
    [join(folder, "composer.json"), plugin.file].map((file) => readFile(file, "utf8").catch(() => "")),
  );
  const composer = objectOrEmpty(tryParseJson(json ?? ""));
  const requires = Object.keys(objectOrEmpty(composer["require"])).some((name) => name.includes("/"));
  const needs =
    requires ||
    Object.keys(objectOrEmpty(composer["autoload"])).length > 0 ||
    /\bvendor\/autoload\.php/.test(code ?? "");
  return needs ? runComposer(folder, nameOf) : undefined;
}

const DEPENDENCIES = new Set(["node_modules", "tests", "languages", "vendor", "vendor-prefixed"]);

async function findUnread(
  folder: string,
  loaded: ReadonlySet<string>,
  nameOf: NameOf,
): Promise<string | undefined> {
  for await (const { file, text } of readPhpFiles([folder], DEPENDENCIES))
    if (REGISTERS.test(text) && !loaded.has(nameOf(file))) return nameOf(file);
  return undefined;
}

import { copyFile, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, parse } from "node:path";
import { fileURLToPath } from "node:url";
import { byCodeUnit, type JsonObject, type JsonValue } from "../../core/json.js";
import { findFileText } from "../../files/read-files.js";
import { fileFailed } from "../../files/write-atomic.js";
import { type PhpAnswer, readPhpAnswer } from "./php-answer.js";
import { phpFile, runPhp } from "./php-process.js";
import type { MainFile } from "./plugin-files.js";

/** A site without a database: the core, and the code that is loaded into it. */
export interface CoreSite {
  /** The server, for messages. */
  readonly server: string;
  /** The folder of the core. */
  readonly core: string;
  readonly plugins: readonly MainFile[];
  /** The main files of plugins that are loaded too, and not read. */
  readonly beside: readonly string[];
  /** PHP files to load before the plugins. */
  readonly before: readonly string[];
  /** The folder of the active theme, and that of its parent; empty for the default theme. */
  readonly themes: readonly string[];
  readonly options: JsonObject;
  readonly constants: JsonObject;
  readonly codeCache: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Other answers than those of a new site, by question. */
export type Answers = Readonly<Record<string, JsonValue>>;

interface CoreRun {
  readonly answers?: Answers;
  /** Find the lines of the parts of abilities. */
  readonly trace?: boolean;
  /** The plugins to load; all by default. */
  readonly plugins?: readonly MainFile[];
}

/** Loads the plugins into the core, and returns what they register. */
export type RunCore = (run: CoreRun) => Promise<PhpAnswer>;

/**
 * Makes the content folder of a site in a temporary folder, and lets `work` run PHP with it. Nothing is written anywhere else.
 *
 * @throws McpCodegenError `PHP_FAILED` when PHP is not installed, or there is no temporary folder
 */
export async function withCore<T>(site: CoreSite, work: (run: RunCore) => Promise<T>): Promise<T> {
  const shared = tmpdir();
  const dir = await mkdtemp(join(shared, "mcp-codegen-php-"))
    .then((path) => realpath(path))
    .catch((cause: unknown) => {
      throw fileFailed(`In the temporary folder "${shared}", none can be created`, cause);
    });
  try {
    const bases = await makeContent(dir, site);
    let runs = 0;
    return await work((run) => runOnce(site, { dir, bases, number: (runs += 1) }, run));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Makes the content folder. Returns the names of the plugins there, such as `acme/acme.php`. */
async function makeContent(dir: string, site: CoreSite): Promise<ReadonlyMap<string, string>> {
  const content = join(dir, "wp-content");
  const folders = ["plugins", "themes"].map((name) => join(content, name));
  await Promise.all(folders.map((folder) => mkdir(folder, { recursive: true })));
  await load(join(content, "db.php"), fileURLToPath(phpFile("core/no-database.php")));
  await writeFile(join(content, "sunrise.php"), "<?php McpCodegen\\Core\\Watch::make_network();\n");
  for (const theme of site.themes)
    await linkTo(await realpath(theme), join(content, "themes", basename(theme)));
  const bases = new Map<string, string>();
  const linked = new Map<string, string>();
  const beside = site.beside.map((file) => ({ file, isMustUse: false }));
  for (const { file, isMustUse } of [...site.plugins, ...beside]) {
    const isSingle = isMustUse || basename(dirname(file)) === "plugins";
    const target = await realpath(isSingle ? file : dirname(file));
    let name = linked.get(target);
    if (name === undefined) {
      name = freeName(basename(isSingle ? file : dirname(file)), [...linked.values()]);
      linked.set(target, name);
      if (!isMustUse) await linkTo(target, join(content, "plugins", name));
    }
    bases.set(file, isSingle ? name : `${name}/${basename(file)}`);
  }
  return bases;
}

function freeName(name: string, others: readonly string[]): string {
  const { name: stem, ext } = parse(name);
  let free = name;
  for (let count = 2; others.includes(free); count += 1) free = `${stem}-${count}${ext}`;
  return free;
}

/** Writes a PHP file that loads another one. */
async function load(path: string, file: string): Promise<void> {
  await writeFile(path, `<?php require_once ${phpText(file)};\n`);
}

/** Makes a folder of must-use plugins: our own first, since WordPress loads them by their names. */
async function makeMustUse(
  folder: string,
  before: readonly string[],
  plugins: readonly (readonly [name: string, file: string])[],
): Promise<void> {
  await mkdir(folder);
  const first = [fileURLToPath(phpFile("core/new-site.php")), ...before];
  await Promise.all([
    ...first.map((file, at) => load(join(folder, `!${String(at).padStart(2, "0")}.php`), file)),
    ...plugins.map(async ([name, file]) => linkTo(await realpath(file), join(folder, name))),
  ]);
}

/** Windows lets everyone link folders, and only some people link files. */
async function linkTo(target: string, path: string): Promise<void> {
  await symlink(target, path, "junction").catch(() => copyFile(target, path));
}

/** Prints a text as a literal of PHP. */
function phpText(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

interface Place {
  readonly dir: string;
  readonly bases: ReadonlyMap<string, string>;
  readonly number: number;
}

async function runOnce(
  { server, core, plugins: all, beside, before, themes, options, constants, codeCache, signal }: CoreSite,
  { dir, bases, number }: Place,
  { answers = {}, trace = false, plugins = all }: CoreRun,
): Promise<PhpAnswer> {
  const job = join(dir, `job-${number}.json`);
  const out = join(dir, `answer-${number}.json`);
  const content = join(dir, "wp-content");
  const mustUse = join(content, `mu-plugins-${number}`);
  const named = plugins.map((plugin) => ({ ...plugin, base: bases.get(plugin.file) ?? "" }));
  await makeMustUse(
    mustUse,
    before,
    named.flatMap(({ base, file, isMustUse }) => (isMustUse ? [[base, file] as const] : [])),
  );
  await writeFile(
    job,
    JSON.stringify({
      core,
      content,
      dir,
      out,
      answers,
      trace,
      options,
      linked: Object.fromEntries(
        await Promise.all(
          named
            .filter(({ base }) => !base.includes("/"))
            .map(
              async ({ file, isMustUse }) =>
                [isMustUse ? mustUse : join(content, "plugins"), await realpath(dirname(file))] as const,
            ),
        ),
      ),
      constants: { WPMU_PLUGIN_DIR: mustUse, ...constants },
      plugins: named
        .flatMap(({ base, isMustUse }) => (isMustUse ? [] : [base]))
        .concat(beside.map((file) => bases.get(file) ?? ""))
        .sort(byCodeUnit),
      beside: await Promise.all(beside.map((file) => realpath(dirname(file)))),
      themes: themes.map((theme) => basename(theme)),
      folders: await Promise.all(
        [...plugins.map(({ file }) => dirname(file)), ...themes].map((path) => realpath(path)),
      ),
    }),
  );
  const how = await runPhp(job, dir, {
    server,
    // The tracer has other code in the same files.
    codeCache: trace ? undefined : codeCache,
    signal,
  });
  signal?.throwIfAborted();
  const text = await findFileText(out);
  const answer = text === undefined ? undefined : readPhpAnswer(text);
  return answer ?? endedAnswer(how);
}

/** Returns the answer of a process that wrote none. */
function endedAnswer(message: string): PhpAnswer {
  return {
    php: "",
    wordpress: "",
    abilities: [],
    refused: [],
    old: [],
    servers: [],
    uncalled: [],
    included: [],
    asked: [],
    queries: [],
    outputs: [],
    failure: { kind: "ended", message, file: "", line: 0, hook: "", missing: "" },
  };
}

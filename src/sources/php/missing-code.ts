import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { objectOrEmpty, tryParseJson } from "../../core/json.js";
import type { PhpAnswer, PhpFailure, SiteFailure } from "./php-answer.js";
import {
  DEPENDENCIES,
  filesOfPlugin,
  type MainFile,
  nameBeside,
  readPhpFiles,
  REGISTERS,
} from "./plugin-files.js";

const AUTOLOADER = "vendor/autoload.php";

interface GapOptions {
  readonly dir: string;
  readonly answer: PhpAnswer;
  /** The files of locked abilities that are not registered. */
  readonly locked: readonly string[];
}

/** Returns the code that did not run as on a site: Composer did not run, or a file of locked abilities was not loaded. */
export async function findGaps(
  plugins: readonly MainFile[],
  { dir, answer, locked }: GapOptions,
): Promise<readonly PhpFailure[]> {
  const loaded = new Set(answer.included);
  const unread = [...new Set(locked)].filter((file) => !loaded.has(file));
  const gaps: PhpFailure[] = [];
  for (const plugin of plugins) {
    const covers = filesOfPlugin(plugin, plugins);
    const hint = await hintOfComposer(plugin);
    const file = hint && ((await findUnread(plugin, loaded)) ?? unread.find(covers));
    if (file === undefined) continue;
    const autoloader = JSON.stringify(nameBeside(plugin, join(dirname(plugin.file), AUTOLOADER)));
    const reason = `${autoloader} does not exist, and ${JSON.stringify(file)}, which registers abilities, was not loaded.`;
    gaps.push({ covers, reason, hint });
  }
  // The abilities of a file that was deleted are removed.
  const others = unread.filter(
    (file) => existsSync(resolve(dir, file)) && !gaps.some(({ covers }) => covers(file)),
  );
  return [
    ...gaps,
    ...others.map((file) => ({
      covers: (other: string) => other === file,
      reason: `${JSON.stringify(file)} registered abilities and was not loaded.`,
      hint: "Load it with php.bootstrap, or delete it with its abilities.",
    })),
  ];
}

async function findUnread(plugin: MainFile, loaded: ReadonlySet<string>): Promise<string | undefined> {
  for await (const { file, text } of readPhpFiles([dirname(plugin.file)], DEPENDENCIES)) {
    const name = nameBeside(plugin, file);
    if (REGISTERS.test(text) && !loaded.has(name)) return name;
  }
  return undefined;
}

/** Returns how to load a name that the plugin itself defines, or that Composer would load; undefined for another name. */
export async function hintOfMissing(
  { missing }: SiteFailure,
  plugin: MainFile | undefined,
): Promise<string | undefined> {
  if (missing === "" || plugin === undefined || plugin.isMustUse) return undefined;
  const composer = await hintOfComposer(plugin);
  const name = missing.slice(missing.lastIndexOf("\\") + 1);
  if (composer !== undefined || !/^\w+$/.test(name)) return composer;
  const declares = new RegExp(
    `\\b(?:class|interface|trait|enum|function|const)\\s+&?${name}\\b|\\bdefine\\(\\s*['"]${name}['"]`,
    "i",
  );
  const folder = dirname(plugin.file);
  for await (const { file, text } of readPhpFiles([folder], DEPENDENCIES))
    if (declares.test(text))
      return existsSync(join(folder, "composer.json"))
        ? runComposer(plugin)
        : `Load ${JSON.stringify(nameBeside(plugin, file))}, which defines it.`;
  return undefined;
}

function runComposer({ name }: MainFile): string {
  return `Run "composer install" in ${JSON.stringify(dirname(name))}.`;
}

/** Returns what to do if Composer loads the classes of a plugin, and did not run. */
async function hintOfComposer(plugin: MainFile): Promise<string | undefined> {
  const folder = dirname(plugin.file);
  if (plugin.isMustUse || existsSync(join(folder, AUTOLOADER))) return undefined;
  const [json = "", code = ""] = await Promise.all(
    [join(folder, "composer.json"), plugin.file].map((file) => readFile(file, "utf8").catch(() => "")),
  );
  const composer = objectOrEmpty(tryParseJson(json));
  const requires = Object.keys(objectOrEmpty(composer["require"])).some((name) => name.includes("/"));
  const needs =
    requires ||
    Object.keys(objectOrEmpty(composer["autoload"])).length > 0 ||
    /\bvendor\/autoload\.php/.test(code);
  return needs ? runComposer(plugin) : undefined;
}

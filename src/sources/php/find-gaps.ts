import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { getOwn, isJsonObject, type JsonValue } from "../../core/json.js";
import { coveredBy, filesOfPlugin, readPhpFiles, SKIPPED, type PluginFiles } from "./plugin-files.js";
import type { HarnessAnswer, UndefinedUse } from "./harness-answer.js";
import type { PhpGap } from "./php-reading.js";

interface GapOptions {
  /** The folder of the configuration. */
  readonly dir: string;
  readonly answer: HarnessAnswer;
  /** The undefined names of all runs. */
  readonly uses: readonly UndefinedUse[];
  /** The files of these plugins that registered locked abilities. */
  readonly locked: readonly string[];
  /** Names a file in messages. */
  readonly nameOf: (file: string) => string;
  /** The hint for a name of other code. */
  readonly hint: string;
}

/**
 * Returns the code that did not run as on a site: Composer did not run, a file that registered locked abilities was not
 * loaded, or a registration hook uses an undefined name.
 */
export async function findGaps(files: PluginFiles, options: GapOptions): Promise<readonly PhpGap[]> {
  const { answer, dir, locked, nameOf } = options;
  const names = new Set(files.files.map(nameOf));
  const found = await Promise.all(
    files.files.map((plugin) =>
      findGap(plugin, { ...options, covers: filesOfPlugin(nameOf(plugin), names) }),
    ),
  );
  const loaded = new Set(answer.loaded.map(nameOf));
  const unread = locked.filter((file) => !loaded.has(file) && !found.some((gap) => gap?.covers(file)));
  return [
    ...found.flatMap((gap) => gap ?? []),
    // The abilities of a file that was deleted are removed.
    ...unread
      .filter((file) => existsSync(resolve(dir, file)))
      .map((file) => ({
        covers: (one: string) => one === file,
        reason: `${JSON.stringify(file)} registered abilities and was not loaded.`,
        hint: "Load it with php.bootstrap, or delete it with its abilities.",
      })),
  ];
}

interface PluginOptions extends GapOptions {
  readonly covers: PhpGap["covers"];
}

async function findGap(plugin: string, options: PluginOptions): Promise<PhpGap | undefined> {
  const { covers, dir, nameOf } = options;
  const uses = options.uses.filter(({ plugin: running, file, isCaught }) => {
    return !isCaught && (running === plugin || (running === "" && covers(nameOf(file))));
  });
  // A plugin in a single file shares its folder with other code.
  const folder = dirname(plugin) === dir ? plugin : dirname(plugin);
  const composer = await readComposer(folder, options);
  if (uses.length === 0 && !composer.isMissing) return undefined;
  const code = await readCode(folder);
  const own =
    uses.find((use) => isOwn(use, code, composer.namespaces)) ?? (composer.isMissing ? uses[0] : undefined);
  const gap =
    own === undefined && !composer.isMissing
      ? undefined
      : describeOwn(own, { folder, code, composer, options });
  if (gap !== undefined) return gap;
  const fatal = uses.find(({ hook }) => hook !== "");
  if (fatal === undefined) return undefined;
  const reason = `${describeUse(fatal, nameOf)} in the hook "${fatal.hook}", where WordPress stops if it is not defined.`;
  return { covers, reason, hint: options.hint, name: fatal.name };
}

interface OwnCode {
  readonly folder: string;
  readonly code: Code;
  readonly composer: Composer;
  readonly options: PluginOptions;
}

/** Describes code of the plugin that is not defined or not loaded; undefined when it cannot concern abilities. */
function describeOwn(
  use: UndefinedUse | undefined,
  { folder, code, composer, options: { answer, covers, locked, nameOf } }: OwnCode,
): PhpGap | undefined {
  const loaded = new Set(answer.loaded.map(nameOf));
  const registering = [...code.registering.map(nameOf), ...locked.filter(covers)];
  const unread = registering.find((file) => !loaded.has(file));
  const isConcerned = registering.length > 0 || answer.abilities.some(({ file }) => covers(nameOf(file)));
  if (!isConcerned || (use === undefined && unread === undefined)) return undefined;
  const reason =
    use === undefined
      ? `${JSON.stringify(unread)} registers abilities and was not loaded.`
      : `${describeUse(use, nameOf)}, which is not defined.`;
  const autoloader = composer.isMissing
    ? `${JSON.stringify(nameOf(join(folder, AUTOLOADER)))} does not exist. `
    : "";
  const hint = composer.isUsed
    ? `Run "composer install" in ${JSON.stringify(nameOf(folder) || ".")}.`
    : "Correct the name, or load the file that defines it.";
  return { covers, reason: `${autoloader}${reason}`, hint };
}

function describeUse({ kind, name, file, line }: UndefinedUse, nameOf: GapOptions["nameOf"]): string {
  return `${nameOf(file)}:${line} uses the ${kind} ${name}${kind === "function" ? "()" : ""}`;
}

interface Code {
  readonly texts: ReadonlyMap<string, string>;
  /** The namespaces that it declares, in lower case. */
  readonly namespaces: readonly string[];
  /** The files that register abilities. */
  readonly registering: readonly string[];
}

/** Stubs of other plugins are often among the dependencies. */
const DEPENDENCIES = new Set([...SKIPPED, "vendor", "vendor-prefixed", "vendor_prefixed"]);

async function readCode(folder: string): Promise<Code> {
  const texts = new Map<string, string>();
  for await (const { file, text } of readPhpFiles([folder], DEPENDENCIES)) texts.set(file, text);
  const namespaces = [...texts.values()].flatMap((text) =>
    [...text.matchAll(/^(?:<\?php)?\s*namespace\s+([\w\\]+)\s*[;{]/gim)].map(([, name = ""]) =>
      name.toLowerCase(),
    ),
  );
  const registering = [...texts].filter(([, text]) => /\bwp_register_ability\s*\(/.test(text));
  return { texts, namespaces: [...new Set(namespaces)], registering: registering.map(([file]) => file) };
}

/** Whether a name belongs to the plugin: a file declares it, or it is in one of the plugin's namespaces. */
function isOwn({ kind, name, file, line }: UndefinedUse, code: Code, prefixes: readonly string[]): boolean {
  const at = name.lastIndexOf("\\");
  const short = name.slice(at + 1);
  const namespace = name.slice(0, Math.max(at, 0)).toLowerCase();
  const isInside = [...code.namespaces, ...prefixes].some((own) =>
    `${namespace}\\`.startsWith(`${rootOf(own)}\\`),
  );
  if (kind === "class" && namespace !== "") return isInside;
  if ([...code.texts.values()].some((text) => DECLARES[kind](short).test(text))) return true;
  // PHP reports an unqualified name of another plugin in the current namespace.
  const text = code.texts.get(file) ?? "";
  const isQualified =
    new RegExp(`\\w\\\\${short}\\b`, "i").test(text.split("\n")[line - 1] ?? "") ||
    new RegExp(`^\\s*use\\s+(?:function|const)\\s[^;]*\\b${short}\\b`, "im").test(text);
  return isInside && isQualified;
}

const DECLARES: Readonly<Record<UndefinedUse["kind"], (name: string) => RegExp>> = {
  class: (name) => new RegExp(`^[^\\n*/#'"]*\\b(?:class|interface|trait|enum)\\s+${name}\\b`, "im"),
  // A method has a visibility.
  function: (name) =>
    new RegExp(
      `^(?![^\\n]*\\b(?:public|private|protected|static)\\b)[^\\n*/#'"]*\\bfunction\\s+&?${name}\\s*\\(`,
      "im",
    ),
  constant: (name) =>
    new RegExp(`\\bdefine\\s*\\(\\s*['"](?:[\\w\\\\]*\\\\)?${name}['"]|^\\s*const\\s+${name}\\b`, "m"),
};

/** Plugins of one vendor share the first part of their namespaces. */
function rootOf(namespace: string): string {
  return namespace.split("\\").slice(0, 2).join("\\");
}

interface Composer {
  /** Whether the plugin uses Composer. */
  readonly isUsed: boolean;
  /** Whether it needs Composer's autoloader, and none was loaded. */
  readonly isMissing: boolean;
  /** The namespaces that it loads, in lower case. */
  readonly namespaces: readonly string[];
}

const AUTOLOADER = "vendor/autoload.php";

async function readComposer(folder: string, { dir, answer, nameOf }: PluginOptions): Promise<Composer> {
  const isBelow = coveredBy([nameOf(folder)]);
  const isOfProject = coveredBy([nameOf(join(dir, "vendor"))]);
  const isInstalled = answer.loaded.map(nameOf).some((file) => {
    return /(?:^|\/)vendor[\w-]*\/autoload[\w.-]*\.php$/.test(file) && (isBelow(file) || isOfProject(file));
  });
  const json = await readJson(join(folder, "composer.json"));
  const requires = Object.keys(objectAt(json, "require")).some((name) => name.includes("/"));
  const autoload = objectAt(json, "autoload");
  const needs =
    requires || Object.keys(autoload).length > 0 || answer.autoloaders.some((file) => isBelow(nameOf(file)));
  return {
    isUsed: json !== undefined || needs,
    isMissing: needs && !isInstalled,
    namespaces: [
      ...Object.keys(objectAt(autoload, "psr-4")),
      ...Object.keys(objectAt(autoload, "psr-0")),
    ].flatMap((prefix) => prefix.replace(/\\$/, "").toLowerCase() || []),
  };
}

async function readJson(file: string): Promise<JsonValue | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as JsonValue;
  } catch {
    return undefined;
  }
}

function objectAt(value: JsonValue | undefined, key: string): { readonly [key: string]: JsonValue } {
  const found = isJsonObject(value) ? getOwn(value, key) : undefined;
  return isJsonObject(found) ? found : {};
}

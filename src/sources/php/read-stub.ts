import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { parsePhpAbility } from "../../client/listing/wordpress/read-abilities.js";
import type { PhpConfig } from "../../config/config.js";
import { McpCodegenError } from "../../core/errors.js";
import { getOwn, isJsonObject, type JsonValue } from "../../core/json.js";
import type { HarnessAnswer, UndefinedUse } from "./harness-answer.js";
import { INSTALL_PHP, type RunPhp, runPhpFromPath } from "./php-process.js";
import type { PhpGap, PhpReading, ReadPhpOptions } from "./php-reading.js";
import {
  coveredBy,
  filesOfPlugin,
  findMentionedAbilities,
  findPluginFiles,
  nameRealFiles,
  type PluginFiles,
  posix,
  readPhpFiles,
  SKIPPED,
} from "./plugin-files.js";
import { type Alternative, type PluginRun, runPlugins } from "./run-plugins.js";

/**
 * Runs plugins in the stub of WordPress and returns the abilities that they register. Uses the `php` on the
 * PATH, or else `@php-wasm/node`.
 *
 * @throws McpCodegenError `PHP_FAILED` when neither is installed, or the code fails; `CONFIG_INVALID` for paths without a plugin
 */
export async function readStub(
  server: string,
  { paths = [], bootstrap, stubs }: PhpConfig,
  { dir, wanted = [], lockedFiles = [], signal }: ReadPhpOptions,
): Promise<PhpReading> {
  const files = await findPluginFiles(dir, paths, `servers.${server}.php`);
  const nameOf = await nameRealFiles(dir, paths);
  const run = await runPlugins(files, {
    run: async (one) => (await runPhpFromPath(one)) ?? (await runInWasm(one)),
    nameOf,
    bootstrap: bootstrap && resolve(dir, bootstrap),
    stubs,
    signal,
  });
  const covers = coveredBy(paths.map((path) => posix(relative(dir, resolve(dir, path)))));
  if (run === undefined) {
    const message = `The PHP of ${JSON.stringify(server)} cannot be read: PHP is not installed.`;
    throw new McpCodegenError("PHP_FAILED", message, { hint: INSTALL_PHP });
  }
  const reading = readingOf(run, files.files, nameOf, server);
  const locked = lockedFiles.filter(covers);
  const gaps = await findGaps(files, { ...run, dir, nameOf, locked, hint: reading.hint });
  const registered = new Set(reading.abilities.map(({ ability }) => ability.name));
  const lost = wanted.filter((name) => !registered.has(name));
  return {
    covers,
    isWhole: false,
    ...reading,
    gaps,
    mentioned: await findMentionedAbilities(files.roots, lost),
  };
}

type OfRun = Omit<PhpReading, "covers" | "isWhole" | "mentioned" | "gaps">;

function readingOf(
  { answer, missing, failures, alternatives, trace }: PluginRun,
  plugins: readonly string[],
  nameOf: (file: string) => string,
  server: string,
): OfRun {
  return {
    by: `php ${answer.php} in the stub of WordPress`,
    abilities: answer.abilities.flatMap(({ name, json, file, line, unknown }) => {
      const found = parsePhpAbility(json);
      if (found === undefined) return [];
      const other = alternatives.find(({ abilities }) => abilities?.get(name) !== json);
      const doubt =
        unknown.length > 0
          ? `It depends on undefined names: ${unknown.join(", ")}`
          : other && describeDependence(other, nameOf);
      return [{ ...found, file: nameOf(file), line, doubt }];
    }),
    refused: answer.refused.map((refusal) => ({ ...refusal, file: nameOf(refusal.file) })),
    outputs: answer.outputs.map((output) => ({ ...output, file: nameOf(output.file) })),
    madeUp: [...missing.names.map((name) => `${name}()`), ...missing.constants, ...answer.madeUp].sort(),
    failures: failures.map(({ plugin, error }) => ({
      covers: filesOfPlugin(nameOf(plugin), new Set(plugins.map(nameOf))),
      reason: error.message,
      hint: error.hint,
    })),
    possible: new Map(
      alternatives.flatMap((other) =>
        [...(other.abilities?.keys() ?? [])]
          .filter((name) => !answer.abilities.some((found) => found.name === name))
          .map((name) => [name, describeDependence(other, nameOf)]),
      ),
    ),
    trace: async (names) => {
      const printed = new Map(answer.abilities.map(({ name, json }) => [name, json]));
      const traced = (await trace(names)).filter(({ name, json }) => printed.get(name) === json);
      return new Map(
        traced.map(({ name, lines }) => [
          name,
          new Map([...lines].map(([pointer, { file, line }]) => [pointer, { file: nameOf(file), line }])),
        ]),
      );
    },
    hint: `Define them in servers.${server}.php.stubs, or load them with servers.${server}.php.bootstrap.`,
  };
}

/** Returns why an ability is not known that differs, or is missing, with other made-up values. */
function describeDependence(
  { variant, abilities, decisions, replaced = [] }: Alternative,
  nameOf: (file: string) => string,
): string {
  if (abilities === undefined) return "It may depend on made-up values: with other values, the plugins fail";
  switch (variant) {
    case "rows":
      return "It depends on the contents of the database";
    case "inverted":
      return `It depends on undefined names: ${listOf(decisions, ({ origin }) => placeOf(origin))}`;
    case "site":
      return `It depends on the site: ${listOf(replaced, placeOf)}`;
    default:
      return variant satisfies never;
  }

  function placeOf(origin: string): string {
    const decision = decisions.find((one) => one.origin === origin);
    return decision === undefined ? origin : `${origin} (${nameOf(decision.file)}:${decision.line})`;
  }
}

function listOf<T>(items: readonly T[], print: (item: T) => string): string {
  const shown = items.slice(0, SHOWN_DECISIONS).map(print);
  const more = items.length > shown.length ? ` and ${items.length - shown.length} more` : "";
  return `${shown.join(", ")}${more}`;
}

const SHOWN_DECISIONS = 3;

/** Loaded only when `php` is not installed. */
const runInWasm: RunPhp = async (run) => (await import("./php-in-wasm.js")).runPhpInWasm(run);

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
async function findGaps(files: PluginFiles, options: GapOptions): Promise<readonly PhpGap[]> {
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
    [...text.matchAll(/^(?:<\?php\s*|[ \t]*)namespace\s+([\w\\]+)\s*[;{]/gim)].map(([, name = ""]) =>
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

import { realpath } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { PhpConfig } from "../../config/config.js";
import { isAbilitySnapshot, type AbilitySnapshot } from "../../contract/ability.js";
import type { JsonValue } from "../../contract/json.js";
import { findInexactNumbers } from "../../listing/find-inexact-numbers.js";
import { faultAt } from "../../listing/found-ability.js";
import { findPluginFiles, type PluginFiles } from "./find-plugin-files.js";
import { findMentions } from "./find-mentions.js";
import type { PhpPlace, Refusal } from "./harness-answer.js";
import { runPhpFromPath, type RunPhp } from "./php-process.js";
import { runPlugins, type Alternative, type PluginRun } from "./run-plugins.js";

/** What the PHP of a server registers. Files are posix and relative to the configuration. */
export interface PhpReading {
  /** What read it, such as `php 8.3.1`. */
  readonly by: string;
  readonly abilities: readonly PhpAbility[];
  readonly refused: readonly Refusal[];
  /** Registrations of which not even the name is known, and why. */
  readonly nameless: readonly (PhpPlace & { readonly reason: string })[];
  /** What settles doubts. */
  readonly mend: string;
  /** What nobody has, and was made up: functions, constants, classes. */
  readonly madeUp: readonly string[];
  /** Whether a file is one of those that were read. */
  readonly covers: (file: string) => boolean;
  /** Plugins that failed beside others that did not. */
  readonly failures: readonly PhpFailure[];
  /** Abilities that were not found and may be there, and why that is not known. */
  readonly possible: ReadonlyMap<string, string>;
  /** Those of the wanted abilities whose names or namespaces are written in the PHP files, though none was registered. */
  readonly mentioned: ReadonlySet<string>;
  /**
   * Runs once more and returns where abilities are written: by name, and by JSON Pointer into the definition. An ability that
   * is another one in that run has no lines.
   */
  readonly trace: (abilities: readonly string[]) => Promise<PhpLines>;
}

export type PhpLines = ReadonlyMap<string, ReadonlyMap<string, PhpPlace>>;

export interface PhpFailure {
  /** Where the plugin's files are. */
  readonly covers: (file: string) => boolean;
  readonly reason: string;
  readonly hint?: string;
}

export interface PhpAbility extends PhpPlace {
  readonly ability: AbilitySnapshot;
  /** Why it is not known what it is: then nothing but its name is to be believed. */
  readonly doubt?: string;
  /** Why no code can be made of it. */
  readonly fault?: string;
}

export interface ReadPhpOptions {
  /** The folder that the configuration's paths are relative to. */
  readonly dir: string;
  /** Abilities that are locked without a file: those that PHP does not register are looked for in its text. */
  readonly wanted?: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * Runs the user's plugins in our stub of WordPress, and tells what they register: with the `php` on the PATH, or else with
 * `@php-wasm/node`. Where there is neither, their code is read as it is written.
 *
 * @throws McpCodegenError `PHP_FAILED` when their code fails; `CONFIG_INVALID` for paths that hold no plugin
 */
export async function readPhp(
  server: string,
  { paths, bootstrap, stubs }: PhpConfig,
  { dir, wanted = [], signal }: ReadPhpOptions,
): Promise<PhpReading> {
  const files = await findPluginFiles(dir, paths, `servers.${server}.php`);
  const nameOf = await findNames(dir, paths);
  const run = await runPlugins(files, {
    run: async (one) => (await runPhpFromPath(one)) ?? (await runInWasm(one)),
    nameOf,
    ...(bootstrap !== undefined && { bootstrap: resolve(dir, bootstrap) }),
    ...(stubs !== undefined && { stubs }),
    ...(signal !== undefined && { signal }),
  });
  const covers = coveredBy(paths.map((path) => posix(relative(dir, resolve(dir, path)))));
  const reading =
    run === undefined ? await readWithoutPhp(files, nameOf) : readingOf(run, files.files, nameOf, server);
  const registered = new Set(reading.abilities.map(({ ability }) => ability.name));
  const lost = wanted.filter((name) => !registered.has(name));
  return { covers, ...reading, mentioned: await findMentions(files.roots, lost) };
}

function readingOf(
  { answer, missing, failures, alternatives, trace }: PluginRun,
  plugins: readonly string[],
  nameOf: (file: string) => string,
  server: string,
): Omit<PhpReading, "covers" | "mentioned"> {
  return {
    by: `php ${answer.php}`,
    abilities: answer.abilities.flatMap(({ name, json, file, line, unknown }) => {
      const ability = JSON.parse(json) as JsonValue;
      if (!isAbilitySnapshot(ability)) return [];
      const other = alternatives.find(({ abilities }) => abilities?.get(name) !== json);
      const doubt =
        unknown.length > 0
          ? `It is made of what this PHP does not have: ${unknown.join(", ")}`
          : other && describeDependence(other, nameOf);
      return [
        {
          ability,
          file: nameOf(file),
          line,
          ...(doubt !== undefined && { doubt }),
          ...faultAt(findInexactNumbers(json)),
        },
      ];
    }),
    refused: answer.refused.map((refusal) => ({ ...refusal, file: nameOf(refusal.file) })),
    madeUp: [...missing.names.map((name) => `${name}()`), ...missing.constants, ...answer.madeUp].sort(),
    failures: failures.map(({ plugin, error }) => ({
      covers: filesOfPlugin(nameOf(plugin), new Set(plugins.map(nameOf))),
      reason: error.message,
      ...(error.hint !== undefined && { hint: error.hint }),
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
    nameless: [],
    mend: `Say what that is with servers.${server}.php.stubs, or load it with servers.${server}.php.bootstrap.`,
  };
}

/** Why an ability is not known that is another one, or is not there, when made-up values are others. */
function describeDependence(
  { variant, abilities, decisions }: Alternative,
  nameOf: (file: string) => string,
): string {
  if (abilities === undefined) return "It may depend on made-up values: with others, the plugins fail";
  if (variant === "rows") return "It depends on the content of the database";
  const shown = decisions.slice(0, SHOWN_DECISIONS).map(({ origin, file, line }) => {
    return `${origin} (${nameOf(file)}:${line})`;
  });
  const more = decisions.length > shown.length ? ` and ${decisions.length - shown.length} more` : "";
  return `It depends on what this PHP does not have: ${shown.join(", ")}${more}`;
}

const SHOWN_DECISIONS = 3;

/** Reads what is written literally; everything else is in doubt. */
async function readWithoutPhp(
  { roots }: PluginFiles,
  nameOf: (file: string) => string,
): Promise<Omit<PhpReading, "covers" | "mentioned">> {
  const { readStatically } = await import("./static/read-statically.js");
  const registrations = await readStatically(roots, nameOf);
  const read = registrations.map(({ file, ...rest }) => ({ ...rest, file: nameOf(file) }));
  return {
    by: "php-parser, without running it",
    abilities: read.flatMap(({ name, ability, reason, file, line }): readonly PhpAbility[] => {
      if (ability !== undefined) return [{ ability, file, line }];
      if (name === undefined) return [];
      return [
        {
          ability: { name },
          file,
          line,
          doubt: `There is no PHP to run, and it depends on ${reason ?? "more"}`,
        },
      ];
    }),
    refused: [],
    madeUp: [],
    failures: [],
    possible: new Map(),
    // What is read as it is written is read where it is written.
    trace: () => Promise.resolve(new Map()),
    nameless: read.flatMap(({ name, file, line, reason }) =>
      name === undefined ? [{ file, line, reason: reason ?? "more" }] : [],
    ),
    mend: "Install PHP 7.4 or later, or the package @php-wasm/node.",
  };
}

function coveredBy(roots: readonly string[]): (file: string) => boolean {
  return (file) => roots.some((root) => root === "" || file === root || file.startsWith(`${root}/`));
}

/** Must-use plugins share a folder: what is below it may be of any, and the main files of the others are not. */
function filesOfPlugin(plugin: string, plugins: ReadonlySet<string>): (file: string) => boolean {
  const isBeside = coveredBy([dirname(plugin) === "." ? "" : dirname(plugin)]);
  return (file) => file === plugin || (isBeside(file) && !plugins.has(file));
}

/** Loaded where there is no `php`. */
const runInWasm: RunPhp = async (run) => (await import("./php-in-wasm.js")).runPhpInWasm(run);

/** How files are called: PHP tells where they really are, and the user where links to them stand. */
async function findNames(dir: string, paths: readonly string[]): Promise<(file: string) => string> {
  const places = [...paths.map((path) => resolve(dir, path)), dir];
  const real = await Promise.all(places.map(async (place) => [place, await realpath(place)] as const));
  return (file) => {
    const found = real.find(([, target]) => file === target || file.startsWith(target + sep));
    return posix(relative(dir, found === undefined ? file : join(found[0], relative(found[1], file))));
  };
}

function posix(path: string): string {
  return path.split(sep).join("/");
}

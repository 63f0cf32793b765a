import { readFile, realpath } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import type { PhpConfig } from "../../config/config.js";
import { isAbilitySnapshot, type AbilitySnapshot } from "../../contract/ability.js";
import type { JsonValue } from "../../contract/json.js";
import { findInexactNumbers } from "../../listing/find-inexact-numbers.js";
import { faultAt } from "../../listing/found-ability.js";
import type { PhpSource } from "./find-literal.js";
import { findPluginFiles, type PluginFiles } from "./find-plugin-files.js";
import type { PhpPlace, Refusal } from "./harness-answer.js";
import { runPhpFromPath, type RunPhp } from "./php-process.js";
import { runPlugins, type PluginRun } from "./run-plugins.js";

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
}

export interface PhpAbility extends PhpPlace {
  readonly ability: AbilitySnapshot;
  /** The files that it may be written in, the likeliest first. */
  readonly sources: readonly PhpSource[];
  /** Why it is not known what it is: then nothing but its name is to be believed. */
  readonly doubt?: string;
  /** Why no code can be made of it. */
  readonly fault?: string;
}

export interface ReadPhpOptions {
  /** The folder that the configuration's paths are relative to. */
  readonly dir: string;
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
  { dir, signal }: ReadPhpOptions,
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
  return run === undefined
    ? { covers, ...(await readWithoutPhp(files, nameOf)) }
    : { covers, ...(await readingOf(run, nameOf, server)) };
}

async function readingOf(
  { answer, missing }: PluginRun,
  nameOf: (file: string) => string,
  server: string,
): Promise<Omit<PhpReading, "covers">> {
  const sourceOf = await readSources(
    answer.abilities.flatMap(({ sources }) => sources),
    nameOf,
  );
  return {
    by: `php ${answer.php}`,
    abilities: answer.abilities.flatMap(({ json, file, line, unknown, sources }) => {
      const ability = JSON.parse(json) as JsonValue;
      if (!isAbilitySnapshot(ability)) return [];
      const doubt = `It is made of what this PHP does not have: ${unknown.join(", ")}`;
      return [
        {
          ability,
          file: nameOf(file),
          line,
          sources: sources.flatMap((source) => sourceOf.get(source) ?? []),
          ...(unknown.length > 0 && { doubt }),
          ...faultAt(findInexactNumbers(json)),
        },
      ];
    }),
    refused: answer.refused.map((refusal) => ({ ...refusal, file: nameOf(refusal.file) })),
    madeUp: [...missing.names.map((name) => `${name}()`), ...missing.constants, ...answer.madeUp].sort(),
    nameless: [],
    mend: `Say what that is with servers.${server}.php.stubs, or load it with servers.${server}.php.bootstrap.`,
  };
}

async function readSources(
  files: readonly string[],
  nameOf: (file: string) => string,
): Promise<ReadonlyMap<string, PhpSource>> {
  const read = [...new Set(files)].map(async (file) => {
    const text = await readFile(file, "utf8").catch(() => "");
    return [file, { file: nameOf(file), text }] as const;
  });
  return new Map(await Promise.all(read));
}

/** Reads what is written literally; everything else is in doubt. */
async function readWithoutPhp(
  { roots }: PluginFiles,
  nameOf: (file: string) => string,
): Promise<Omit<PhpReading, "covers">> {
  const { readStatically } = await import("./static/read-statically.js");
  const registrations = await readStatically(roots, nameOf);
  const read = registrations.map(({ file, ...rest }) => ({ ...rest, file: nameOf(file) }));
  return {
    by: "php-parser, without running it",
    abilities: read.flatMap(({ name, ability, reason, file, line }): readonly PhpAbility[] => {
      if (ability !== undefined) return [{ ability, file, line, sources: [] }];
      if (name === undefined) return [];
      return [
        {
          ability: { name },
          file,
          line,
          sources: [],
          doubt: `There is no PHP to run, and it depends on ${reason ?? "more"}`,
        },
      ];
    }),
    refused: [],
    madeUp: [],
    nameless: read.flatMap(({ name, file, line, reason }) =>
      name === undefined ? [{ file, line, reason: reason ?? "more" }] : [],
    ),
    mend: "Install PHP 7.4 or later, or the package @php-wasm/node.",
  };
}

function coveredBy(roots: readonly string[]): (file: string) => boolean {
  return (file) => roots.some((root) => root === "" || file === root || file.startsWith(`${root}/`));
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

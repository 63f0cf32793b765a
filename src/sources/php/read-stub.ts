import { relative, resolve } from "node:path";
import type { PhpConfig } from "../../config/config.js";
import { McpCodegenError } from "../../core/errors.js";
import { parsePhpAbility } from "../../client/listing/wordpress/read-abilities.js";
import {
  coveredBy,
  filesOfPlugin,
  nameRealFiles,
  posix,
  findMentionedAbilities,
  findPluginFiles,
} from "./plugin-files.js";
import { findGaps } from "./find-gaps.js";
import type { PhpReading, ReadPhpOptions } from "./php-reading.js";
import { INSTALL_PHP, runPhpFromPath, type RunPhp } from "./php-process.js";
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

/** The part of a reading that does not depend on the lock. */
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

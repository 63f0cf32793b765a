import { realpath } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import type { PhpConfig } from "../../config/config.js";
import { isAbilitySnapshot, type AbilitySnapshot } from "../../contract/ability.js";
import { McpCodegenError } from "../../contract/errors.js";
import type { JsonValue } from "../../contract/json.js";
import { findInexactNumbers } from "../mcp/find-inexact-numbers.js";
import { faultAt } from "../wordpress/found-ability.js";
import { findPluginFiles } from "./find-plugin-files.js";
import type { PhpPlace, Refusal } from "./harness-answer.js";
import { runPhpFromPath, type RunPhp } from "./php-process.js";
import { runPlugins } from "./run-plugins.js";

/** What the PHP of a server registers. Files are posix and relative to the configuration. */
export interface PhpReading {
  /** What read it, such as `php 8.3.1`. */
  readonly by: string;
  readonly abilities: readonly PhpAbility[];
  readonly refused: readonly Refusal[];
  /** What nobody has, and was made up: functions, constants, classes. */
  readonly madeUp: readonly string[];
  /** Whether a file is one of those that were read. */
  readonly covers: (file: string) => boolean;
}

export interface PhpAbility extends PhpPlace {
  readonly ability: AbilitySnapshot;
  /** Functions, constants and classes of others that it is made of: then it is not known what it is. */
  readonly unknown: readonly string[];
  /** Why no code can be made of it. */
  readonly fault?: string;
}

export interface ReadPhpOptions {
  /** The folder that the configuration's paths are relative to. */
  readonly dir: string;
  readonly signal?: AbortSignal;
}

/**
 * Runs the user's plugins in our stub of WordPress, and tells what they register.
 *
 * @throws McpCodegenError `PHP_FAILED` when their code fails, or there is no PHP to run it; `CONFIG_INVALID` for paths
 *   that hold no plugin
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
  if (run === undefined) {
    throw new McpCodegenError("PHP_FAILED", "There is no php on the PATH to read abilities with.", {
      hint: "Install PHP 7.4 or later, or the package @php-wasm/node.",
    });
  }
  const { answer, missing } = run;
  const roots = paths.map((path) => posix(relative(dir, resolve(dir, path))));
  return {
    by: `php ${answer.php}`,
    abilities: answer.abilities.flatMap(({ json, file, line, unknown }) => {
      const ability = JSON.parse(json) as JsonValue;
      if (!isAbilitySnapshot(ability)) return [];
      return [{ ability, file: nameOf(file), line, unknown, ...faultAt(findInexactNumbers(json)) }];
    }),
    refused: answer.refused.map((refusal) => ({ ...refusal, file: nameOf(refusal.file) })),
    madeUp: [...missing.names.map((name) => `${name}()`), ...missing.constants, ...answer.madeUp].sort(),
    covers: (file) => roots.some((root) => root === "" || file === root || file.startsWith(`${root}/`)),
  };
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

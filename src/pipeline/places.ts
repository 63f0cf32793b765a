import { join, resolve } from "node:path";
import type { LoadedConfig } from "../config/load-config.js";
import { McpCodegenError } from "../core/errors.js";
import { LOCKFILE_NAME } from "../core/lockfile.js";
import { OBSERVED_NAME } from "../core/observed.js";
import { WAIVERS_NAME } from "../core/waivers.js";

/**
 * Returns the absolute paths of a configuration's lockfile and output folder; no output folder with `output: false`.
 */
export function placesOf(loaded: LoadedConfig): {
  readonly lock: string;
  readonly waivers: string;
  readonly observed: string;
  readonly output: string | undefined;
} {
  const { output } = loaded.config;
  return {
    lock: join(loaded.dir, LOCKFILE_NAME),
    waivers: join(loaded.dir, WAIVERS_NAME),
    observed: join(loaded.dir, OBSERVED_NAME),
    output: output === false ? undefined : resolve(loaded.dir, output),
  };
}

/**
 * Returns the absolute path of the output folder. Throws `CONFIG_INVALID` if the configuration has `output: false`.
 */
export function outputOf(loaded: LoadedConfig): string {
  const { output } = placesOf(loaded);
  if (output !== undefined) return output;
  const message = "The configuration has output: false, which generates no code.";
  throw new McpCodegenError("CONFIG_INVALID", message, {
    hint: 'Set "output" to a folder, such as "generated".',
  });
}

/** Removes temporary files of killed runs. */
export async function sweep({ lock, waivers, observed, output }: ReturnType<typeof placesOf>): Promise<void> {
  const { sweepLeftovers } = await import("../files/write-atomic.js");
  await sweepLeftovers([lock, waivers, observed], output);
}

import { basename, join, resolve } from "node:path";
import { getServer } from "../../config/config.js";
import { loadConfig, type LoadedConfig } from "../../config/load-config.js";
import { McpCodegenError } from "../../contract/errors.js";
import { linesOfError } from "../../report/print-watch.js";
import type { Context } from "../context.js";
import { errorDocument } from "../report-error.js";
import type { WatchLog } from "./watch-log.js";

/** Returns the files that a configuration is made of: itself, and those with its variables. They may be missing. */
export function configFiles({ io, options }: Context, { dir, path }: LoadedConfig): readonly string[] {
  const { envFile } = options;
  const named = envFile === undefined ? [] : [resolve(io.cwd, envFile)];
  return [path, join(dir, ".env.local"), join(dir, ".env"), ...named];
}

/**
 * Loads the configuration again. Prints the error of one that cannot be loaded, once, and returns undefined: the old one
 * stays in force.
 *
 * @param servers the names that the new one must have
 */
export async function reloadConfig(
  context: Context,
  { dir, path }: LoadedConfig,
  servers: readonly string[],
  log: WatchLog,
): Promise<LoadedConfig | undefined> {
  // No server has such a name.
  const name = basename(path);
  try {
    const next = await loadConfig({ cwd: dir, path, isReload: true });
    if (next === undefined) return undefined;
    for (const server of servers) getServer(next.config.servers, server);
    log.print([{ server: name, kind: "event", text: "loaded again" }], [name]);
    return next;
  } catch (error) {
    if (!(error instanceof McpCodegenError)) throw error;
    if (log.print(linesOfError(name, error), [name])) context.printDocumentLine(errorDocument(error));
    return undefined;
  }
}

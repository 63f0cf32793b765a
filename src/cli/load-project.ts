import { resolve } from "node:path";
import { loadConfig, type LoadedConfig } from "../config/load-config.js";
import type { VariableLookup } from "../contract/connection.js";
import { McpCodegenError } from "../contract/errors.js";
import type { Context } from "./context.js";

/** The configuration that the command line names or that is found; undefined when none was named and none found. */
export async function findProject({ io, options }: Context): Promise<LoadedConfig | undefined> {
  return loadConfig({
    cwd: io.cwd,
    ...(options.config !== undefined && { path: resolve(io.cwd, options.config) }),
  });
}

/** As {@link findProject}; throws `CONFIG_NOT_FOUND` when there is none. */
export async function loadProject(context: Context): Promise<LoadedConfig> {
  const loaded = await findProject(context);
  if (loaded !== undefined) return loaded;
  throw new McpCodegenError("CONFIG_NOT_FOUND", "No mcp-codegen configuration found.", {
    hint: 'Run "npx mcp-codegen init", or pass a configuration file with --config.',
  });
}

/** Variables of the environment, of `--env-file` and of the `.env` files beside the configuration. */
export async function readLookup({ io, options }: Context, dir: string): Promise<VariableLookup> {
  const { readVariables } = await import("../config/read-variables.js");
  return readVariables({
    dir,
    environment: io.env,
    ...(options.envFile !== undefined && { envFile: resolve(io.cwd, options.envFile) }),
  });
}

import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ServerConfig } from "../config/config.js";
import { formatConfig } from "../config/format-config.js";
import type { LoadedConfig } from "../config/load-config.js";
import { parseServerArgument } from "../config/parse-server-argument.js";
import { toServerName } from "../config/server-names.js";
import { validateConfig } from "../config/validate-config.js";
import { McpCodegenError } from "../contract/errors.js";
import { getOwn } from "../contract/json.js";
import { writeAtomic } from "../files/write-atomic.js";
import type { Context } from "./context.js";
import { findProject } from "./load-project.js";
import { confirm } from "./prompts.js";

export const CONFIG_NAME = "mcp-codegen.config.ts";

/** A configuration in memory, for a server that is named on the command line. */
export interface AdHocProject {
  readonly name: string;
  readonly settings: ServerConfig;
  readonly loaded: LoadedConfig;
  /** Whether a configuration is there that could hold the server. */
  readonly hasConfig: boolean;
}

/**
 * The configuration that is there, or an empty one, with the server of `--server` in it. Throws `USAGE` for a text
 * that names no server, `SECRET_LITERAL` for a URL with credentials in it.
 */
export async function adHocProject(
  context: Context,
  text: string,
  servers: readonly string[],
): Promise<AdHocProject> {
  if (servers.length > 0) {
    throw new McpCodegenError("USAGE", "--server and names of configured servers exclude each other.", {
      hint: "Give one or the other.",
    });
  }
  const found = await findProject(context);
  const { name: wished, settings } = parseServerArgument(text);
  const others = found?.config.servers ?? {};
  const isKnown = isDeepStrictEqual(getOwn(others, wished), settings);
  const name = isKnown ? wished : toServerName(wished, Object.keys(others));
  const config = await validateConfig(
    { ...found?.config, servers: { ...others, [name]: settings } },
    "--server",
  );
  const dir = found?.dir ?? context.io.cwd;
  return {
    name,
    settings,
    loaded: { config, dir, path: found?.path ?? join(dir, CONFIG_NAME) },
    hasConfig: found !== undefined,
  };
}

/** Offers to keep the server: asks on a terminal, prints the text to save elsewhere. */
export async function offerConfig(
  context: Context,
  { name, settings, loaded, hasConfig }: AdHocProject,
): Promise<void> {
  const text = formatConfig({ servers: { [name]: settings } }, "ts");
  if (hasConfig) {
    if (isDeepStrictEqual((await findProject(context))?.config.servers[name], settings)) return;
    context.say([`To keep this server, add it to the servers of ${basename(loaded.path)}:`, "", text]);
    return;
  }
  if (context.isInteractive && (await confirm(context, `Write ${CONFIG_NAME} with this server?`))) {
    await writeAtomic(loaded.path, text);
    context.say([`${CONFIG_NAME} written.`]);
    return;
  }
  context.say([`To keep this server, save this as ${CONFIG_NAME}:`, "", text]);
}

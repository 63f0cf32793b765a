import type { ServerConfig } from "./config.js";
import { McpCodegenError } from "../contract/errors.js";
import { getOwn } from "../contract/json.js";

/** Returns the settings of a server. Throws `SERVER_UNKNOWN` for a name that is not configured. */
export function getServer(servers: { readonly [name: string]: ServerConfig }, name: string): ServerConfig {
  const server = getOwn(servers, name);
  if (server !== undefined) return server;
  const known = Object.keys(servers).map((each) => `"${each}"`);
  throw new McpCodegenError("SERVER_UNKNOWN", `The configuration has no server "${name}".`, {
    hint:
      known.length === 0
        ? 'No server is configured: add one under "servers".'
        : `Configured servers: ${known.join(", ")}.`,
  });
}

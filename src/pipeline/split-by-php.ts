import type { ServerConfig } from "../config/config.js";
import { getServer } from "../config/get-server.js";

export type PhpUse = "only" | "where-configured";

/** Names of servers by where their tools come from, each in the order that was given. */
export interface PhpSplit {
  readonly inPhp: readonly string[];
  readonly live: readonly string[];
}

/**
 * Which servers are read from their PHP and which are asked. A server that has nothing but `php` is always read.
 *
 * @param servers All configured ones by default.
 * @throws McpCodegenError `SERVER_UNKNOWN` for a server that is not configured
 */
export function splitByPhp(
  configured: { readonly [name: string]: ServerConfig },
  servers: readonly string[] = Object.keys(configured),
  use?: "where-configured",
): PhpSplit {
  const isRead = (name: string): boolean => {
    const server = getServer(configured, name);
    return server.php !== undefined && (use !== undefined || !hasEndpoint(server));
  };
  return { inPhp: servers.filter(isRead), live: servers.filter((name) => !isRead(name)) };
}

/** Whether there is a server or a saved list to ask, beside the PHP. */
export function hasEndpoint({ url, command, file }: ServerConfig): boolean {
  return url !== undefined || command !== undefined || file !== undefined;
}

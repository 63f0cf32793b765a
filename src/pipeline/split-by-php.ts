import type { ServerConfig } from "../config/config.js";
import { getServer } from "../config/get-server.js";

export type PhpUse = "only" | "where-configured";

/** Names of servers by the source of their tools, each in the given order. */
export interface PhpSplit {
  readonly inPhp: readonly string[];
  readonly live: readonly string[];
}

/**
 * Splits servers into those that are read from PHP and those that are contacted. A server with only `php` is always read.
 *
 * @param servers Default: all configured servers.
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

/** Whether there is a server or a saved list besides the PHP. */
export function hasEndpoint({ url, command, file }: ServerConfig): boolean {
  return url !== undefined || command !== undefined || file !== undefined;
}

import type { ServerConfig } from "../../config/config.js";
import type { VariableLookup } from "../../contract/connection.js";
import { McpCodegenError } from "../../contract/errors.js";
import { resolveEndpoint } from "../../transport/resolve-endpoint.js";
import { isWordPressUrl } from "../open-source.js";

/**
 * Returns a key for the site and account of a WordPress server; undefined for other servers. It contains
 * credentials: never print it.
 */
export function findWordPressAccount(
  name: string,
  server: ServerConfig,
  { lookup, environment }: { readonly lookup: VariableLookup; readonly environment?: string | undefined },
): string | undefined {
  const own = environment === undefined ? undefined : server.environments?.[environment]?.url;
  const url = own ?? server.url;
  if (url === undefined || !isWordPressUrl(url)) return undefined;
  try {
    const where = `servers.${name}`;
    const endpoint = resolveEndpoint(server, {
      lookup,
      where,
      ...(environment !== undefined && { environment }),
    });
    return endpoint.kind === "http"
      ? JSON.stringify([new URL(endpoint.url).origin, endpoint.headers["authorization"]])
      : undefined;
  } catch (error) {
    // Listing the server reports the error.
    if (error instanceof McpCodegenError) return undefined;
    throw error;
  }
}

import { resolve } from "node:path";
import type { VariableLookup } from "../contract/connection.js";
import type { ServerSnapshot } from "../contract/snapshot.js";
import type { ServerConfig } from "../config/config.js";
import { isIncluded } from "../config/is-included.js";

export interface SnapshotOptions {
  /** The folder that the configuration's paths are relative to. */
  readonly dir: string;
  readonly lookup: VariableLookup;
  readonly environment?: string;
  readonly signal?: AbortSignal;
  readonly onPage?: (page: number, tools: number) => void;
}

/**
 * What a configured server says now, without the tools that its configuration leaves out. Throws a `McpCodegenError`
 * whose exit code is 3 when the source could not be read whole.
 */
export async function snapshot(
  name: string,
  server: ServerConfig,
  options: SnapshotOptions,
): Promise<ServerSnapshot> {
  const whole = await snapshotSource(name, server, options);
  return {
    ...whole,
    tools: whole.tools.filter((tool) => isIncluded(server, tool.name)),
    diagnostics: whole.diagnostics.filter((diagnostic) => isIncluded(server, diagnostic.tool)),
  };
}

async function snapshotSource(
  name: string,
  server: ServerConfig,
  options: SnapshotOptions,
): Promise<ServerSnapshot> {
  if (server.file !== undefined) {
    const { snapshotFile } = await import("./file/snapshot-file.js");
    return snapshotFile(name, resolve(options.dir, server.file));
  }
  const [{ resolveEndpoint }, { snapshotServer }] = await Promise.all([
    import("../transport/resolve-endpoint.js"),
    import("./mcp/snapshot-server.js"),
  ]);
  const endpoint = resolveEndpoint(server, {
    lookup: options.lookup,
    where: `servers.${name}`,
    ...(options.environment !== undefined && { environment: options.environment }),
  });
  const placed =
    endpoint.kind === "stdio" ? { ...endpoint, cwd: resolve(options.dir, endpoint.cwd ?? ".") } : endpoint;
  return snapshotServer(name, placed, {
    ...(server.timeouts?.connect !== undefined && { connectTimeout: server.timeouts.connect }),
    ...(server.timeouts?.call !== undefined && { callTimeout: server.timeouts.call }),
    ...(server.capabilities !== undefined && { capabilities: server.capabilities }),
    ...(options.signal !== undefined && { signal: options.signal }),
    ...(options.onPage !== undefined && { onPage: options.onPage }),
  });
}

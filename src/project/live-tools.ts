import { categoryOf } from "../config/match-tools.js";
import type { LoadedConfig } from "../config/load-config.js";
import { FIRST_CONTRACT } from "../contract/change.js";
import { getOwn } from "../contract/json.js";
import { lockServer } from "../contract/lock-server.js";
import { LOCKFILE_VERSION, type Lockfile } from "../contract/lockfile.js";
import type { ServerSnapshot } from "../contract/snapshot.js";
import { PooledClient } from "../runtime/client/pooled-client.js";
import { resolveServer } from "../runtime/client/open-server.js";
import { originOf } from "../runtime/connect-tools.js";
import { registerTool, type RegisteredTool } from "../agent/registry/registered-tool.js";
import { resolveSource } from "../agent/registry/server-source.js";
import { joinToolName } from "../agent/registry/tool-names.js";
import { explainSourceFailure, snapshotInSession } from "../sources/open-source.js";
import { getServer } from "../config/config.js";
import { connectUnlockedServer, defineLockedTool, type LockedToolsOptions } from "./locked-tools.js";

/** The tools that one server has now, on the connection that listed them. */
export interface LiveTools {
  /** What `pull` would lock of the server. */
  readonly lock: Lockfile;
  /** The tools as they would be if that lock were theirs: a policy trusts their annotations. */
  readonly tools: readonly RegisteredTool[];
  close(): Promise<void>;
}

/**
 * Lists a configured server and opens its tools without a lock. Writes nothing. The connection stays open until `close`.
 *
 * @throws McpCodegenError `SERVER_UNKNOWN` for a server that is not configured; with exit code 3 when the list could not be
 *   read whole; the signal's reason when it aborts
 */
export async function openLiveTools(
  project: LoadedConfig,
  server: string,
  { signal, ...options }: LockedToolsOptions & { readonly signal?: AbortSignal },
): Promise<LiveTools> {
  const settings = getServer(project.config.servers, server);
  const connection = connectUnlockedServer(project, server, options);
  const origin = connection && originOf(connection);
  const source = connection && resolveSource(connection, options.environment);
  if (connection === undefined || source === undefined || !(origin?.client instanceof PooledClient))
    throw new TypeError(`Server "${server}" has no connection.`);
  const { client } = origin;
  const endpoint = await resolveServer(origin.server, origin.options);
  const list = (): Promise<ServerSnapshot> =>
    client.use(
      (session) => snapshotInSession(server, settings, { session, endpoint, ...(signal && { signal }) }),
      { retry: false, ...(signal && { signal }) },
    );
  try {
    const snapshot = await list();
    const locked = lockServer(snapshot, undefined, {
      contract: FIRST_CONTRACT,
      categoryOf: (tool) => categoryOf(settings, tool),
    });
    return {
      lock: { lockfileVersion: LOCKFILE_VERSION, servers: { [server]: locked } },
      tools: snapshot.tools.flatMap(({ name }) => {
        const tool = getOwn(locked.tools, name);
        if (tool === undefined || tool.unusable !== undefined) return [];
        const bound = source.bind(defineLockedTool(source.definition, name, tool, { locked, settings }));
        return [registerTool(bound, joinToolName(server, name), server)];
      }),
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw await explainSourceFailure(error, settings, { endpoint, ...(signal && { signal }) });
  }
}

import { explainListing } from "../../client/listing/list-server.js";
import { configuredCategory } from "../../config/match-tools.js";
import type { LoadedConfig } from "../../config/load-config.js";
import { FIRST_CONTRACT } from "../../core/contract-version.js";
import { omitUndefined } from "../../core/collections.js";
import { getOwn } from "../../core/json.js";
import { lockServer } from "../../core/lock-server.js";
import { LOCKFILE_VERSION, type Lockfile } from "../../core/lockfile.js";
import { PooledClient } from "../../runtime/client/pooled-client.js";
import { resolveServer } from "../../runtime/client/open-server.js";
import { originOf } from "../../runtime/define-tool.js";
import type { RegisteredTool } from "../../core/tool.js";
import { registerTool } from "../../agent/registry/registered-tool.js";
import { resolveSource } from "../../agent/registry/server-source.js";
import { joinToolName } from "../../core/tool-name.js";
import { snapshotInSession } from "../../sources/snapshot-server.js";
import { getServer } from "../../config/config.js";
import { connectServer, defineLockedTool, type LockedToolsOptions } from "./locked-tools.js";

/** The tools that one server has now, on the connection that listed them. */
export interface UnlockedTools {
  /** The lock that `pull` would write for the server. */
  readonly lock: Lockfile;
  /** Defined as if they were locked: a policy trusts their annotations. */
  readonly tools: readonly RegisteredTool[];
  close(): Promise<void>;
}

/**
 * Lists a configured server and opens its tools without a lock. Writes nothing. The connection stays open until `close`.
 *
 * @throws McpCodegenError `SERVER_UNKNOWN` for a server that is not configured; with exit code 3 if the list could not be
 *   read completely; the signal's reason if it aborts
 */
export async function openLiveTools(
  project: LoadedConfig,
  server: string,
  { signal, ...options }: LockedToolsOptions & { readonly signal?: AbortSignal | undefined },
): Promise<UnlockedTools> {
  const settings = getServer(project.config.servers, server);
  const target = { server, settings };
  const connection = connectServer(project, undefined, { server }, options);
  const origin = connection && originOf(connection);
  const source = connection && resolveSource(connection, options.environment);
  if (connection === undefined || source === undefined || !(origin?.client instanceof PooledClient))
    throw new TypeError(`Server "${server}" has no connection.`);
  const { client } = origin;
  const aborting = omitUndefined({ signal });
  const endpoint = resolveServer(origin.server, origin.options);
  try {
    const snapshot = await client.use(
      (session) => snapshotInSession(target, { session, endpoint }, { signal }),
      { retry: false, ...aborting },
    );
    const locked = lockServer(snapshot, undefined, {
      contract: FIRST_CONTRACT,
      categoryOf: (tool) => configuredCategory(settings, tool),
    });
    return {
      lock: { lockfileVersion: LOCKFILE_VERSION, servers: { [server]: locked } },
      tools: snapshot.tools.flatMap(({ name }) => {
        const tool = getOwn(locked.tools, name);
        if (tool === undefined || tool.unusable !== undefined) return [];
        const bound = source.bind(defineLockedTool(source.definition, name, tool, { locked }));
        return [registerTool(bound, joinToolName(server, name), server)];
      }),
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw await explainListing(error, target, endpoint, signal);
  }
}

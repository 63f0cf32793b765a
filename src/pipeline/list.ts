import type { Finding } from "../core/finding.js";
import type { ServerConfig } from "../config/config.js";
import type { Project } from "../project/project.js";
import { omitUndefined } from "../core/collections.js";
import type { Diagnostic } from "../core/diagnostic.js";
import { getOwn } from "../core/json.js";
import type { LockedServer, Lockfile } from "../core/lockfile.js";
import { diagnoseTool } from "../emit/tool-schemas.js";
import { type Drift, findDrift, type LockRevision } from "./check/find-drift.js";
import type { ReadServersOptions } from "./options.js";

/**
 * How a server's current tool differs from the lock. `unlocked`: not in the lock. `different`: its definition has
 * changed. `gone`: locked, but no longer listed.
 */
export type ToolState = "unlocked" | "different" | "gone";

/** The tools of a server, locked or current, and how they differ from the lock. */
export interface LiveServer {
  readonly server: string;
  /** Undefined for the server's own settings. */
  readonly environment?: string | undefined;
  /**
   * The block of the lock, or the one that `pull` would lock, plus locked tools that the server no longer lists. The contract
   * version is the locked one.
   */
  readonly block: LockedServer;
  /** Undefined for a tool that has not changed. */
  readonly stateOf?: ((tool: string) => ToolState | undefined) | undefined;
  /** Whether the lock has the server. */
  readonly isLocked: boolean;
}

/**
 * Lists the tools of servers and compares them with the lock as `check` does: a difference without a finding does not
 * count. Writes nothing. Servers that could not be listed are in `unverified`.
 *
 * @throws McpCodegenError as `findDrift`
 */
export async function listLive(
  project: Project,
  lock: Lockfile,
  options: ReadServersOptions,
): Promise<{ readonly servers: readonly LiveServer[]; readonly unverified: readonly Finding[] }> {
  const drift = await findDrift(project, lock, options);
  const servers = drift
    .revise()
    .flatMap((revision) =>
      serversOf(drift, revision).flatMap((server) => compareLive(drift, revision, server) ?? []),
    );
  return { servers, unverified: drift.unverified };
}

/** The servers that were listed in a revision's environment. */
function serversOf({ checked, unverified }: Drift, { environment }: LockRevision): readonly string[] {
  const places = checked.environments?.filter((place) => place.environment === environment);
  const names = places?.map(({ server }) => server) ?? checked.servers;
  return names.filter(
    (name) => !unverified.some((failed) => failed.server === name && failed.environment === environment),
  );
}

function compareLive(
  { changes }: Drift,
  { environment, before, after }: LockRevision,
  server: string,
): LiveServer | undefined {
  const listed = getOwn(after.servers, server);
  if (listed === undefined) return undefined;
  const locked = getOwn(before.servers, server);
  const changed = new Set(
    changes
      .filter((change) => change.server === server && change.environment === environment)
      .flatMap(({ tool }) => tool ?? []),
  );
  const stateOf = (tool: string): ToolState | undefined => {
    if (!Object.hasOwn(listed.tools, tool)) return "gone";
    if (!Object.hasOwn(locked?.tools ?? {}, tool)) return "unlocked";
    return changed.has(tool) ? "different" : undefined;
  };
  const { contract } = locked ?? listed;
  const block = { ...listed, contract, tools: { ...locked?.tools, ...listed.tools } };
  return { server, environment, block, stateOf, isLocked: locked !== undefined };
}

/** How exactly the schemas of a server are represented. */
export interface Fidelity {
  /** The number of tools whose generated schema accepts exactly what the original accepts. */
  readonly exact: number;
  readonly of: number;
  /** The reasons for the other tools, and the parts that are interpreted at run time. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Returns how exactly the schemas of a server are represented. Writes no file and connects to no server. */
export function measureFidelity(
  server: string,
  { tools }: LockedServer,
  config: ServerConfig = {},
): Fidelity {
  const diagnosed = Object.entries(tools).map(([tool, { definition, unusable }]) =>
    unusable === undefined
      ? diagnoseTool({
          kind: "tool",
          server,
          definition,
          ...omitUndefined({ formats: config.formats, dialect: config.dialect }),
          // Names do not affect what a schema accepts.
          names: { tool, file: "tool", wrapper: "tool", input: "ToolInput", output: "ToolOutput" },
          importExtension: "js",
        })
      : [{ code: "TOOL_UNUSABLE", server, tool, path: "", message: unusable } as const],
  );
  // A part that is interpreted at run time is exact too.
  const isExact = diagnosed.filter((diagnostics) =>
    diagnostics.every(({ code }) => code === "SCHEMA_FALLBACK"),
  );
  return { exact: isExact.length, of: diagnosed.length, diagnostics: diagnosed.flat() };
}

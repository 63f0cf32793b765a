import { resolve } from "node:path";
import type { AuthSettings, ServerOutputListener, VariableLookup } from "../contract/connection.js";
import type { ServerSnapshot, ToolSnapshot } from "../contract/snapshot.js";
import type { AbortSignalLike } from "../transport/abort-signal.js";
import type { Endpoint } from "../transport/endpoint.js";
import type { Session } from "../transport/session.js";
import type { ServerConfig } from "../config/config.js";
import type { ListingOptions } from "./mcp/snapshot-server.js";
import type { AbilityMemory } from "./wordpress/attach-abilities.js";
import { isIncluded } from "../config/is-included.js";

export interface SourceOptions {
  /** The folder that the configuration's paths are relative to. */
  readonly dir: string;
  readonly lookup: VariableLookup;
  readonly signal?: AbortSignal;
  /** One of the server's environments, in place of its own settings. */
  readonly environment?: string;
  readonly onStderr?: ServerOutputListener | undefined;
}

export interface TakeOptions {
  /** Hears how many tools the pages so far have held. */
  readonly onPage?: (page: number, tools: number) => void;
  readonly confirm?: Confirm;
}

/**
 * Hears what was listed while the server can still be asked, and may list again. What it throws becomes the outcome.
 * A saved list is what it is, and is not confirmed.
 */
export type Confirm = (first: ServerSnapshot, listAgain: () => Promise<ServerSnapshot>) => Promise<void>;

/** Takes a snapshot. */
export type Source = (options?: TakeOptions) => Promise<ServerSnapshot>;

/**
 * Where a configured server's snapshots come from: a saved list, a live server, or PHP where there is nothing else. Everything in its settings is
 * resolved here, before the server is asked: throws `VARIABLE_MISSING`. A snapshot leaves out the tools that the
 * configuration does, and throws a `McpCodegenError` with exit code 3 when the source could not be read whole.
 */
export async function openSource(
  name: string,
  server: ServerConfig,
  options: SourceOptions,
): Promise<Source> {
  const take = await resolveSource(name, server, options);
  const pick = (whole: ServerSnapshot): ServerSnapshot => pickIncluded(server, whole);
  return async ({ confirm, ...rest } = {}) =>
    pick(
      await take({
        ...rest,
        ...(confirm && {
          confirm: (first, listAgain) => confirm(pick(first), async () => pick(await listAgain())),
        }),
      }),
    );
}

async function resolveSource(
  name: string,
  server: ServerConfig,
  { dir, lookup, signal, environment, onStderr }: SourceOptions,
): Promise<Source> {
  if (server.file !== undefined) {
    const path = resolve(dir, server.file);
    const { snapshotFile } = await import("./file/snapshot-file.js");
    return () => snapshotFile(name, path, server.readLimit);
  }
  if (server.php !== undefined && server.url === undefined && server.command === undefined) {
    const { php } = server;
    const { snapshotPhp } = await import("./php/snapshot-of-php.js");
    return () => snapshotPhp(name, php, server, { dir, ...(signal !== undefined && { signal }) });
  }
  const [{ resolveEndpoint }, { snapshotServer }] = await Promise.all([
    import("../transport/resolve-endpoint.js"),
    import("./mcp/snapshot-server.js"),
  ]);
  const endpoint = resolveEndpoint(server, {
    lookup,
    where: `servers.${name}`,
    ...(environment !== undefined && { environment }),
  });
  const placed =
    endpoint.kind === "stdio" ? { ...endpoint, cwd: resolve(dir, endpoint.cwd ?? ".") } : endpoint;
  const { principal, ...listing } = listingOptionsOf(server, placed, environment);
  const snapshot = (take: TakeOptions | undefined): Promise<ServerSnapshot> =>
    snapshotServer(name, placed, {
      ...(server.timeouts?.connect !== undefined && { connectTimeout: server.timeouts.connect }),
      ...(server.timeouts?.call !== undefined && { callTimeout: server.timeouts.call }),
      ...(server.timeouts?.list !== undefined && { listTimeout: server.timeouts.list }),
      ...listing,
      ...(principal !== undefined && { principal }),
      ...(signal !== undefined && { signal }),
      ...(onStderr !== undefined && {
        onStderr: (line) => {
          onStderr(environment === undefined ? name : `${name} (${environment})`, line);
        },
      }),
      ...take,
    });
  return async (take) => {
    try {
      return await snapshot(take);
    } catch (error) {
      throw await explainSourceFailure(error, server, {
        endpoint: placed,
        ...(signal !== undefined && { signal }),
        ...(environment !== undefined && { environment }),
      });
    }
  };
}

/** What listing a server threw, with what its site reports about the cause where it is a WordPress. */
export async function explainSourceFailure(
  error: unknown,
  server: ServerConfig,
  { endpoint, environment, signal }: FailedSource,
): Promise<unknown> {
  if (endpoint.kind !== "http" || !isWordPressUrl(endpoint.url)) return error;
  const { principal } = listingOptionsOf(server, endpoint, environment);
  const { explainFailure } = await import("./wordpress/explain-failure.js");
  return explainFailure(error, endpoint, { timeout: restTimeoutOf(server), signal, principal });
}

interface FailedSource extends Pick<SourceOptions, "environment" | "signal"> {
  readonly endpoint: Endpoint;
}

/**
 * What a configured server says in a session that somebody else has opened and keeps: the snapshot that {@link openSource}
 * takes in one of its own.
 *
 * @param endpoint What the session was opened with.
 * @throws McpCodegenError with exit code 3 when the list could not be read whole.
 */
export async function snapshotInSession(
  name: string,
  server: ServerConfig,
  { session, endpoint, environment, signal }: SessionSource,
): Promise<ServerSnapshot> {
  const { listInSession } = await import("./mcp/snapshot-server.js");
  const options = listingOptionsOf(server, endpoint, environment);
  return pickIncluded(server, await listInSession(name, session, { ...options, ...(signal && { signal }) }));
}

export interface SessionSource extends Pick<SourceOptions, "environment"> {
  readonly session: Session;
  readonly endpoint: Endpoint;
  readonly signal?: AbortSignalLike;
}

/** Without the tools that the configuration leaves out. */
function pickIncluded(server: ServerConfig, whole: ServerSnapshot): ServerSnapshot {
  const pick = (tools: readonly ToolSnapshot[]): readonly ToolSnapshot[] =>
    tools.filter((tool) => isIncluded(server, tool.name));
  return {
    ...whole,
    tools: pick(whole.tools),
    ...(whole.repeated !== undefined && { repeated: pick(whole.repeated) }),
    diagnostics: whole.diagnostics.filter((diagnostic) => isIncluded(server, diagnostic.tool)),
  };
}

/** How a configured server's list is told, with the abilities behind it where it is a WordPress. */
function listingOptionsOf(
  server: ServerConfig,
  endpoint: Endpoint,
  environment: string | undefined,
): ListingOptions {
  const own = environment === undefined ? undefined : server.environments?.[environment]?.auth;
  const principal = principalOf(own ?? server.auth);
  // A list that is read again to confirm it asks for its names again, and not for each ability.
  const memory: AbilityMemory = {};
  return {
    ...(server.capabilities !== undefined && { capabilities: server.capabilities }),
    ...(principal !== undefined && { principal }),
    refine: async (listed, session, { signal, onPage }) => {
      if (!mayBeWordPress(endpoint, listed, server)) return listed;
      const [{ attachAbilities }, { findDeprecatedServer }] = await Promise.all([
        import("./wordpress/attach-abilities.js"),
        import("./wordpress/find-deprecated-server.js"),
      ]);
      const seen = await attachAbilities(listed, {
        session,
        endpoint,
        timeout: restTimeoutOf(server),
        signal,
        memory,
        ...server.wordpress,
        ...(onPage && {
          onAbility: (count) => {
            onPage(1, count);
          },
        }),
      });
      const notes = endpoint.kind === "http" ? findDeprecatedServer(listed.server, endpoint.url) : [];
      return notes.length === 0 ? seen : { ...seen, diagnostics: [...seen.diagnostics, ...notes] };
    },
  };
}

function restTimeoutOf({ timeouts }: ServerConfig): number {
  return timeouts?.call ?? REST_TIMEOUT;
}

/** Milliseconds for an answer of the REST API: it answers in less than one, or is not worth waiting for. */
const REST_TIMEOUT = 10_000;

/** Whether it is worth a closer look. */
function mayBeWordPress(endpoint: Endpoint, { tools }: ServerSnapshot, { wordpress }: ServerConfig): boolean {
  if (wordpress !== undefined || (endpoint.kind === "http" && isWordPressUrl(endpoint.url))) return true;
  return tools.some(({ name }) => name === "mcp-adapter-discover-abilities");
}

/** Whether an address leads into the REST API of a WordPress. */
export function isWordPressUrl(url: string): boolean {
  return url.includes("/wp-json/") || url.includes("rest_route=");
}

/** Whose list it is, as the configuration says it: `${WP_USER}` stays `${WP_USER}`, since no resolved value is written. */
function principalOf(auth: AuthSettings | undefined): string | undefined {
  if (auth === undefined || !("basic" in auth)) return undefined;
  const { username } = auth.basic;
  return typeof username === "string" ? username : username.value;
}

import { resolve } from "node:path";
import { includedLists } from "../contract/entries.js";
import type {
  AuthSettings,
  PreludeCall,
  ServerOutputListener,
  VariableLookup,
} from "../contract/connection.js";
import { McpCodegenError } from "../contract/errors.js";
import { findOwn, getOwn } from "../contract/json.js";
import { digestOfPrelude, preludeOf } from "../contract/prelude.js";
import type { Logins } from "../contract/login.js";
import type { ServerSnapshot, ToolSnapshot } from "../contract/snapshot.js";
import type { AbortSignalLike } from "../transport/abort-signal.js";
import type { Endpoint } from "../transport/endpoint.js";
import type { Session } from "../transport/session.js";
import type { ServerConfig } from "../config/config.js";
import type { ListingOptions } from "./mcp/snapshot-server.js";
import type { AbilityMemory } from "./wordpress/attach-abilities.js";
import { type HideSecrets, hideInError, hideInSnapshot, hideSecretsOf } from "./hide-secrets.js";
import { annotationsOf, isIncluded } from "../config/match-tools.js";

export interface SourceOptions {
  /** The folder that paths of the configuration are relative to. */
  readonly dir: string;
  readonly lookup: VariableLookup;
  /** The user's logins; without them, a server that requires a login is refused. */
  readonly logins?: Logins | undefined;
  readonly signal?: AbortSignal | undefined;
  /** An environment of the server, which replaces its own settings. */
  readonly environment?: string;
  /** A variant of the server. */
  readonly variant?: string;
  readonly onStderr?: ServerOutputListener | undefined;
  /** Decides whether the calls of a prelude may be made. By default, none. */
  readonly confirmPrelude?: ConfirmPrelude | undefined;
}

export interface TakeOptions {
  /** Called after each page, with the number of tools so far. */
  readonly onPage?: (page: number, tools: number) => void;
  readonly confirm?: Confirm;
}

/**
 * Called with the list while the server is connected; `listAgain` lists once more. An error rejects the
 * snapshot. Saved lists are not confirmed.
 */
export type Confirm = (first: ServerSnapshot, listAgain: () => Promise<ServerSnapshot>) => Promise<void>;

/** The calls that a configuration makes before a list. */
export interface PreludeRequest {
  readonly server: string;
  readonly variant?: string | undefined;
  readonly calls: readonly PreludeCall[];
}

export type ConfirmPrelude = (request: PreludeRequest) => boolean | Promise<boolean>;

/** Takes a snapshot, in which the secrets of the connection are hidden. */
export type Source = (options?: TakeOptions) => Promise<TakenSnapshot>;

export interface TakenSnapshot {
  readonly snapshot: ServerSnapshot;
  /** Hides the same secrets in what was locked before; absent for a source without a connection. */
  readonly hideSecrets?: HideSecrets;
}

/**
 * Returns the source of snapshots for a configured server: a saved list, a live server, or PHP code when
 * nothing else is configured. Resolves all settings before it connects, and throws `VARIABLE_MISSING`.
 * Snapshots omit the tools that the configuration excludes. The source throws a `McpCodegenError` with exit
 * code 3 when the list could not be read completely.
 */
export async function openSource(
  name: string,
  server: ServerConfig,
  options: SourceOptions,
): Promise<Source> {
  const { take, endpoint } = await resolveSource(name, server, options);
  const pick = (whole: ServerSnapshot): ServerSnapshot => pickListed(server, endpoint, whole);
  return async ({ confirm, ...rest } = {}) => {
    const snapshot = pick(
      await take({
        ...rest,
        ...(confirm && {
          confirm: (first, listAgain) => confirm(pick(first), async () => pick(await listAgain())),
        }),
      }),
    );
    return { snapshot, ...(endpoint && { hideSecrets: hideSecretsOf(endpoint) }) };
  };
}

/** Takes snapshots as the source lists them. */
interface ResolvedSource {
  readonly take: (options?: TakeOptions) => Promise<ServerSnapshot>;
  /** The server that is asked, if one is. */
  readonly endpoint?: Endpoint;
}

async function resolveSource(
  name: string,
  server: ServerConfig,
  { dir, lookup, logins, signal, environment, variant, onStderr, confirmPrelude }: SourceOptions,
): Promise<ResolvedSource> {
  if (server.file !== undefined) {
    const path = resolve(dir, server.file);
    const { snapshotFile } = await import("./file/snapshot-file.js");
    return { take: () => snapshotFile(name, path, server.readLimit) };
  }
  if (server.php !== undefined && server.url === undefined && server.command === undefined) {
    const { php } = server;
    const { snapshotPhp } = await import("./php/snapshot-of-php.js");
    return {
      take: () => snapshotPhp(name, php, server, { dir, ...(signal !== undefined && { signal }) }),
    };
  }
  const { snapshotServer } = await import("./mcp/snapshot-server.js");
  const placed = await findEndpoint(name, server, {
    ...{ dir, lookup, logins },
    ...(environment !== undefined && { environment }),
    ...(variant !== undefined && { variant }),
  });
  const { principal, ...listing } = listingOptionsOf(server, placed, environment, variant);
  const prelude = preludeOf(server, variant);
  const snapshot = (take: TakeOptions | undefined): Promise<ServerSnapshot> =>
    snapshotServer(name, placed, {
      ...(server.timeouts?.connect !== undefined && { connectTimeout: server.timeouts.connect }),
      ...(server.timeouts?.call !== undefined && { callTimeout: server.timeouts.call }),
      ...(server.timeouts?.list !== undefined && { listTimeout: server.timeouts.list }),
      ...listing,
      ...(prelude && {
        prelude: digestOfPrelude(prelude),
        approvePrelude: (tools) =>
          approvePrelude(
            { server: name, variant, calls: prelude },
            { tools, settings: server, confirm: confirmPrelude },
          ),
      }),
      ...(principal !== undefined && { principal }),
      ...(signal !== undefined && { signal }),
      ...(onStderr !== undefined && {
        onStderr: (line) => {
          onStderr(labelOf({ server: name, environment, variant }), line);
        },
      }),
      ...take,
    });
  return {
    endpoint: placed,
    take: async (take) => {
      try {
        return await snapshot(take);
      } catch (error) {
        const explained = await explainSourceFailure(error, server, {
          endpoint: placed,
          ...(signal !== undefined && { signal }),
          ...(environment !== undefined && { environment }),
        });
        throw hideInError(explained, placed);
      }
    },
  };
}

/**
 * Opens a session with a configured server, with its time limits, capabilities and logins. The caller closes it.
 *
 * @throws McpCodegenError `VARIABLE_MISSING`, and the errors of `openSession`
 */
export async function openServerSession(
  name: string,
  server: ServerConfig,
  { signal, onStderr, ...options }: Pick<SourceOptions, "dir" | "lookup" | "logins" | "signal" | "onStderr">,
): Promise<Session> {
  const endpoint = await findEndpoint(name, server, options);
  const { openSession } = await import("../transport/open-session.js");
  return openSession(endpoint, {
    ...(server.timeouts?.connect !== undefined && { connectTimeout: server.timeouts.connect }),
    ...(server.timeouts?.call !== undefined && { callTimeout: server.timeouts.call }),
    ...(server.capabilities !== undefined && { capabilities: server.capabilities }),
    ...(signal !== undefined && { signal }),
    ...(onStderr !== undefined && { onStderr: onStderr.bind(undefined, name) }),
  });
}

/** Returns the endpoint of a server with a URL or a command, with its logins. */
async function findEndpoint(
  name: string,
  server: ServerConfig,
  { dir, lookup, logins, environment, variant }: Omit<SourceOptions, "signal" | "onStderr">,
): Promise<Endpoint> {
  const [{ resolveEndpoint }, { attachTokens }] = await Promise.all([
    import("../transport/resolve-endpoint.js"),
    import("../transport/attach-tokens.js"),
  ]);
  const where = `servers.${name}`;
  const endpoint: Endpoint = {
    ...resolveEndpoint(server, {
      ...{ lookup, where, variant },
      ...(environment !== undefined && { environment }),
    }),
  };
  return endpoint.kind === "stdio"
    ? { ...endpoint, cwd: resolve(dir, endpoint.cwd ?? ".") }
    : attachTokens(endpoint, { server: name, logins, isListing: true });
}

/**
 * Returns the error of a failed listing. For a WordPress, it explains the cause from what the site reports.
 */
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
 * As {@link openSource}, in a session that the caller opened and closes.
 *
 * @param endpoint the endpoint of the session
 * @throws McpCodegenError with exit code 3 when the list could not be read completely
 */
export async function snapshotInSession(
  name: string,
  server: ServerConfig,
  { session, endpoint, environment, signal }: SessionSource,
): Promise<ServerSnapshot> {
  const { listInSession } = await import("./mcp/snapshot-server.js");
  // A call needs the tools alone.
  const options = { ...listingOptionsOf(server, endpoint, environment), lists: [] };
  const listed = await listInSession(name, session, { ...options, ...(signal && { signal }) });
  return pickListed(server, endpoint, listed);
}

export interface SessionSource extends Pick<SourceOptions, "environment"> {
  readonly session: Session;
  readonly endpoint: Endpoint;
  readonly signal?: AbortSignalLike;
}

/** Hides the secrets of the connection, and removes the tools that the configuration excludes. */
function pickListed(
  server: ServerConfig,
  endpoint: Endpoint | undefined,
  listed: ServerSnapshot,
): ServerSnapshot {
  const whole = endpoint === undefined ? listed : hideInSnapshot(listed, hideSecretsOf(endpoint));
  const pick = (tools: readonly ToolSnapshot[]): readonly ToolSnapshot[] =>
    tools.filter((tool) => isIncluded(server, tool.name));
  return {
    ...whole,
    tools: pick(whole.tools),
    ...(whole.repeated !== undefined && { repeated: pick(whole.repeated) }),
    diagnostics: whole.diagnostics.filter(
      ({ code, tool }) => code === "ENTRY_UNUSABLE" || isIncluded(server, tool),
    ),
  };
}

/** Throws `PRELUDE_REFUSED` for a call of a tool that is not read-only, or that was not confirmed. */
async function approvePrelude(
  request: PreludeRequest,
  {
    tools,
    settings,
    confirm,
  }: {
    readonly tools: readonly ToolSnapshot[];
    readonly settings: ServerConfig;
    readonly confirm: ConfirmPrelude | undefined;
  },
): Promise<void> {
  const names = request.calls.map(({ tool }) => tool);
  const isReadOnly = (name: string): boolean => {
    const listed = tools.find((tool) => tool.name === name);
    const hints = listed && getOwn(listed, "annotations");
    return (annotationsOf(settings, name)?.readOnlyHint ?? findOwn(hints, "readOnlyHint")) === true;
  };
  const writing = names.find((name) => !isReadOnly(name));
  if (writing !== undefined) {
    throw new McpCodegenError(
      "PRELUDE_REFUSED",
      `"prelude" calls ${JSON.stringify(writing)}, which is not marked as read-only.`,
      {
        hint: `If it changes nothing, set readOnlyHint for it in servers.${request.server}.tools.annotations.`,
      },
    );
  }
  if ((await confirm?.(request)) === true) return;
  const calls = names.map((name) => JSON.stringify(name)).join(", ");
  throw new McpCodegenError(
    "PRELUDE_REFUSED",
    `The calls before the list ("prelude": ${calls}) were not confirmed.`,
    { hint: `Run "npx mcp-codegen pull ${request.server}" on a terminal, or add --prelude to it.` },
  );
}

/** Names a list for people: its server, with the environment and the variant if it has any. */
export function labelOf({
  server,
  environment,
  variant,
}: {
  readonly server: string;
  readonly environment?: string | undefined;
  readonly variant?: string | undefined;
}): string {
  const parts = [environment, variant].filter((part) => part !== undefined);
  return parts.length === 0 ? server : `${server} (${parts.join(", ")})`;
}

/** Returns how to list a configured server, including the abilities of a WordPress. */
function listingOptionsOf(
  server: ServerConfig,
  endpoint: Endpoint,
  environment: string | undefined,
  variant?: string,
): ListingOptions {
  const own = environment === undefined ? undefined : server.environments?.[environment]?.auth;
  const view = variant === undefined ? undefined : server.variants?.[variant];
  const principal = principalOf(view?.auth ?? own ?? server.auth);
  const capabilities = view?.capabilities ?? server.capabilities;
  // A second reading, which confirms the first, reads the names again but not every ability.
  const memory: AbilityMemory = {};
  return {
    lists: includedLists(server.include),
    ...(capabilities !== undefined && { capabilities }),
    ...(principal !== undefined && { principal }),
    ...(endpoint.kind === "http" && endpoint.tokens && { scopesOf: () => endpoint.tokens?.scopes() }),
    refine: async (listed, session, { signal, onPage }) => {
      if (!mayBeWordPress(endpoint, listed, server)) return listed;
      const { attachAbilities, findDeprecatedServer } = await import("./wordpress/attach-abilities.js");
      const attached = await attachAbilities(listed, {
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
      return notes.length === 0
        ? attached
        : { ...attached, diagnostics: [...attached.diagnostics, ...notes] };
    },
  };
}

function restTimeoutOf({ timeouts }: ServerConfig): number {
  return timeouts?.call ?? REST_TIMEOUT;
}

/** Milliseconds until a request to the REST API fails. It usually takes less than one second. */
const REST_TIMEOUT = 10_000;

/** Whether a server may be a WordPress. */
function mayBeWordPress(endpoint: Endpoint, { tools }: ServerSnapshot, { wordpress }: ServerConfig): boolean {
  if (wordpress !== undefined || (endpoint.kind === "http" && isWordPressUrl(endpoint.url))) return true;
  return tools.some(({ name }) => name === "mcp-adapter-discover-abilities");
}

/** Whether a URL belongs to the REST API of a WordPress. */
export function isWordPressUrl(url: string): boolean {
  return url.includes("/wp-json/") || url.includes("rest_route=");
}

/**
 * Returns the account as configured. `${WP_USER}` is not resolved, since no resolved value may be written.
 */
function principalOf(auth: AuthSettings | undefined): string | undefined {
  if (auth === undefined || !("basic" in auth)) return undefined;
  const { username } = auth.basic;
  return typeof username === "string" ? username : username.value;
}

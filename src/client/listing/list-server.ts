import { resolve } from "node:path";
import { isWordPressUrl } from "../../core/ability.js";
import type { AbortSignalLike } from "../../core/abort-signal.js";
import { preludeOf, type ServerOutputListener, type VariableLookup } from "../../core/connection.js";
import { includedLists } from "../../core/entries.js";
import { getOwn } from "../../core/json.js";
import type { Logins } from "../../core/login.js";
import { digestOfPrelude } from "../../core/digest.js";
import type { ServerSnapshot, ToolSnapshot } from "../../core/snapshot.js";
import type { Endpoint } from "../endpoint.js";
import { attachTokens } from "../oauth/tokens.js";
import { openSession, runPrelude, type SessionOptions } from "../open-session.js";
import { resolveEndpoint } from "../resolve-endpoint.js";
import { SessionLostError } from "../server-errors.js";
import type { OpenChannel } from "../sdk-transport.js";
import type { Session } from "../session.js";
import {
  capabilitiesFor,
  hideInError,
  hideInSnapshot,
  type HideSecrets,
  hideSecretsOf,
  labelOf,
  listInSession,
  type ListRequest,
  principalOf,
  restTimeoutOf,
  type Target,
} from "./list-in-session.js";
import { explainWordPressFailure } from "./wordpress/explain-failure.js";

/** The context that all servers of a run share. It is passed whole. */
export interface RunContext extends AccessContext {
  /** The folder that paths of the configuration are relative to. */
  readonly dir: string;
}

/** How servers are reached, apart from their settings. */
export interface AccessContext {
  readonly lookup: VariableLookup;
  /** The user's logins; without them, a server that requires a login is refused. */
  readonly logins?: Logins | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onStderr?: ServerOutputListener | undefined;
  /** The servers of this process, by name: they are connected to without their settings. */
  readonly inProcess?: { readonly [server: string]: OpenChannel } | undefined;
}

/** Called while {@link listServer} lists a server. */
export interface ListHooks {
  /** Called when all settings are resolved, before the connection. */
  readonly onConnect?: (() => void) | undefined;
  /** Called after each page, with the numbers of pages and tools so far. */
  readonly onPage?: ((page: number, tools: number) => void) | undefined;
  /** Throws unless the calls before the list may be made; called with the tools that are listed without them. */
  readonly approvePrelude?: ((tools: readonly ToolSnapshot[]) => Promise<void>) | undefined;
  /** Called with the list while the server is connected; `listAgain` lists once more. */
  readonly confirm?:
    | ((first: ServerSnapshot, listAgain: () => Promise<ServerSnapshot>) => Promise<void>)
    | undefined;
}

/** The list of a server, in which the secrets of the connection are hidden. */
export interface TakenSnapshot {
  readonly snapshot: ServerSnapshot;
  /** Hides the same secrets in an earlier list; absent for a source without a connection. */
  readonly hideSecrets?: HideSecrets | undefined;
}

/**
 * Connects to a server and lists its tools, from the raw JSON-RPC results; a WordPress with its abilities. A lost session
 * is opened again once: listing has no side effects.
 *
 * @throws McpCodegenError `LIST_INCOMPLETE` for a list that cannot be read completely, `VARIABLE_MISSING`, and the errors
 *   of connecting
 */
export async function listServer(
  target: Target,
  context: RunContext,
  { onConnect, onPage, approvePrelude, confirm }: ListHooks = {},
): Promise<TakenSnapshot> {
  const { settings, variant } = target;
  const { signal } = context;
  const endpoint = resolveTarget(target, context);
  onConnect?.();
  const calls = preludeOf(settings, variant);
  const request: ListRequest = {
    lists: includedLists(settings.include),
    prelude: calls && digestOfPrelude(calls),
    timeout: settings.timeouts?.list,
    memory: {},
    signal,
  };
  const list = async (session: Session, listRequest: ListRequest): Promise<ServerSnapshot> => {
    const { snapshot } = await listInSession(target, { session, endpoint }, listRequest);
    return hideInSnapshot(snapshot, hideSecretsOf(endpoint));
  };
  try {
    for (let isRetry = false; ; isRetry = true) {
      let session: Session | undefined;
      try {
        session = await openSession(endpoint, sessionOptionsOf(target, context));
        const opened = session;
        if (endpoint.prelude !== undefined && approvePrelude !== undefined) {
          await approvePrelude((await list(opened, { ...request, lists: [] })).tools);
          await runPrelude(opened, endpoint, signal);
        }
        const snapshot = await list(opened, { ...request, onPage });
        // The first list reported the progress, so the second does not.
        await confirm?.(snapshot, () => list(opened, request));
        return { snapshot, hideSecrets: hideSecretsOf(endpoint) };
      } catch (error) {
        // WordPress stores all sessions of a user in one row, and loses some when several open at the same time.
        if (isRetry || !isSessionLost(error)) throw error;
      } finally {
        await session?.close();
      }
    }
  } catch (error) {
    throw hideInError(await explainListing(error, target, endpoint, signal), endpoint);
  }
}

function isSessionLost(error: unknown): boolean {
  return (
    error instanceof SessionLostError || (error instanceof Error && error.cause instanceof SessionLostError)
  );
}

function resolveTarget(
  { server, settings, environment, variant }: Target,
  { dir, lookup, logins }: RunContext,
): Endpoint {
  const endpoint = resolveEndpoint(settings, { lookup, where: `servers.${server}`, environment, variant });
  const hasOwnUrl = variant !== undefined && getOwn(settings.variants ?? {}, variant)?.url !== undefined;
  return endpoint.kind === "stdio"
    ? { ...endpoint, cwd: resolve(dir, endpoint.cwd ?? ".") }
    : attachTokens(endpoint, {
        server,
        environment,
        loginUrl: hasOwnUrl ? endpoint.label : undefined,
        logins,
        isListing: true,
      });
}

/**
 * Opens a session with a server, with its time limits, capabilities and logins. The caller closes it.
 *
 * @throws McpCodegenError `VARIABLE_MISSING`, and the errors of `openSession`
 */
export async function openTarget(target: Target, context: RunContext): Promise<Session> {
  return openSession(resolveTarget(target, context), sessionOptionsOf(target, context));
}

function sessionOptionsOf(target: Target, { signal, onStderr, inProcess = {} }: RunContext): SessionOptions {
  const { settings } = target;
  const label = labelOf(target);
  return {
    connectTimeout: settings.timeouts?.connect,
    callTimeout: settings.timeouts?.call,
    capabilities: capabilitiesFor(target),
    open: getOwn(inProcess, target.server),
    signal,
    onStderr:
      onStderr &&
      ((line) => {
        onStderr(label, line);
      }),
  };
}

/** Returns the error of a failed listing. For a WordPress, it explains the cause from what the site reports. */
export async function explainListing(
  error: unknown,
  target: Target,
  endpoint: Endpoint,
  signal: AbortSignalLike | undefined,
): Promise<unknown> {
  if (endpoint.kind !== "http" || !isWordPressUrl(endpoint.url)) return error;
  const timeout = restTimeoutOf(target.settings);
  return explainWordPressFailure(error, endpoint, { timeout, signal, principal: principalOf(target) });
}

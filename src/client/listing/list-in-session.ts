import { omitUndefined } from "../../core/collections.js";
import type { ConnectionSettings } from "../../core/connection.js";
import type { EntryList, Include } from "../../core/entries.js";
import { McpCodegenError } from "../../core/errors.js";
import type { JsonObject } from "../../core/json.js";
import type { ServerSnapshot } from "../../core/snapshot.js";
import { abortReason, type AbortSignalLike } from "../abort-signal.js";
import type { Endpoint } from "../endpoint.js";
import type { RequestContext } from "../session.js";
import { listEntries, listToolPages } from "./list-pages.js";
import { validateTools } from "./validate-tools.js";
import {
  type AbilityMemory,
  attachAbilities,
  type ListedTools,
  type WordPressSettings,
} from "./wordpress/attach-abilities.js";

/** A server, in one of its environments and variants. */
export interface Target<Settings extends ListedSettings = ListedSettings> extends TargetName {
  readonly settings: Settings;
}

/** The name of a target, without its settings. */
export interface TargetName {
  readonly server: string;
  readonly environment?: string | undefined;
  readonly variant?: string | undefined;
}

/** Names a list for people: its server, with the environment and the variant if it has any. */
export function labelOf({ server, environment, variant }: TargetName): string {
  const parts = [environment, variant].filter((part) => part !== undefined);
  return parts.length === 0 ? server : `${server} (${parts.join(", ")})`;
}

export interface ListedSettings extends ConnectionSettings {
  readonly include?: readonly Include[] | undefined;
  readonly wordpress?: WordPressSettings | undefined;
}

/** How an open session is listed. */
export interface ListRequest {
  readonly signal?: AbortSignalLike | undefined;
  /** Milliseconds for the whole list. Default: only each request is limited. */
  readonly timeout?: number | undefined;
  readonly onPage?: ((page: number, tools: number) => void) | undefined;
  /** The lists beside the tools to request; none by default. */
  readonly lists?: readonly EntryList[] | undefined;
  /** The digest of the calls that were made before the list. */
  readonly prelude?: string | undefined;
  /** Whether the ability of a WordPress is read, by the name of its tool. Default: all are. */
  readonly wants?: ((tool: string) => boolean) | undefined;
  /** The results of an earlier list; filled by the first. A second list reads the names again, but not every ability. */
  readonly memory?: AbilityMemory | undefined;
  /** Milliseconds for each answer of the REST API of a WordPress. */
  readonly restTimeout?: number | undefined;
}

/** An open session; without an endpoint if the program opened it. */
interface ListedConnection {
  readonly session: RequestContext;
  readonly endpoint: Endpoint | undefined;
}

/**
 * Lists a server in an open session, with the secrets that it sends. Tools are requested even when the server does not
 * declare them, since some forget it. A server that does not know `tools/list` has no tools.
 *
 * @throws McpCodegenError `LIST_INCOMPLETE` and request errors
 */
export async function listInSession(
  target: Target,
  { session, endpoint }: ListedConnection,
  { timeout, signal: outer, ...request }: ListRequest,
): Promise<ListedTools> {
  const { server, settings } = target;
  const limit = timeout === undefined ? undefined : limitList(server, timeout, outer);
  limit?.start();
  const signal = limit?.signal ?? outer;
  const { onPage, lists = [], prelude, wants, memory, restTimeout } = request;
  try {
    const pages = await listToolPages(session, { signal, onPage });
    const entries = lists.length === 0 ? undefined : await listEntries(server, session, lists, { signal });
    const scopes = endpoint?.kind === "http" ? endpoint.tokens?.scopes() : undefined;
    const principal = principalOf(target);
    const validated = validateTools(server, pages, session);
    const times = pages.flatMap(({ ttlMs }) => ttlMs ?? []);
    const isPrivate = entries?.isPrivate === true || pages.some((page) => page.isPrivate);
    const listed: ServerSnapshot = {
      server,
      identity: session.identity,
      listing: omitUndefined({
        clientCapabilities: capabilitiesFor(target) ?? {},
        principal,
        cacheScope: isPrivate ? ("private" as const) : undefined,
        scopes,
        prelude,
        pages: pages.length,
      }),
      // The page that is stale first makes the list stale.
      ...(times.length > 0 && { ttlMs: Math.min(...times) }),
      ...validated,
      ...entries?.lists,
      diagnostics: [...validated.diagnostics, ...(entries?.diagnostics ?? [])],
    };
    return await attachAbilities(listed, {
      ...{ session, endpoint, signal, memory, wants },
      ...settings.wordpress,
      timeout: restTimeout ?? restTimeoutOf(settings),
      onAbility:
        onPage &&
        ((count) => {
          onPage(1, count);
        }),
    });
  } finally {
    limit?.release();
  }
}

export function capabilitiesFor({ settings, variant }: Target): JsonObject | undefined {
  const view = variant === undefined ? undefined : settings.variants?.[variant];
  return view?.capabilities ?? settings.capabilities;
}

/** Returns the account as configured. `${WP_USER}` is not resolved, since no resolved value may be written. */
export function principalOf({ settings, environment, variant }: Target): string | undefined {
  const view = variant === undefined ? undefined : settings.variants?.[variant]?.auth;
  const own = environment === undefined ? undefined : settings.environments?.[environment]?.auth;
  const auth = view ?? own ?? settings.auth;
  if (auth === undefined || !("basic" in auth)) return undefined;
  const { username } = auth.basic;
  return typeof username === "string" ? username : username.value;
}

export function restTimeoutOf({ timeouts }: ListedSettings): number {
  return timeouts?.call ?? REST_TIMEOUT;
}

/** Milliseconds until a request to the REST API fails. It usually takes less than one second. */
const REST_TIMEOUT = 10_000;

interface ListLimit {
  readonly signal: AbortSignal;
  /** Starts the timer. Later calls have no effect. */
  start(): void;
  /** Stops the timer and removes the listener on the outer signal. */
  release(): void;
}

/**
 * Limits the milliseconds that a server may take for its whole list. The signal aborts with `SERVER_TIMEOUT`
 * or with the reason of the outer signal.
 */
export function limitList(server: string, milliseconds: number, outer?: AbortSignalLike): ListLimit {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    const message = `The server "${server}" did not list its tools within ${milliseconds} ms.`;
    const hint = "Raise timeouts.list if it needs longer.";
    controller.abort(new McpCodegenError("SERVER_TIMEOUT", message, { hint }));
  };
  const onAbort = (): void => {
    if (outer !== undefined) controller.abort(abortReason(outer));
  };
  if (outer?.aborted === true) onAbort();
  outer?.addEventListener("abort", onAbort);
  return {
    signal: controller.signal,
    start() {
      timer ??= setTimeout(stop, milliseconds);
    },
    release() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", onAbort);
    },
  };
}

import { omitUndefined } from "../../core/collections.js";
import type { ConnectionSettings } from "../../core/connection-settings.js";
import type { EntryList, Include } from "../../core/entries.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import { McpCodegenError } from "../../core/errors.js";
import { byCodeUnit, type JsonObject } from "../../core/json.js";
import { HIDDEN_SECRET } from "../../core/secret-shapes.js";
import type { ServerSnapshot } from "../../core/snapshot.js";
import type { AbortSignalLike } from "../../core/abort-signal.js";
import { type LimitedSignal, limitSignal } from "../abort-signal.js";
import type { Endpoint } from "../endpoint.js";
import { lowerCase, scrubSecrets, secretForms } from "../server-errors.js";
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
    const validated = validateTools(server, pages);
    const times = pages.flatMap(({ ttlMs }) => ttlMs ?? []);
    const isPrivate = entries?.isPrivate === true || pages.some((page) => page.isPrivate);
    const noise = endpoint?.kind === "stdio" ? (session.noise ?? "") : "";
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
      diagnostics: [
        ...validated.diagnostics,
        ...(entries?.diagnostics ?? []),
        ...describeNoise(server, noise),
      ],
    };
    return await attachAbilities(listed, {
      session,
      endpoint,
      signal,
      memory,
      wants,
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

/** Clients of the official SDKs report an error for each such line, and some fail. */
function describeNoise(server: string, noise: string): readonly Diagnostic[] {
  const message = `writes lines to standard output that are not messages; some clients fail on them: ${JSON.stringify(noise)}`;
  return noise === "" ? [] : [{ code: "SERVER_NOISY", server, tool: "", path: "", message }];
}

export function capabilitiesFor({ settings, variant }: Target): JsonObject | undefined {
  const view = variant === undefined ? undefined : settings.variants?.[variant];
  return view?.capabilities ?? settings.capabilities;
}

/** Returns the account as configured. `${WP_USER}` is not resolved, since no resolved value may be written. */
export function principalOf({ settings, environment, variant }: Target): string | undefined {
  const view = variant === undefined ? undefined : settings.variants?.[variant]?.auth;
  const environmentAuth = environment === undefined ? undefined : settings.environments?.[environment]?.auth;
  const auth = view ?? environmentAuth ?? settings.auth;
  if (auth === undefined || !("basic" in auth)) return undefined;
  const { username } = auth.basic;
  return typeof username === "string" ? username : username.value;
}

export function restTimeoutOf({ timeouts }: ListedSettings): number {
  return timeouts?.call ?? REST_TIMEOUT;
}

/** Milliseconds until a request to the REST API fails. It usually takes less than one second. */
const REST_TIMEOUT = 10_000;

/** Limits the milliseconds that a server may take for its whole list: the signal aborts with `SERVER_TIMEOUT`. */
export function limitList(server: string, milliseconds: number, outer?: AbortSignalLike): LimitedSignal {
  const message = `The server "${server}" did not list its tools within ${milliseconds} ms.`;
  const hint = "Raise timeouts.list if it needs longer.";
  return limitSignal(outer, milliseconds, () => new McpCodegenError("SERVER_TIMEOUT", message, { hint }));
}

/** Returns a value with every secret of a connection replaced by a mark, also in keys. */
export type HideSecrets = <T>(value: T) => T;

/** A server may encode a text several times. */
const MOST_ENCODINGS = 3;

/**
 * Returns a function that hides the secrets of a connection, however they are spelled, in what its server lists. A value
 * without them is returned unchanged. OAuth adds tokens while a server is listed, so call this afterwards.
 */
export function hideSecretsOf({ credentials = [] }: Endpoint): HideSecrets {
  if (credentials.length === 0) return (value) => value;
  const forms = [...new Set(credentials.flatMap(secretForms))];
  const lowered = [...new Set(forms.map(lowerCase))];
  const hasSecret = (text: string): boolean => {
    const lower = lowerCase(text);
    return lowered.some((form) => lower.includes(form));
  };
  const hideText = (text: string): string => {
    const hidden = hasSecret(text) ? scrubSecrets(text, forms, HIDDEN_SECRET) : text;
    let decoded = hidden;
    for (let round = 0; round < MOST_ENCODINGS; round += 1) {
      const next = decode(decoded);
      if (next === decoded) break;
      if (hasSecret(next)) return HIDDEN_SECRET;
      decoded = next;
    }
    return hidden;
  };
  const hide = (value: unknown): unknown => {
    if (typeof value === "string") return hideText(value);
    if (typeof value === "number") return hasSecret(String(value)) ? HIDDEN_SECRET : value;
    if (Array.isArray(value)) {
      const items = value.map(hide);
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value);
    const hidden = entries.map(([key, item]) => [hideText(key), hide(item)] as const);
    const isEqual = hidden.every(
      ([key, item], index) => key === entries[index]?.[0] && item === entries[index][1],
    );
    return isEqual ? value : Object.fromEntries(hidden);
  };
  // A replacement has the type of what it replaces, except for a number, which nothing reads as one.
  return <T>(value: T): T => hide(value) as T;
}

/** Hides secrets in a snapshot. Names that become equal are one tool. */
export function hideInSnapshot(snapshot: ServerSnapshot, hide: HideSecrets): ServerSnapshot {
  const hidden = hide(snapshot);
  if (hidden === snapshot) return snapshot;
  const tools = new Map(hidden.tools.map((tool) => [tool.name, tool]));
  return { ...hidden, tools: [...tools.values()].sort((a, b) => byCodeUnit(a.name, b.name)) };
}

/** Undoes percent-encoding and the escapes of JSON, each where it is valid. */
function decode(text: string): string {
  const plain = text.includes("%") ? text.replace(/(?:%[\da-f]{2})+/gi, decodePercent) : text;
  if (!plain.includes("\\")) return plain;
  return plain
    .replace(/\\u([\da-f]{4})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replace(/\\(["\\/])/g, "$1");
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%([0-7][\da-f])/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
  }
}

/** Returns an error without the secrets of a connection: it may quote what the server listed. */
export function hideInError(error: unknown, { secrets }: Endpoint): unknown {
  if (!(error instanceof McpCodegenError)) return error;
  const { code, message, hint, stderr } = error;
  const shown = scrubSecrets(message, secrets);
  const advice = scrubSecrets(hint ?? "", secrets);
  if (shown === message && advice === (hint ?? "")) return error;
  return new McpCodegenError(code, shown, { hint: hint && advice, stderr });
}

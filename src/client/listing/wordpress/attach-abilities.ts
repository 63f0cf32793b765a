import {
  type AbilityRoute,
  type AbilitySnapshot,
  type AdapterProfile,
  type LockedAbility,
  toolNameOf,
} from "../../../core/ability.js";
import type { Diagnostic } from "../../../core/diagnostic.js";
import { McpCodegenError } from "../../../core/errors.js";
import { findText, type JsonValue, tryParseJson } from "../../../core/json.js";
import type { ServerSnapshot } from "../../../core/snapshot.js";
import type { AbortSignalLike } from "../../../core/abort-signal.js";
import { limitSignal } from "../../abort-signal.js";
import type { Endpoint, HttpEndpoint } from "../../endpoint.js";
import type { RequestContext } from "../../session.js";
import { readBody, sendRequest } from "../../tap-fetch.js";
import { findInexactByEntry } from "../inexact-numbers.js";
import { findProfile, isOfOldAdapter, projectAbilities } from "./project-ability.js";
import {
  type FoundAbility,
  hasMetaTools,
  isLockable,
  listAbilityNames,
  META_TOOLS,
  readAbilities,
  readFoundAbility,
} from "./read-abilities.js";

/** The configured parts of how a WordPress is listed; the others are detected. */
export interface WordPressSettings {
  readonly route?: AbilityRoute | undefined;
  readonly profile?: AdapterProfile | undefined;
}

interface AttachAbilitiesOptions extends WordPressSettings {
  readonly session: RequestContext;
  /** Absent for a session that the program opened: only its tools are asked. */
  readonly endpoint: Endpoint | undefined;
  /** Milliseconds for each answer of the REST API. */
  readonly timeout: number;
  readonly signal?: AbortSignalLike | undefined;
  /** Called with the number of abilities read so far. */
  readonly onAbility?: ((count: number) => void) | undefined;
  /** The results of an earlier reading. They are reused, and filled in the first reading. */
  readonly memory?: AbilityMemory | undefined;
  /** Whether the ability of a tool is read. Default: all are, with the locale of the site. */
  readonly wants?: ((tool: string) => boolean) | undefined;
}

/** The abilities and the locale of a site. */
export interface AbilityMemory {
  known?: ReadonlyMap<string, FoundAbility>;
  locale?: string | undefined;
}

/** The list of a server in an open session. */
export interface ListedTools {
  readonly snapshot: ServerSnapshot;
  /** The names of all its tools. Tools of abilities that were not wanted are not in the snapshot. */
  readonly names: readonly string[];
  /** Whether the REST API of a WordPress was asked for its abilities and did not list them. */
  readonly lacksRest: boolean;
}

/**
 * Returns a list with the abilities of its WordPress. The adapter's default server has three meta-tools
 * instead of abilities: each ability becomes a tool. On other servers of the adapter, the tools are the
 * abilities, and the REST API returns their registrations. A list of another server is returned unchanged.
 */
export async function attachAbilities(
  listed: ServerSnapshot,
  {
    session,
    endpoint,
    timeout,
    signal,
    onAbility,
    wants,
    memory = {},
    ...configured
  }: AttachAbilitiesOptions,
): Promise<ListedTools> {
  const names = listed.tools.map(({ name }) => name);
  const rest = endpoint?.kind === "http" ? openRest(endpoint, { timeout, signal }) : undefined;
  const route = configured.route ?? (hasMetaTools(listed.tools) ? "execute" : "tools");
  if (configured.route === undefined && endpoint?.kind === "http")
    assertMetaTools(endpoint.url, listed.tools);
  if (route === "tools" && rest === undefined) return { snapshot: listed, names, lacksRest: false };
  // The REST route has only this list to confirm, so it reads it again.
  const isKnown = memory.known !== undefined && route !== "rest";
  let lacksRest = false;
  if (rest !== undefined && !isKnown && (wants === undefined || names.some(wants))) {
    const ignoreOutage = (error: unknown): undefined => {
      if (signal?.aborted === true || !(error instanceof McpCodegenError)) throw error;
    };
    const [overRest, siteLocale] = await Promise.all([
      listOverRest(rest).catch(ignoreOutage),
      memory.known === undefined && wants === undefined
        ? findLocale(rest).catch(ignoreOutage)
        : memory.locale,
    ]);
    lacksRest = overRest === undefined;
    memory.known = overRest ?? new Map();
    memory.locale = siteLocale;
  }
  const { known: earlier = new Map<string, FoundAbility>(), locale } = memory;
  const notes =
    endpoint?.kind === "http" && rest !== undefined ? findDeprecatedServer(listed.server, endpoint.url) : [];
  const snapshot: ServerSnapshot = {
    ...listed,
    listing: { ...listed.listing, ...(locale !== undefined && { locale }) },
    diagnostics: [...listed.diagnostics, ...notes],
  };
  if (route === "tools") return { snapshot: attachToTools(snapshot, earlier, configured), names, lacksRest };
  const abilities =
    route === "rest" ? [...earlier.keys()] : await listAbilityNames(session, signal, [...earlier.keys()]);
  const wanted = abilities.filter((name) => wants?.(toolNameOf(name)) ?? true);
  const siteAbilities = await readAbilities(session, wanted, { known: earlier, signal, onAbility });
  memory.known = new Map([
    ...earlier,
    ...siteAbilities.map((siteAbility) => [siteAbility.ability.name, siteAbility] as const),
  ]);
  // The execute tool keeps all keys of an ability, like profile 0.4.
  const profile = configured.profile ?? "0.4";
  const projected = projectAbilities(listed.server, siteAbilities, profile);
  const diagnostics = [...projected.diagnostics, ...notes];
  return {
    snapshot: { ...snapshot, wordpress: { profile, route }, ...projected, diagnostics },
    names: abilities.map(toolNameOf),
    lacksRest,
  };
}

/** Returns the tools of an adapter's server, with the abilities that the REST API returns. */
function attachToTools(
  listed: ServerSnapshot,
  earlier: ReadonlyMap<string, FoundAbility>,
  { profile, route }: WordPressSettings,
): ServerSnapshot {
  const byTool = new Map<string, AbilitySnapshot>();
  for (const { ability } of [...earlier.values()].filter(isLockable))
    byTool.set(toolNameOf(ability.name), ability);
  const abilities = listed.tools.flatMap(({ name }): [string, LockedAbility][] => {
    const definition = byTool.get(name);
    return definition === undefined ? [] : [[name, { definition }]];
  });
  const isAdapter = abilities.length > 0 || profile !== undefined || route !== undefined;
  if (!isAdapter && !isOfOldAdapter(listed.tools)) return listed;
  return {
    ...listed,
    wordpress: { profile: profile ?? findProfile(listed.tools, byTool), route: "tools" },
    ...(abilities.length > 0 && { abilities: Object.fromEntries(abilities) }),
  };
}

const DEFAULT_SERVER = "/mcp/mcp-adapter-default-server";

/** Throws `LIST_INCOMPLETE` for a default server of the adapter that has lost its meta-tools, and with them all abilities. */
function assertMetaTools(url: string, tools: ServerSnapshot["tools"]): void {
  if (!isAtRoute(url, DEFAULT_SERVER) || hasMetaTools(tools)) return;
  const metaTools = Object.values(META_TOOLS) as readonly string[];
  const hasSome = tools.some(({ name }) => metaTools.includes(name));
  if (tools.length > 0 && !hasSome) return;
  const what = hasSome ? "only some of its own tools" : "no tools";
  throw new McpCodegenError("LIST_INCOMPLETE", `The MCP adapter's default server lists ${what}.`, {
    hint:
      "Another plugin may read the abilities before the adapter registers its own, or two copies of the adapter are active. " +
      'If the list is right, set wordpress.route to "tools".',
  });
}

const WOOCOMMERCE = "/woocommerce/mcp";
/** See woocommerce/woocommerce, pull request 64425. */
const DEPRECATED =
  "WooCommerce has deprecated its MCP server at /woocommerce/mcp. Use the MCP adapter's default server, /mcp/mcp-adapter-default-server, with an application password.";

function findDeprecatedServer(server: string, url: string): readonly Diagnostic[] {
  if (!isAtRoute(url, WOOCOMMERCE)) return [];
  return [{ code: "SERVER_DEPRECATED", server, tool: "", path: "", message: DEPRECATED }];
}

function isAtRoute(url: string, route: string): boolean {
  const { pathname, searchParams } = new URL(url);
  return (searchParams.get("rest_route") ?? pathname).replace(/\/$/, "").endsWith(route);
}

/** Returns the URL of a REST route of one WordPress, such as `/wp/v2/settings`. */
export type RestAddress = (route: string, query?: { readonly [name: string]: string }) => string;

/**
 * Returns the addresses of the REST API, from the URL of the MCP server: `…/wp-json/mcp/…` with pretty
 * permalinks, `…/?rest_route=/mcp/…` with plain ones. Undefined for another URL.
 */
export function restAddressOf(url: string): RestAddress | undefined {
  const address = new URL(url);
  if (address.searchParams.has("rest_route")) return addresses(address, address.pathname, true);
  const at = address.pathname.indexOf("/wp-json/");
  return at === -1 ? undefined : addresses(address, `${address.pathname.slice(0, at)}/wp-json`, false);
}

/** Returns the addresses with plain permalinks for a URL with pretty ones; undefined for a URL that is already plain. */
export function plainAddressOf(url: string): RestAddress | undefined {
  const address = new URL(url);
  const at = address.pathname.indexOf("/wp-json/");
  if (at === -1 || address.searchParams.has("rest_route")) return undefined;
  return addresses(address, `${address.pathname.slice(0, at)}/`, true);
}

function addresses(base: URL, path: string, isPlain: boolean): RestAddress {
  return (route, query = {}) => {
    const url = new URL(isPlain ? path : path + route, base);
    if (isPlain) url.searchParams.set("rest_route", route);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return isPlain ? url.href.replaceAll("%2F", "/") : url.href;
  };
}

interface FetchJsonOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignalLike | undefined;
  /** Whether to omit the headers of the endpoint, as an anonymous visitor would. */
  readonly isAnonymous?: boolean;
}

export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined when the text is not JSON. */
  readonly json: JsonValue | undefined;
}

/**
 * Returns the answer to a `GET` of a URL on the same origin as the endpoint, with any status. Redirects are
 * not followed, so that credentials stay on that origin.
 *
 * @throws McpCodegenError `SERVER_UNREACHABLE` or `SERVER_TIMEOUT`; the signal's reason when it aborts
 */
export async function fetchJson(
  endpoint: HttpEndpoint,
  url: string,
  { timeout, signal, isAnonymous = false }: FetchJsonOptions,
): Promise<JsonAnswer> {
  if (new URL(url).origin !== new URL(endpoint.url).origin) {
    throw new Error(`"${new URL(url).origin}" is not the origin of "${endpoint.label}".`);
  }
  const limit = limitSignal(signal, timeout, () => {
    const message = `The server at ${JSON.stringify(endpoint.label)} did not answer within ${timeout} ms.`;
    return new McpCodegenError("SERVER_TIMEOUT", message);
  });
  limit.start();
  try {
    limit.signal.throwIfAborted();
    const sender = isAnonymous ? { ...endpoint, headers: {}, tokens: undefined } : endpoint;
    const headers = { accept: "application/json" };
    const response = await sendRequest(sender, url, { headers, redirect: "manual", signal: limit.signal });
    const text = await readBody(endpoint, response);
    return { status: response.status, headers: response.headers, text, json: tryParseJson(text) };
  } catch (error) {
    if (limit.signal.aborted) throw limit.signal.reason;
    throw error;
  } finally {
    limit.release();
  }
}

const ABILITIES = "/wp-abilities/v1/abilities";
const PER_PAGE = 100;
/** More than any site has. The rest is not read. */
const MOST_PAGES = 100;
const AT_ONCE = 6;

/** Requests a REST route of the WordPress that is listed. */
type Rest = (...route: Parameters<RestAddress>) => Promise<JsonAnswer>;

/** Undefined for a URL that is not one of a WordPress. */
function openRest(endpoint: HttpEndpoint, options: FetchJsonOptions): Rest | undefined {
  const address = restAddressOf(endpoint.url);
  return address && ((...route) => fetchJson(endpoint, address(...route), options));
}

/**
 * Returns the abilities that the REST API lists, by name. Undefined when the account may not read it, or WordPress has no
 * abilities API.
 */
async function listOverRest(rest: Rest): Promise<ReadonlyMap<string, FoundAbility> | undefined> {
  const fetchPage = (page: number): Promise<JsonAnswer> =>
    rest(ABILITIES, { per_page: String(PER_PAGE), page: String(page) });
  const first = await fetchPage(1);
  if (!isList(first)) return undefined;
  const total = Number(first.headers.get("x-wp-totalpages") ?? "1");
  const pages = Number.isInteger(total) && total > 1 ? Math.min(total, MOST_PAGES) : 1;
  const answers = [first];
  while (answers.length < pages) {
    const next = answers.length + 1;
    const count = Math.min(AT_ONCE, pages - answers.length);
    answers.push(...(await Promise.all(Array.from({ length: count }, (_, at) => fetchPage(next + at)))));
  }
  // A missing page would omit existing abilities.
  if (!answers.every(isList)) return undefined;
  return new Map(answers.flatMap(readPage));
}

async function findLocale(rest: Rest): Promise<string | undefined> {
  const { status, json } = await rest("/wp/v2/settings", { _fields: "language" });
  const language = status === 200 ? findText(json, "language") : undefined;
  // WordPress stores American English, its source language, as an empty string.
  return language === "" ? "en_US" : language;
}

function isList({ status, json }: JsonAnswer): boolean {
  return status === 200 && Array.isArray(json);
}

function readPage({ json, text }: JsonAnswer): readonly (readonly [string, FoundAbility])[] {
  const entries: readonly JsonValue[] = Array.isArray(json) ? json : [];
  const inexact = findInexactByEntry(text, []);
  return entries.flatMap((entry, at) => {
    const siteAbility = readFoundAbility(entry, inexact.get(at));
    return siteAbility === undefined ? [] : [[siteAbility.ability.name, siteAbility] as const];
  });
}

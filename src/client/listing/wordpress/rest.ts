import { type JsonValue, tryParseJson, getOwn, isJsonObject } from "../../../core/json.js";
import { McpCodegenError } from "../../../core/errors.js";
import { abortReason, type AbortSignalLike } from "../../abort-signal.js";
import type { HttpEndpoint, Endpoint } from "../../endpoint.js";
import { readBody, sendRequest } from "../../tap-fetch.js";
import { readFoundAbility, type FoundAbility } from "./read-abilities.js";
import { findInexactByEntry } from "../inexact-numbers.js";

/** Returns the URL of a REST route of one WordPress, such as `/wp/v2/settings`. */
export type RestAddress = (route: string, query?: { readonly [name: string]: string }) => string;

/**
 * Returns the addresses of the REST API, from the URL of the MCP server: `…/wp-json/mcp/…` with pretty
 * permalinks, `…/?rest_route=/mcp/…` with plain ones. Undefined for another URL.
 */
export function restAddressOf(url: string): RestAddress | undefined {
  const address = new URL(url);
  if (address.searchParams.has("rest_route")) return plainAddress(address);
  const at = address.pathname.indexOf("/wp-json/");
  if (at === -1) return undefined;
  const root = address.pathname.slice(0, at);
  return (route, query = {}) => {
    const found = new URL(`${root}/wp-json${route}`, address);
    for (const [name, value] of Object.entries(query)) found.searchParams.set(name, value);
    return found.href;
  };
}

/**
 * Returns the addresses with plain permalinks for a URL with pretty ones; undefined for a URL that is already
 * plain.
 */
export function plainAddressOf(url: string): RestAddress | undefined {
  const address = new URL(url);
  const at = address.pathname.indexOf("/wp-json/");
  if (at === -1 || address.searchParams.has("rest_route")) return undefined;
  address.pathname = `${address.pathname.slice(0, at)}/`;
  return plainAddress(address);
}

function plainAddress(address: URL): RestAddress {
  return (route, query = {}) => {
    const found = new URL(address.pathname, address);
    found.searchParams.set("rest_route", route);
    for (const [name, value] of Object.entries(query)) found.searchParams.set(name, value);
    return found.href.replaceAll("%2F", "/");
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
  if (signal?.aborted === true) throw abortReason(signal);
  const controller = new AbortController();
  const onAbort = (): void => {
    controller.abort(signal && abortReason(signal));
  };
  const timer = setTimeout(() => {
    const message = `The server at ${JSON.stringify(endpoint.label)} did not answer within ${timeout} ms.`;
    controller.abort(new McpCodegenError("SERVER_TIMEOUT", message));
  }, timeout);
  signal?.addEventListener("abort", onAbort);
  try {
    const response = await sendRequest(
      isAnonymous ? { ...endpoint, headers: {}, tokens: undefined } : endpoint,
      url,
      {
        headers: { accept: "application/json" },
        redirect: "manual",
        signal: controller.signal,
      },
    );
    const text = await readBody(endpoint, response);
    return { status: response.status, headers: response.headers, text, json: tryParseJson(text) };
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

const ABILITIES = "/wp-abilities/v1/abilities";
const PER_PAGE = 100;
/** More than any site has. The rest is not read. */
const MOST_PAGES = 100;
const AT_ONCE = 6;

interface RestOptions {
  readonly endpoint: HttpEndpoint;
  readonly address: RestAddress;
  readonly timeout: number;
  readonly signal?: AbortSignalLike | undefined;
}

/**
 * Returns the abilities that the REST API lists, by name, and the number of pages. Undefined when the account
 * may not read it, or WordPress has no abilities API.
 */
export async function listOverRest(
  options: RestOptions,
): Promise<{ readonly abilities: ReadonlyMap<string, FoundAbility>; readonly pages: number } | undefined> {
  const first = await fetchPage(options, 1);
  if (!isList(first)) return undefined;
  const total = Number(first.headers.get("x-wp-totalpages") ?? "1");
  const pages = Number.isInteger(total) && total > 1 ? Math.min(total, MOST_PAGES) : 1;
  const answers = [first];
  while (answers.length < pages) {
    const next = answers.length + 1;
    const count = Math.min(AT_ONCE, pages - answers.length);
    answers.push(
      ...(await Promise.all(Array.from({ length: count }, (_, at) => fetchPage(options, next + at)))),
    );
  }
  // A missing page would omit existing abilities.
  if (!answers.every(isList)) return undefined;
  return { abilities: new Map(answers.flatMap(readPage)), pages };
}

/**
 * Returns how to reach the REST API of an MCP server's WordPress. Undefined for a server without HTTP or
 * without a WordPress URL.
 */
export function restOptionsOf({
  endpoint,
  ...options
}: {
  readonly endpoint: Endpoint | undefined;
  readonly timeout: number;
  readonly signal: AbortSignalLike | undefined;
}): RestOptions | undefined {
  if (endpoint?.kind !== "http") return undefined;
  const address = restAddressOf(endpoint.url);
  return address && { endpoint, address, ...options };
}

/** Returns the locale of the site, for an account that may read the settings. */
export async function findLocale(options: RestOptions): Promise<string | undefined> {
  const { endpoint, address, timeout, signal } = options;
  const url = address("/wp/v2/settings", { _fields: "language" });
  const { status, json } = await fetchJson(endpoint, url, { timeout, signal });
  const language = status === 200 && isJsonObject(json) ? getOwn(json, "language") : undefined;
  if (typeof language !== "string") return undefined;
  // WordPress stores American English, its source language, as an empty string.
  return language === "" ? "en_US" : language;
}

function fetchPage({ endpoint, address, timeout, signal }: RestOptions, page: number): Promise<JsonAnswer> {
  const url = address(ABILITIES, { per_page: String(PER_PAGE), page: String(page) });
  return fetchJson(endpoint, url, { timeout, signal });
}

function isList({ status, json }: JsonAnswer): boolean {
  return status === 200 && Array.isArray(json);
}

function readPage({ json, text }: JsonAnswer): readonly (readonly [string, FoundAbility])[] {
  const entries: readonly JsonValue[] = Array.isArray(json) ? json : [];
  const inexact = findInexactByEntry(text, []);
  return entries.flatMap((entry, at) => {
    const found = readFoundAbility(entry, inexact.get(at));
    return found === undefined ? [] : [[found.ability.name, found] as const];
  });
}

import { getOwn, isJsonObject, type JsonValue } from "../contract/json.js";
import type { AbortSignalLike } from "../transport/abort-signal.js";
import type { Endpoint, HttpEndpoint } from "../transport/endpoint.js";
import { fetchJson, type JsonAnswer } from "../transport/fetch-json.js";
import { readAbility } from "./read-ability.js";
import { restAddressOf, type RestAddress } from "./rest-address.js";
import type { FoundAbility } from "./found-ability.js";
import { faultOf, findInexactByEntry, keepNumbers } from "./keep-numbers.js";

const ABILITIES = "/wp-abilities/v1/abilities";
const PER_PAGE = 100;
/** More than any site has. The rest is not read. */
const MOST_PAGES = 100;
const AT_ONCE = 6;

export interface RestOptions {
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
}: Omit<RestOptions, "endpoint" | "address"> & { readonly endpoint: Endpoint }): RestOptions | undefined {
  if (endpoint.kind !== "http") return undefined;
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
    const kept = keepNumbers(entry, inexact.get(at));
    const ability = readAbility(kept.value);
    return ability === undefined ? [] : [[ability.name, { ability, ...faultOf(kept) }] as const];
  });
}

import { McpCodegenError } from "../../contract/errors.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import { oneLine } from "../../contract/one-line.js";
import type { HttpEndpoint } from "../endpoint.js";
import { tryParseJson } from "../try-parse-json.js";
import { refuseAddress } from "./addresses.js";

/** Milliseconds for one request to an authorization server. A refresh has at most six, which the lock of a login outlasts. */
const TIMEOUT = 15_000;
/** Bytes of one answer. */
const MOST_BYTES = 1_000_000;

export type OAuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Returns a `fetch` for the authorization server of an endpoint, with limits of addresses, time and size: a hostile server
 * chooses the addresses. The SDK follows redirects itself, so each of them is checked.
 *
 * @param onRefused called with the error of an address that must not be asked, since the SDK drops some errors
 */
export function createOAuthFetch(
  endpoint: HttpEndpoint,
  onRefused: (error: McpCodegenError) => void = () => undefined,
): OAuthFetch {
  return async (address, init = {}) => {
    const url = new URL(address);
    // The server itself was asked before, whatever its address is.
    const isOwn = url.origin === new URL(endpoint.url).origin && (init.method ?? "GET") === "GET";
    try {
      if (!isOwn) assertAddress(endpoint, url);
    } catch (error) {
      if (error instanceof McpCodegenError) onRefused(error);
      throw error;
    }
    const response = await fetch(url, {
      redirect: "error",
      ...init,
      signal: AbortSignal.timeout(TIMEOUT),
    });
    const text = await readText(response);
    const { status, statusText, headers } = response;
    const isEmpty = status === 204 || status === 304;
    return new Response(isEmpty ? null : normalizeAnswer(url, text), { status, statusText, headers });
  };
}

/** @throws McpCodegenError `LOGIN_FAILED` for an address that must not be asked */
export function assertAddress(endpoint: HttpEndpoint, url: URL): void {
  const reason = refuseAddress(url, endpoint);
  if (reason === undefined) return;
  const shown = JSON.stringify(oneLine(`${url.protocol}//${url.host}${url.pathname}`, 200));
  const message = `The server at ${JSON.stringify(endpoint.label)} names ${shown} for the login, which is not asked: ${reason}.`;
  throw new McpCodegenError("LOGIN_FAILED", message, {
    hint: "If you trust the authorization server, set auth.issuer to its https: URL. Otherwise report this to the provider.",
  });
}

async function readText(response: Response): Promise<string> {
  if (response.body === null) return "";
  const stream: ReadableStream<Uint8Array<ArrayBuffer>> = response.body;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const bytes of stream) {
    length += bytes.length;
    if (length > MOST_BYTES) throw new RangeError("The answer is too long.");
    pieces.push(bytes);
  }
  return new Blob(pieces).text();
}

/** Returns the text of an answer in the form that the SDK requires. Some servers send `null` for a member that they lack. */
function normalizeAnswer(url: URL, text: string): string {
  const answer = tryParseJson(text);
  if (!isJsonObject(answer)) return text;
  const present = Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== null));
  const { expires_in: expiresIn, ...rest } = present;
  const seconds = readSeconds(expiresIn);
  return JSON.stringify({
    ...(url.pathname.includes("/.well-known/openid-configuration") && OPENID_MEMBERS),
    ...rest,
    ...(seconds !== undefined && { expires_in: seconds }),
  });
}

/** Members that OpenID requires, and an authorization server without OpenID does not have. A login reads none of them. */
const OPENID_MEMBERS: JsonObject = {
  jwks_uri: "https://unknown.invalid/",
  subject_types_supported: [],
  id_token_signing_alg_values_supported: [],
};

/** What is not a number of seconds says nothing about when a token ends. */
function readSeconds(value: JsonValue | undefined): number | undefined {
  const seconds = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof seconds === "number" && Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}

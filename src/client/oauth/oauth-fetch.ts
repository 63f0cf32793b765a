import { McpCodegenError } from "../../core/errors.js";
import { isJsonObject, type JsonObject, type JsonValue, tryParseJson } from "../../core/json.js";
import { oneLine } from "../../core/printable.js";
import type { HttpEndpoint } from "../endpoint.js";
import { scrubSecrets } from "../server-errors.js";

/** Milliseconds for one request to an authorization server. A refresh has at most six, which the lock of a login outlasts. */
const TIMEOUT = 15_000;
const MOST_BYTES = 1_000_000;

type OAuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

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
    // The server itself was contacted before.
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
  const address = scrubSecrets(`${url.protocol}//${url.host}${url.pathname}`, endpoint.secrets);
  const shown = JSON.stringify(oneLine(address, 200));
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

function readSeconds(value: JsonValue | undefined): number | undefined {
  const seconds = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof seconds === "number" && Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}

/**
 * Returns why no request may be sent to an address of an authorization server; undefined if it may. Servers choose these
 * addresses, and could reach private networks through us: only the server's own host and the host of the configured issuer
 * may be private, and only a server on this machine may use plain http there. Public names are not resolved here.
 */
export function refuseAddress(url: URL, { url: serverUrl, oauth }: HttpEndpoint): string | undefined {
  const server = new URL(serverUrl);
  const kind = kindOf(url.hostname);
  const kindOfServer = kindOf(server.hostname);
  if (url.username !== "" || url.password !== "") return "it has a user name or a password";
  const isLocal = kind === "loopback" && kindOfServer === "loopback";
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLocal)) return "it does not use HTTPS";
  const issuer = oauth?.issuer;
  const trusted = [server, ...(issuer !== undefined && URL.canParse(issuer) ? [new URL(issuer)] : [])];
  if (kind === "public" || isLocal || trusted.some(({ hostname }) => hostname === url.hostname))
    return undefined;
  return "it is an address of a private network";
}

type AddressKind = "public" | "private" | "loopback";

/** `URL` normalizes IPv4 addresses to four decimal numbers, and puts IPv6 addresses in brackets. */
function kindOf(hostname: string): AddressKind {
  const name = hostname.replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".localhost")) return "loopback";
  if (/(?:^|\.)(?:local|internal|localdomain|home\.arpa)$/.test(name)) return "private";
  const bytes = name.startsWith("[") ? readIPv6(name.slice(1, -1)) : readIPv4(name);
  if (bytes === undefined) return "public";
  return bytes.length === 4 ? kindOfIPv4(bytes) : kindOfIPv6(bytes);
}

function readIPv4(text: string): readonly number[] | undefined {
  return /^\d+(?:\.\d+){3}$/.test(text) ? text.split(".").map(Number) : undefined;
}

function readIPv6(text: string): readonly number[] {
  const [head = "", tail] = text.split("::");
  const groups = (part: string): readonly number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const before = groups(head);
  const after = groups(tail ?? "");
  const zeros = new Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]);
}

/** The special purposes of IANA's registry: this network, private, shared, link-local, benchmarks, multicast, reserved. */
function kindOfIPv4([a = 0, b = 0, c = 0]: readonly number[]): AddressKind {
  if (a === 127) return "loopback";
  const isPrivate =
    [0, 10].includes(a) ||
    a >= 224 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && (b === 168 || (b === 0 && (c === 0 || c === 2)))) ||
    (a === 198 && (b === 18 || b === 19));
  return isPrivate ? "private" : "public";
}

function kindOfIPv6(bytes: readonly number[]): AddressKind {
  const startsWith = (...prefix: readonly number[]): boolean =>
    prefix.every((byte, index) => bytes[index] === byte);
  const zeros = new Array<number>(10).fill(0);
  if (startsWith(...zeros, 0, 0, 0, 0, 0, 1)) return "loopback";
  // Addresses that hold one of IPv4: mapped, compatible, translated (NAT64) and 6to4.
  if (startsWith(...zeros, 0xff, 0xff) || startsWith(...zeros, 0, 0)) return kindOfIPv4(bytes.slice(12));
  if (startsWith(0, 0x64, 0xff, 0x9b)) return kindOfIPv4(bytes.slice(12));
  if (startsWith(0x20, 0x02)) return kindOfIPv4(bytes.slice(2));
  // Only 2000::/3 is global.
  return (bytes[0] ?? 0) >> 5 === 1 ? "public" : "private";
}

import { McpCodegenError } from "../core/errors.js";
import { findOwn, findText, getOwn, type JsonObject, type JsonValue } from "../core/json.js";
import { isModernVersion, LEGACY_VERSIONS, MODERN_VERSIONS, PROTOCOL_VERSIONS } from "../core/connection.js";
import { readIdentity } from "../core/snapshot.js";
import type { Endpoint } from "./endpoint.js";
import { excerpt, HttpStatusError, RpcError, UnsentError } from "./server-errors.js";
import type { RpcSession } from "./rpc-session.js";

const CLIENT_INFO: JsonObject = { name: "mcp-codegen", version: "0.1.0" };
/** The `_meta` keys that every modern request carries (specification 2026-07-28, "_meta"). */
const META = {
  version: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  serverInfo: "io.modelcontextprotocol/serverInfo",
} as const;

const UNSUPPORTED_VERSION = -32022;
/** The errors of a server without `initialize`: invalid request, method not found, invalid params. */
const REFUSES_INITIALIZE = [UNSUPPORTED_VERSION, -32600, -32601, -32602];
/** HTTP statuses unrelated to the protocol: limits, gateways. */
const UNRELATED_STATUSES = [429, 502, 503, 504];
/** HTTP statuses of refused credentials. A gateway that allows single methods sends them for `server/discover` too. */
const REFUSED_STATUSES = [401, 403];
/** The largest delay of `setTimeout`. The caller's deadline ends earlier. */
const NO_TIMEOUT = 2 ** 31 - 1;

interface NegotiationOptions {
  readonly endpoint: Endpoint;
  /** Whether the channel is HTTP with server-sent events, which only legacy servers have. */
  readonly isSse: boolean;
  /** The client capabilities to declare. */
  readonly capabilities: JsonObject;
  /** Milliseconds for the whole negotiation. The caller ends it after that. */
  readonly timeout: number;
}

/** A request that asks a server to agree on a version. */
interface Handshake {
  readonly method: "initialize" | "server/discover";
  readonly version: string;
  readonly params: JsonObject;
  readonly timeout: number;
  /** Whether it is only sent after the server refused this version and listed it as supported. */
  readonly isRepeat?: boolean;
  /** Whether the next handshake may follow an error. */
  readonly isRefusal: (error: McpCodegenError) => boolean;
  /** Agrees to an answer. Returns why not, if the next handshake may follow. */
  readonly accept: (result: JsonObject) => Promise<NegotiationRefusal | undefined>;
}

interface NegotiationRefusal {
  readonly error?: McpCodegenError;
  /** The versions that the server supports, if it reports them. */
  readonly supported: readonly string[];
}

/**
 * Agrees on a protocol version with a server and sets the identity of the session.
 *
 * @throws McpCodegenError `PROTOCOL_INVALID` when client and server have no version in common, and the errors
 *   of requests
 */
export async function negotiate(session: RpcSession, options: NegotiationOptions): Promise<void> {
  let refusal: NegotiationRefusal | undefined = { supported: [] };
  let failure: unknown;
  /** That `server/discover` was refused as if the credentials were wrong. */
  let denial: HttpStatusError | undefined;
  for (const handshake of handshakesOf(session, options)) {
    const { method, version, params, timeout, isRepeat = false } = handshake;
    if (isRepeat && !refusal.supported.includes(version)) continue;
    try {
      refusal = await handshake.accept(await session.request(method, params, { timeout }));
    } catch (error) {
      if (!(error instanceof McpCodegenError)) throw error;
      if (method === "server/discover" && isDenial(error)) denial = error;
      if (!handshake.isRefusal(error))
        throw denial !== undefined && isClientError(error)
          ? withProtocolHint(denial, options.endpoint)
          : error;
      refusal = { error, supported: supportedBy(error) };
    }
    if (refusal === undefined) return;
    const { supported, error } = refusal;
    const isKnown = supported.length === 0 || supported.some((name) => PROTOCOL_VERSIONS.includes(name));
    if (method === "server/discover" && !isKnown) throw unknownVersions(session, supported);
    if (options.endpoint.protocol !== undefined) failure = pinnedError(session, version, refusal);
    else if (method === "initialize") failure = error;
  }
  throw denial === undefined ? failure : withProtocolHint(denial, options.endpoint);
}

/**
 * Returns the handshakes to try, in order. Over HTTP, `server/discover` is first and `initialize` follows when the server
 * does not know it: one request more for a legacy server. Over stdio, `initialize` is first, since some legacy servers exit
 * on an unknown first message (specification 2026-07-28, "Backward Compatibility").
 */
function handshakesOf(session: RpcSession, options: NegotiationOptions): readonly Handshake[] {
  const { endpoint, isSse, timeout } = options;
  const { kind, protocol } = endpoint;
  const [modern = ""] = MODERN_VERSIONS;
  if (protocol === "modern" || (protocol !== undefined && isModernVersion(protocol)))
    return discoverHandshakes(session, options, protocol === "modern" ? modern : protocol);
  if (protocol !== undefined) return [initializeHandshake(session, options, REFUSES_INITIALIZE)];
  if (isSse) return [initializeHandshake(session, options, [])];
  const discoverLatest = discoverHandshakes(session, options, modern);
  if (kind === "stdio") return [initializeHandshake(session, options, REFUSES_INITIALIZE), ...discoverLatest];
  return [
    ...discoverLatest.map((handshake) => ({ ...handshake, timeout: timeout / 2 })),
    // A modern server that was too slow for the probe refuses `initialize`.
    initializeHandshake(session, options, [UNSUPPORTED_VERSION]),
    ...discoverLatest,
  ];
}

/** Opens a session (specification 2025-11-25, "Lifecycle"). */
function initializeHandshake(
  session: RpcSession,
  { endpoint: { protocol }, capabilities }: NegotiationOptions,
  refusals: readonly number[],
): Handshake {
  const [latest = ""] = LEGACY_VERSIONS;
  const version = protocol === undefined || protocol === "legacy" ? latest : protocol;
  return {
    method: "initialize",
    version,
    params: { protocolVersion: version, capabilities, clientInfo: CLIENT_INFO },
    timeout: NO_TIMEOUT,
    isRefusal: (error) => error instanceof RpcError && refusals.includes(error.rpcCode),
    accept: async (result) => {
      const agreed = findText(result, "protocolVersion");
      if (agreed === undefined) throw session.invalid("answered initialize without a protocol version");
      if (isModernVersion(agreed))
        throw session.invalid(`opened a session in protocol version "${agreed}", which has no sessions`);
      if (!LEGACY_VERSIONS.includes(agreed)) throw unknownVersions(session, [agreed]);
      if (protocol === version && agreed !== version) return { supported: [agreed] };
      // The notification ends the handshake.
      const notification = "notifications/initialized";
      await session.agree(readIdentity(result, agreed), { notification });
      return undefined;
    },
  };
}

/** Requests the identity of a modern server (specification 2026-07-28, "Discovery"). */
function discoverHandshakes(
  session: RpcSession,
  { endpoint: { protocol }, capabilities }: NegotiationOptions,
  version: string,
): readonly Handshake[] {
  const meta: JsonObject = {
    [META.version]: version,
    [META.clientInfo]: CLIENT_INFO,
    [META.capabilities]: capabilities,
  };
  const handshake: Handshake = {
    method: "server/discover",
    version,
    params: { _meta: meta },
    timeout: NO_TIMEOUT,
    isRefusal: (error) => isAboutProtocol(error, protocol !== undefined),
    accept: async (result) => {
      const supported = textsOf(getOwn(result, "supportedVersions"));
      if (!supported.includes(version))
        return { error: session.invalid("answered server/discover without a supported version"), supported };
      const named = findOwn(getOwn(result, "_meta"), META.serverInfo);
      await session.agree(readIdentity(result, version, named), { meta });
      return undefined;
    },
  };
  return [handshake, { ...handshake, isRepeat: true }];
}

/** Whether an error may be how a legacy server answers a modern request. */
function isAboutProtocol(error: McpCodegenError, isPinned: boolean): boolean {
  if (isDenial(error)) return !isPinned && error.code !== "LOGIN_REQUIRED";
  if (error instanceof HttpStatusError) return !UNRELATED_STATUSES.includes(error.status);
  return !(error instanceof UnsentError);
}

function isDenial(error: unknown): error is HttpStatusError {
  return error instanceof HttpStatusError && REFUSED_STATUSES.includes(error.status);
}

/** Whether a server refuses a request, rather than fails. */
function isClientError(error: unknown): boolean {
  if (error instanceof HttpStatusError)
    return error.status < 500 && !UNRELATED_STATUSES.includes(error.status);
  return error instanceof RpcError;
}

/** With credentials at hand, the method may be what the server refuses. */
function withProtocolHint(error: HttpStatusError, endpoint: Endpoint): HttpStatusError {
  const { code, message, hint, status } = error;
  const isHttp = endpoint.kind === "http";
  if (!isHttp || (Object.keys(endpoint.headers).length === 0 && endpoint.tokens?.hasToken !== true))
    return error;
  const [legacy = ""] = LEGACY_VERSIONS;
  const more = `If it refuses only "server/discover", set "protocol": ${JSON.stringify(legacy)}.`;
  return new HttpStatusError(code, message, { status, hint: [hint, more].filter(Boolean).join(" ") });
}

/** Returns the versions that a refusal lists (specification 2026-07-28, "Protocol Version Negotiation"). */
function supportedBy(error: McpCodegenError): readonly string[] {
  return textsOf(error instanceof RpcError ? findOwn(error.rpcData, "supported") : undefined);
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function unknownVersions(session: RpcSession, versions: readonly string[]): McpCodegenError {
  return session.invalid(
    `speaks protocol version ${quoteVersions(session, versions)}; known versions: ${PROTOCOL_VERSIONS.join(", ")}`,
  );
}

function pinnedError(
  session: RpcSession,
  protocol: string,
  { supported, error }: NegotiationRefusal,
): McpCodegenError {
  const others = supported.length === 0 ? "" : `; it supports ${quoteVersions(session, supported)}`;
  const reason =
    supported.length === 0 && error !== undefined ? ` (${error.message.replace(/\.$/u, "")})` : "";
  const { message } = session.invalid(
    `does not support the configured protocol version "${protocol}"${others}${reason}`,
  );
  return new McpCodegenError("PROTOCOL_UNSUPPORTED", message, {
    hint: "Remove protocol from this server's settings, or set it to a version that the server supports.",
  });
}

function quoteVersions(session: RpcSession, versions: readonly string[]): string {
  return versions
    .slice(0, 10)
    .map((version) => JSON.stringify(excerpt(session.scrub(version))))
    .join(", ");
}

import { McpCodegenError } from "../core/errors.js";
import { findOwn, getOwn, isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { isModernVersion, LEGACY_VERSIONS, MODERN_VERSIONS, PROTOCOL_VERSIONS } from "../core/connection.js";
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
/** HTTP statuses unrelated to the protocol: credentials, limits, gateways. */
const UNRELATED_STATUSES = [401, 403, 407, 429, 502, 503, 504];
/** The largest delay of `setTimeout`. The caller's deadline ends earlier. */
const NO_TIMEOUT = 2 ** 31 - 1;

interface NegotiationOptions {
  readonly endpoint: Endpoint;
  /** Whether the channel is HTTP with server-sent events, which only legacy servers have. */
  readonly isSse: boolean;
  /** The client capabilities to declare. */
  readonly capabilities: JsonObject;
  /** Extensions that only modern requests declare. */
  readonly extensions: JsonObject;
  /** Milliseconds for the whole negotiation. The caller ends it after that. */
  readonly timeout: number;
}

interface Refusal {
  readonly error?: McpCodegenError;
  /** The versions that the server supports, if it reports them. */
  readonly supported: readonly string[];
}

/**
 * Agrees on a protocol version with a server and sets the identity of the session.
 *
 * Over HTTP it sends `server/discover` first, and `initialize` when the server does not know it: one request
 * more for a legacy server. Over stdio it sends `initialize` first, since some legacy servers exit on an
 * unknown first message (specification 2026-07-28, "Backward Compatibility").
 *
 * @throws McpCodegenError `PROTOCOL_INVALID` when client and server have no version in common, and the errors
 *   of requests
 */
export async function negotiate(session: RpcSession, options: NegotiationOptions): Promise<void> {
  const { endpoint, isSse, timeout } = options;
  const { protocol } = endpoint;
  const [latest = ""] = MODERN_VERSIONS;
  if (protocol === "modern" || (protocol !== undefined && isModernVersion(protocol))) {
    const version = protocol === "modern" ? latest : protocol;
    const refusal = await discover(session, options, version, NO_TIMEOUT);
    if (refusal !== undefined) throw pinnedError(session, version, refusal);
  } else if (protocol !== undefined || isSse) {
    await initialize(session, options);
  } else if (endpoint.kind === "stdio") {
    await initializeOrDiscover(session, options, REFUSES_INITIALIZE);
  } else {
    const refusal = await discover(session, options, latest, timeout / 2);
    // A modern server that was too slow for the probe refuses `initialize`.
    if (refusal !== undefined) await initializeOrDiscover(session, options, [UNSUPPORTED_VERSION]);
  }
}

async function initializeOrDiscover(
  session: RpcSession,
  options: NegotiationOptions,
  refusals: readonly number[],
): Promise<void> {
  try {
    await initialize(session, options);
  } catch (error) {
    if (!(error instanceof RpcError) || !refusals.includes(error.rpcCode)) throw error;
    const [latest = ""] = MODERN_VERSIONS;
    const refusal = await discover(session, options, latest, NO_TIMEOUT);
    if (refusal !== undefined) throw error;
  }
}

/** Opens a session (specification 2025-11-25, "Lifecycle"). */
async function initialize(
  session: RpcSession,
  { endpoint: { protocol }, capabilities }: NegotiationOptions,
): Promise<void> {
  const [latest = ""] = LEGACY_VERSIONS;
  const pinned = protocol === "legacy" ? undefined : protocol;
  const params: JsonObject = {
    protocolVersion: pinned ?? latest,
    capabilities,
    clientInfo: CLIENT_INFO,
  };
  const result = await session
    .request("initialize", params, { timeout: NO_TIMEOUT })
    .catch((error: unknown) => {
      const isRefusal = error instanceof RpcError && REFUSES_INITIALIZE.includes(error.rpcCode);
      if (protocol === undefined || !isRefusal) throw error;
      throw pinnedError(session, pinned ?? latest, { supported: supportedBy(error), error });
    });
  const version = getOwn(result, "protocolVersion");
  if (typeof version !== "string") throw session.invalid("answered initialize without a protocol version");
  if (isModernVersion(version)) {
    throw session.invalid(`opened a session in protocol version "${version}", which has no sessions`);
  }
  if (!LEGACY_VERSIONS.includes(version)) throw unknownVersions(session, [version]);
  if (pinned !== undefined && version !== pinned) {
    throw pinnedError(session, pinned, { supported: [version] });
  }
  await session.agree(
    identityOf(result, version, getOwn(result, "serverInfo")),
    // The notification ends the handshake.
    { notification: "notifications/initialized" },
  );
}

/**
 * Requests the identity of a modern server (specification 2026-07-28, "Discovery"), once more when the refusal
 * lists a modern version.
 *
 * @returns why the server did not accept the request; undefined when it did
 */
async function discover(
  session: RpcSession,
  { capabilities, extensions }: NegotiationOptions,
  version: string,
  timeout: number,
): Promise<Refusal | undefined> {
  const declared = getOwn(capabilities, "extensions");
  const all = { ...extensions, ...(isJsonObject(declared) && declared) };
  const meta: JsonObject = {
    [META.version]: version,
    [META.clientInfo]: CLIENT_INFO,
    [META.capabilities]: Object.keys(all).length === 0 ? capabilities : { ...capabilities, extensions: all },
  };
  for (let isSecond = false; ; isSecond = true) {
    let refusal: Refusal;
    try {
      const result = await session.request("server/discover", { _meta: meta }, { timeout });
      const supported = textsOf(getOwn(result, "supportedVersions"));
      if (supported.includes(version)) {
        const named = findOwn(getOwn(result, "_meta"), META.serverInfo);
        await session.agree(identityOf(result, version, named ?? getOwn(result, "serverInfo")), { meta });
        return undefined;
      }
      refusal = {
        error: session.invalid("answered server/discover without a supported version"),
        supported,
      };
    } catch (error) {
      if (!(error instanceof McpCodegenError) || !isAboutProtocol(error)) throw error;
      refusal = { error, supported: supportedBy(error) };
    }
    const { supported } = refusal;
    const isKnown = supported.some((one) => PROTOCOL_VERSIONS.includes(one));
    if (supported.length > 0 && !isKnown) throw unknownVersions(session, supported);
    if (isSecond || !supported.includes(version)) return refusal;
  }
}

function identityOf(
  result: JsonObject,
  protocolVersion: string,
  serverInfo: JsonValue | undefined,
): RpcSession["identity"] {
  const capabilities = getOwn(result, "capabilities");
  const instructions = getOwn(result, "instructions");
  return {
    serverInfo: isJsonObject(serverInfo) ? serverInfo : {},
    protocolVersion,
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    ...(typeof instructions === "string" && { instructions }),
  };
}

/** Whether an error may be how a legacy server answers a modern request. */
function isAboutProtocol(error: McpCodegenError): boolean {
  if (error instanceof HttpStatusError) return !UNRELATED_STATUSES.includes(error.status);
  return !(error instanceof UnsentError);
}

/** Returns the versions that a refusal lists (specification 2026-07-28, "Protocol Version Negotiation"). */
function supportedBy(error: McpCodegenError): readonly string[] {
  const data = error instanceof RpcError ? error.rpcData : undefined;
  return textsOf(isJsonObject(data) ? getOwn(data, "supported") : undefined);
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function unknownVersions(session: RpcSession, versions: readonly string[]): McpCodegenError {
  return session.invalid(
    `speaks protocol version ${quoteVersions(session, versions)}; known versions: ${PROTOCOL_VERSIONS.join(", ")}`,
  );
}

function pinnedError(session: RpcSession, protocol: string, { supported, error }: Refusal): McpCodegenError {
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

import { formatLimit, READ_LIMIT } from "../core/limits.js";
import { McpCodegenError, type ErrorCode } from "../core/errors.js";
import { findOwn, getOwn, isJsonObject, type JsonObject, tryParseJson } from "../core/json.js";
import type { HttpEndpoint } from "./endpoint.js";
import {
  excerpt,
  HttpStatusError,
  invalidError,
  nameOf,
  scrubSecrets,
  UnsentError,
  unreachableError,
} from "./server-errors.js";

/** Explains the codes of Node's network errors. */
const NETWORK: { readonly [code: string]: readonly [what: string, hint: string] } = {
  ECONNREFUSED: ["refuses connections", "Start the server, or correct the host and port of the url."],
  ENOTFOUND: ["has a host name that does not resolve", "Correct the url, or check the network."],
  EAI_AGAIN: ["has a host name that does not resolve now", "Check the network."],
  ECONNRESET: ["closed the connection", "Look at the server's log."],
  EPIPE: ["closed the connection", "Look at the server's log."],
  UND_ERR_SOCKET: ["closed the connection", "Look at the server's log."],
  UND_ERR_CONNECT_TIMEOUT: ["does not accept connections in time", "Check that the server is up."],
  ETIMEDOUT: ["does not accept connections in time", "Check that the server is up."],
};

/** The codes of errors that occur before a connection exists. `ETIMEDOUT` may also occur later. */
const UNSENT = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"];

/**
 * Returns `SERVER_UNREACHABLE` for an error of `fetch`. Its cause is dropped: it holds resolved hosts and
 * addresses.
 */
export function networkError(endpoint: HttpEndpoint, error: unknown): McpCodegenError {
  const code = findCode(error) ?? "";
  const [what, hint] = getOwn(NETWORK, code) ?? ["cannot be reached", "Check the url and the network."];
  const detail = code === "" ? "" : ` (${code})`;
  const ErrorClass = UNSENT.includes(code) ? UnsentError : McpCodegenError;
  return new ErrorClass("SERVER_UNREACHABLE", `${nameOf(endpoint)} ${what}${detail}.`, { hint });
}

/** Returns `SERVER_UNREACHABLE` for an answer that ended too early. */
export function cutOffError(endpoint: HttpEndpoint): McpCodegenError {
  return unreachableError(endpoint, "sent an incomplete answer", "Look at the server's log.");
}

function findCode(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if ("code" in at && typeof at.code === "string" && at.code !== "") return at.code;
    if (at instanceof AggregateError && at.errors.length > 0) return findCode(at.errors[0]);
  }
  return undefined;
}

/**
 * Returns the error for an HTTP answer that is not an MCP answer. The message quotes the start of `body`,
 * without secrets and markup.
 *
 * @param sent the JSON-RPC request, if one was sent, and whether the answer may mean that its session has ended
 */
export function httpError(
  endpoint: HttpEndpoint,
  response: Response,
  body: string,
  { request, doubtsSession }: SentRequest = {},
): HttpStatusError {
  const { status } = response;
  const text = findMessage(endpoint, body);
  const quote = text === "" ? "" : `: ${JSON.stringify(text)}`;
  const fail = (code: ErrorCode, what: string, hint: string): HttpStatusError =>
    new HttpStatusError(code, `${nameOf(endpoint)} ${what} (HTTP ${status})${quote}.`, {
      status,
      hint,
      doubtsSession,
    });
  const { tokens } = endpoint;
  const challenge = response.headers.get("www-authenticate") ?? "";
  if (status === 403 && /\binsufficient_scope\b/.test(challenge))
    return fail("SERVER_REFUSED", "requires a token with more scopes", tokens?.hint ?? CHECK_CREDENTIALS);
  if (status === 401 && tokens !== undefined && /^bearer\b/i.test(challenge)) {
    const what = tokens.hasToken ? "refused the token" : "requires a login";
    return fail("LOGIN_REQUIRED", what, tokens.hint);
  }
  if (isBusy(status)) return fail("SERVER_UNREACHABLE", BUSY[status], "Try again later.");
  const isPage = isMarkup(response, body);
  if (isPage && isLoginPage(body) && status !== 401) return loginError(endpoint, status);
  if (status === 403 && (isPage || /^error code: \d+\s*$/i.test(body)))
    return fail("PROTOCOL_INVALID", "answered with a web page", BLOCKED);
  if (status === 401 || status === 403)
    return "authorization" in endpoint.headers
      ? fail("SERVER_REFUSED", "refused the credentials", CHECK_CREDENTIALS)
      : fail("SERVER_REFUSED", "requires credentials", "Set auth or headers for this server.");
  const done = request !== undefined && getOwn(request, "method") === "tools/call" ? MAY_BE_DONE : "";
  if (doubtsSession === true)
    return fail("SERVER_REFUSED", "refused the session", `${done}The next call opens a new session.`);
  if (isPhpError(body)) {
    const hint = `${done}Look at the site's error log: wp-content/debug.log, or the web server's.`;
    return fail("PROTOCOL_INVALID", "failed in PHP", hint);
  }
  if (isPhpNotice(body)) {
    const hint = `${done}Fix the notice, or turn off display_errors (in WordPress, WP_DEBUG_DISPLAY).`;
    return fail("PROTOCOL_INVALID", "sent a PHP notice in its answer", hint);
  }
  if (isPage) {
    const hint =
      status >= 500 ? DOWN : "Check that the url is the MCP endpoint, and look at the server's log.";
    return fail("PROTOCOL_INVALID", "answered with a web page", hint);
  }
  if (status === 404 || status === 405 || status === 410)
    return fail("SERVER_REFUSED", "has no MCP endpoint at this path", "Check the path of the url.");
  if (status >= 500)
    return fail("SERVER_UNREACHABLE", "failed", "Try again later, and look at the server's log.");
  if (status >= 400) return fail("SERVER_REFUSED", "refused the request", "Look at the server's log.");
  const type = response.headers.get("content-type");
  const isMcp = type === null || /^(?:application\/json|text\/event-stream)\b/i.test(type);
  const what =
    body.trim() === ""
      ? "sent an empty answer"
      : isMcp
        ? "sent an answer that is not an MCP message"
        : `sent an answer of type ${excerpt(scrubSecrets(type, endpoint.secrets))}; MCP needs application/json or text/event-stream`;
  return fail("PROTOCOL_INVALID", what, "Check that the url is the MCP endpoint.");
}

interface SentRequest {
  readonly request?: JsonObject | undefined;
  readonly doubtsSession?: boolean | undefined;
}

const CHECK_CREDENTIALS = "Check this server's auth and headers.";
const BLOCKED = "A firewall or a proxy blocks the request: let it pass there.";
const DOWN = "Try again later: a proxy answers, or the server is in maintenance.";

/** The statuses of a server that may accept the same request later. */
const BUSY = {
  408: "did not receive the request in time",
  425: "does not accept the request yet",
  429: "received too many requests",
} as const;

function isBusy(status: number): status is keyof typeof BUSY {
  return Object.hasOwn(BUSY, status);
}

/** Returns the error for a login page instead of an answer. */
export function loginError(endpoint: HttpEndpoint, status: number): HttpStatusError {
  const message = `${nameOf(endpoint)} answered with a login page (HTTP ${status}).`;
  return new HttpStatusError("PROTOCOL_INVALID", message, {
    status,
    hint: "Something on the site makes visitors log in: exempt the REST API (/wp-json/).",
  });
}

/** Returns the error for a session whose ID is lost on the way to us or to the server. */
export function sessionError(endpoint: HttpEndpoint, status: number): HttpStatusError {
  const message = `${nameOf(endpoint)} did not receive the session ID that it issued (HTTP ${status}).`;
  return new HttpStatusError("SERVER_REFUSED", message, {
    status,
    hint: "A proxy or cache removes the Mcp-Session-Id header: let it pass in both directions.",
  });
}

/** Returns the error for a redirect that would take credentials to another address. */
export function redirectError(endpoint: HttpEndpoint, status: number): McpCodegenError {
  const message = `${nameOf(endpoint)} redirects to another address (HTTP ${status}), which is not followed.`;
  return new McpCodegenError("SERVER_REFUSED", message, {
    hint: "Credentials are sent only to the configured address. If you trust the new address, set the url to it.",
  });
}

export function tooLongError(endpoint: HttpEndpoint): McpCodegenError {
  const what = `sent an answer of more than ${formatLimit(endpoint.readLimit ?? READ_LIMIT)}, the limit`;
  return invalidError(endpoint, what, "Look at the server's log, or raise readLimit in its settings.");
}

/** Returns an excerpt of the message of a JSON error, or of the text of a page. */
function findMessage(endpoint: HttpEndpoint, body: string): string {
  const json = tryParseJson(body);
  const error = findOwn(json, "error");
  const inner = isJsonObject(error) ? getOwn(error, "message") : error;
  const message = inner ?? findOwn(json, "message");
  return excerpt(scrubSecrets(typeof message === "string" ? message : body, endpoint.secrets));
}

/** Whether a body is a fatal error of PHP, or WordPress's page about one. */
function isPhpError(body: string): boolean {
  const head = body.slice(0, 20_000);
  return (
    /(?:^|>)\s*(?:PHP )?(?:Fatal|Parse) error(?:<\/b>)?:/i.test(head) ||
    /There has been a critical error on (?:this|your) website/i.test(head)
  );
}

/** Whether a body starts with a PHP notice. The answer follows it, so the work was done. */
function isPhpNotice(body: string): boolean {
  const kinds = "Notice|Warning|Deprecated|Strict Standards";
  return new RegExp(`(?:^|>)\\s*(?:PHP )?(?:${kinds})(?:</b>)?:`, "i").test(body.slice(0, 20_000));
}

const MAY_BE_DONE = "The tool may have run: look at the site before you call it again. ";

function isLoginPage(body: string): boolean {
  return /\bid=["']?loginform\b|\bwp-login\.php\b|\btype=["']?password\b/i.test(body.slice(0, 200_000));
}

/** Whether a body is HTML, or JSON after a PHP error in HTML. */
function isMarkup(response: Response, body: string): boolean {
  const isHtml = response.headers.get("content-type")?.toLowerCase().includes("html") ?? false;
  return isHtml || /^\s*<(?:!doctype|html|br|b|div|pre)\b/i.test(body);
}

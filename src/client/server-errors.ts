import { type ErrorCode, McpCodegenError } from "../core/errors.js";
import { findText, getOwn, isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import type { Endpoint } from "./endpoint.js";

/** A JSON-RPC error that the server answered a request with. */
export class RpcError extends McpCodegenError {
  /** The `code` of the JSON-RPC error object; 0 if it has none. */
  readonly rpcCode: number;
  /** The `message` of the JSON-RPC error object, in one line and without secrets. */
  readonly rpcMessage: string;
  /** The `data` of the JSON-RPC error object as the server sent it: it may hold secrets. */
  declare readonly rpcData: JsonValue | undefined;
  /** Whether it may mean that the session has ended. */
  readonly doubtsSession: boolean;

  /** @param status the HTTP status that it was sent with in a session, if it was not a success */
  constructor(
    request: string,
    error: { readonly code: number; readonly message: string; readonly data?: JsonValue | undefined },
    status?: number,
  ) {
    super(
      "SERVER_REFUSED",
      `The server refused ${request}: ${error.message}${error.code === 0 ? "" : ` (${error.code})`}.`,
    );
    this.rpcCode = error.code;
    this.rpcMessage = error.message;
    this.doubtsSession = doubtsSession(status ?? 200, error.message);
    // Loggers print enumerable properties.
    Object.defineProperty(this, "rpcData", { value: error.data, enumerable: false });
  }
}

/** The session has ended. The request had no effect, and may be sent again in a new session. */
export class SessionLostError extends McpCodegenError {
  readonly isSessionLost = true;

  constructor(label: string) {
    super("SERVER_REFUSED", `The server at ${JSON.stringify(label)} has ended the session.`, {
      hint: "Try again: the next call opens a new session.",
    });
  }
}

/** No connection was made, so the request was not sent. */
export class UnsentError extends McpCodegenError {
  readonly isUnsent = true;
}

interface HttpStatusOptions {
  readonly status: number;
  readonly hint: string | undefined;
  readonly doubtsSession?: boolean | undefined;
}

/** An HTTP answer that is not an MCP answer. */
export class HttpStatusError extends McpCodegenError {
  readonly status: number;
  /** Whether it may mean that the session has ended. */
  readonly doubtsSession: boolean;

  constructor(code: ErrorCode, message: string, options: HttpStatusOptions) {
    super(code, message, { hint: options.hint });
    this.status = options.status;
    this.doubtsSession = options.doubtsSession ?? false;
  }
}

/** A word about a session, but not a header of the request, which some servers repeat. */
const SESSION = /session(?!-id["']?\s*[:=])/i;
const LOST = String.raw`(?<![a-z])(?:bad|closed|ended|expired|gone|invalid|lost|missing|no|not|stale|terminated|unknown)(?![a-z])`;
const LOST_SESSION = new RegExp(
  `${LOST}[^{}\\n]{0,40}${SESSION.source}|${SESSION.source}[^{}\\n]{0,80}${LOST}|(?<![a-z])(?:not|before) (?:been )?initiali[sz]`,
  "i",
);

/**
 * Whether an answer to a request in a session may mean that the session has ended. Status 404 does (specification, "Session
 * Management"), and so does its relative 410; servers use many others with words about the session. A limit of the rate does
 * not, even of the number of sessions, and a server that failed may have done something: only clear words count.
 */
export function doubtsSession(status: number, words: string): boolean {
  if (status === 404 || status === 410) return true;
  return status !== 429 && ((status < 500 && SESSION.test(words)) || LOST_SESSION.test(words));
}

/**
 * The known types of results (specification 2026-07-28, "Responses"). An absent type means "complete".
 */
const RESULT_TYPES: readonly (JsonValue | undefined)[] = [undefined, "complete", "input_required"];

/**
 * Returns the `result` of the answer to a request.
 *
 * @param status the HTTP status that it was sent with in a session, if it was not a success
 * @throws RpcError for a JSON-RPC error, McpCodegenError `PROTOCOL_INVALID` for an answer of another form
 */
export function resultOfAnswer(
  endpoint: Endpoint,
  request: string,
  message: JsonObject,
  status?: number,
): JsonObject {
  const error = getOwn(message, "error");
  const result = getOwn(message, "result");
  if (isJsonObject(error)) throw refusal(endpoint, request, error, status);
  if (!isJsonObject(result))
    throw invalidError(endpoint, `answered ${request} with neither a result nor an error`);
  const type = getOwn(result, "resultType");
  if (RESULT_TYPES.includes(type)) return result;
  const shown = excerpt(scrubSecrets(JSON.stringify(type), endpoint.secrets));
  throw invalidError(endpoint, `answered ${request} with the unknown result type ${shown}`);
}

/**
 * Whether a message answers the request with this ID. Some servers echo the ID as a text; an error about a request that
 * the server could not read has no ID (JSON-RPC 2.0, section 5).
 */
export function answersRequest(message: JsonObject, requestId: JsonValue | undefined): boolean {
  const id = getOwn(message, "id") ?? null;
  if (id === null) return isJsonObject(getOwn(message, "error"));
  return id === requestId || (typeof id === "string" && id === JSON.stringify(requestId));
}

function refusal(endpoint: Endpoint, request: string, error: JsonObject, status?: number): RpcError {
  const code = getOwn(error, "code");
  const reason = findText(error, "message") ?? "no reason given";
  const details = {
    code: typeof code === "number" ? code : 0,
    message: excerpt(scrubSecrets(reason, endpoint.secrets)),
    data: getOwn(error, "data"),
  };
  return new RpcError(request, details, status);
}

/** Returns `PROTOCOL_INVALID` about a server. */
export function invalidError(
  endpoint: Endpoint,
  what: string,
  hint = "Check that this is an MCP server.",
): McpCodegenError {
  return new McpCodegenError("PROTOCOL_INVALID", `${nameOf(endpoint)} ${what}.`, { hint });
}

/** Returns `SERVER_UNREACHABLE` about a server. */
export function unreachableError(endpoint: Endpoint, what: string, hint?: string): McpCodegenError {
  return new McpCodegenError("SERVER_UNREACHABLE", `${nameOf(endpoint)} ${what}.`, { hint });
}

/** Returns `SERVER_TIMEOUT` about a server, with the setting that limits the time. */
export function timeoutError(
  endpoint: Endpoint,
  what: string,
  { limitedBy, timeout }: { readonly limitedBy: string; readonly timeout: number },
): McpCodegenError {
  const message = `${nameOf(endpoint)} did not ${what} within ${timeout} ms.`;
  return new McpCodegenError("SERVER_TIMEOUT", message, {
    hint: `Raise ${limitedBy} if it needs longer.`,
  });
}

/** Names a server at the start of a sentence. */
export function nameOf({ kind, label }: Endpoint): string {
  return `The server ${kind === "http" ? "at " : ""}${JSON.stringify(label)}`;
}

const LONGEST = 200;
/** C0 and C1 controls, bidirectional marks, zero-width characters and line separators: none belongs in a terminal line. */
// oxlint-disable-next-line no-control-regex -- the pattern finds control characters
export const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;

/** Returns the beginning of a text from a server, as its reader sees it: without tags, styles and scripts of HTML. */
export function visibleText(text: string): string {
  const head = text.slice(0, 20_000);
  return /<[a-z!/]/i.test(head)
    ? head.replace(/<(script|style|head)\b[\s\S]*?<\/\1\s*>/gi, " ").replace(/<[^<>]*>/g, " ")
    : head;
}

/** Returns one short printable line of a text from a server, for an error message. HTML tags are removed. */
export function excerpt(text: string): string {
  const line = visibleText(text).replace(UNPRINTABLE, " ").replace(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** Shorter values are words and digits that occur in any message. */
const SHORTEST = 4;
/** Shorter pieces of Base64 occur by chance in images and other encoded data. */
const SHORTEST_ENCODED = 8;

/**
 * Returns the spellings of a secret: raw, percent-encoded once or twice, escaped in JSON or HTML, in hexadecimal, in the other
 * case, and the characters of Base64 that it has at each of the three offsets in a longer text, in both alphabets and without
 * padding. {@link scrubSecrets} finds them in any case.
 */
export function secretForms(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  const encoded = [0, 1, 2].flatMap((offset) => {
    const piece = base64At(bytes, offset);
    return [piece, piece.replaceAll("+", "-").replaceAll("/", "_")];
  });
  const percent = encodeURIComponent(secret.replace(/\p{Surrogate}/gu, "\uFFFD"));
  const strict = percent.replace(/[!'()*]/g, (mark) => `%${HEX[mark.charCodeAt(0)] ?? ""}`);
  const hex = hexOf(bytes);
  const digits = [hex, ...encoded].filter(({ length }) => length >= SHORTEST_ENCODED);
  const forms = [
    secret,
    secret.toUpperCase(),
    secret.toLowerCase(),
    percent,
    strict,
    new URLSearchParams({ "": secret }).toString().slice(1),
    encodeURIComponent(strict),
    hexOf(bytes, "%"),
    JSON.stringify(secret).slice(1, -1),
    secret.replace(/[&<>"']/g, (mark) => HTML[mark] ?? mark),
    ...digits,
  ];
  return [...new Set(forms)];
}

const HTML: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Two digits for each byte, after a sign if there is one. A list of their texts would be too large to be fast. */
function hexOf(bytes: Uint8Array, sign = ""): string {
  let hex = "";
  for (const byte of bytes) hex += sign + (HEX[byte] ?? "");
  return hex;
}

/** The characters that only the secret decides, after `offset` other bytes. */
function base64At(bytes: Uint8Array, offset: number): string {
  let text = "\0".repeat(offset);
  for (const byte of bytes) text += String.fromCharCode(byte);
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor((text.length * 8) / 6);
  return btoa(text).slice(first, end);
}

/** Replaces every secret in a text with `***`, in any case, the longest first, in case one contains another. */
export function scrubSecrets(text: string, secrets: readonly string[], replacement = "***"): string {
  return [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST)
    .sort((a, b) => b.length - a.length)
    .reduce((scrubbed, secret) => replaceInAnyCase(scrubbed, secret, replacement), text);
}

function replaceInAnyCase(text: string, part: string, replacement: string): string {
  const lower = lowerCase(text);
  const wanted = lowerCase(part);
  let replaced = "";
  let from = 0;
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, from)) {
    replaced += text.slice(from, at) + replacement;
    from = at + wanted.length;
  }
  return from === 0 ? text : replaced + text.slice(from);
}

/** A text in lower case, in which every character keeps its place. */
export function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

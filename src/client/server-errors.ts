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

  constructor(
    request: string,
    error: { readonly code: number; readonly message: string; readonly data?: JsonValue | undefined },
  ) {
    super(
      "SERVER_REFUSED",
      `The server refused ${request}: ${error.message}${error.code === 0 ? "" : ` (${error.code})`}.`,
    );
    this.rpcCode = error.code;
    this.rpcMessage = error.message;
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

/** An HTTP answer that is not an MCP answer. */
export class HttpStatusError extends McpCodegenError {
  readonly status: number;

  constructor(code: ErrorCode, message: string, options: { readonly status: number; readonly hint: string }) {
    super(code, message, { hint: options.hint });
    this.status = options.status;
  }
}

/**
 * The known types of results (specification 2026-07-28, "Responses", and the extension `io.modelcontextprotocol/tasks`). An
 * absent type means "complete".
 */
const RESULT_TYPES: readonly (JsonValue | undefined)[] = [undefined, "complete", "input_required", "task"];

/**
 * Returns the `result` of the answer to a request.
 *
 * @throws RpcError for a JSON-RPC error, McpCodegenError `PROTOCOL_INVALID` for an answer of another form
 */
export function resultOfAnswer(endpoint: Endpoint, request: string, message: JsonObject): JsonObject {
  const error = getOwn(message, "error");
  const result = getOwn(message, "result");
  if (isJsonObject(error)) throw refusal(endpoint, request, error);
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

function refusal(endpoint: Endpoint, request: string, error: JsonObject): RpcError {
  const code = getOwn(error, "code");
  const reason = findText(error, "message") ?? "no reason given";
  return new RpcError(request, {
    code: typeof code === "number" ? code : 0,
    message: excerpt(scrubSecrets(reason, endpoint.secrets)),
    data: getOwn(error, "data"),
  });
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

/** Returns one short printable line of a text from a server, for an error message. HTML tags are removed. */
export function excerpt(text: string): string {
  const head = text.slice(0, 20_000);
  const words = /<[a-z!/]/i.test(head)
    ? head.replace(/<(script|style|head)\b[\s\S]*?<\/\1\s*>/gi, " ").replace(/<[^<>]*>/g, " ")
    : head;
  const line = words.replace(UNPRINTABLE, " ").replace(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** Shorter values are words and digits that occur in any message. */
const SHORTEST = 4;
/** Shorter pieces of Base64 occur by chance in images and other encoded data. */
const SHORTEST_ENCODED = 8;

/**
 * Returns the spellings of a secret: raw, percent-encoded, escaped in JSON, and the characters of Base64 that it has at each
 * of the three offsets in a longer text, in both alphabets and without padding.
 */
export function secretForms(secret: string): readonly string[] {
  const encoded = [0, 1, 2].flatMap((offset) => {
    const piece = base64At(secret, offset);
    return [piece, piece.replaceAll("+", "-").replaceAll("/", "_")];
  });
  return [
    secret,
    encodeURIComponent(secret.replace(/\p{Surrogate}/gu, "\uFFFD")),
    JSON.stringify(secret).slice(1, -1),
    ...encoded.filter(({ length }) => length >= SHORTEST_ENCODED),
  ];
}

/** The characters that only the secret decides, after `offset` other bytes. */
function base64At(secret: string, offset: number): string {
  const bytes = [...new Uint8Array(offset), ...new TextEncoder().encode(secret)];
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor((bytes.length * 8) / 6);
  return btoa(bytes.map((byte) => String.fromCharCode(byte)).join("")).slice(first, end);
}

/** Replaces every secret in a text with `***`, the longest first, in case one contains another. */
export function scrubSecrets(text: string, secrets: readonly string[], replacement = "***"): string {
  return [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST)
    .sort((a, b) => b.length - a.length)
    .reduce((scrubbed, secret) => scrubbed.replaceAll(secret, () => replacement), text);
}

import { McpCodegenError } from "../core/errors.js";
import { READ_LIMIT } from "../core/limits.js";
import type { HttpEndpoint } from "./endpoint.js";
import { networkError, tooLongError } from "./http-errors.js";

/**
 * Returns the answer with any status. A request whose token the server refuses is sent once more with another token.
 * Redirects are followed within the origin, unless `init` says otherwise.
 *
 * @throws McpCodegenError `SERVER_UNREACHABLE` without an answer; the abort when the signal aborted
 */
export async function sendRequest(
  endpoint: HttpEndpoint,
  url: string | URL,
  init: RequestInit,
): Promise<Response> {
  const { tokens } = endpoint;
  let token = await tokens?.token();
  let address = new URL(url);
  let [redirects, isRenewed] = [0, false];
  for (;;) {
    const headers = new Headers(endpoint.headers);
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    const response = await fetch(address, { redirect: "manual", ...init, headers }).catch(
      (error: unknown) => {
        throw init.signal?.aborted === true ? error : networkError(endpoint, error);
      },
    );
    const target = init.redirect === undefined ? redirectOf(response, address, init.method) : undefined;
    if (target !== undefined && redirects < MOST_REDIRECTS) {
      redirects += 1;
      address = target;
    } else {
      if (isRenewed || tokens === undefined || ![401, 403].includes(response.status)) return response;
      const renewed = await tokens.renew(response, token);
      if (renewed === undefined || renewed === token) return response;
      isRenewed = true;
      token = renewed;
    }
    await response.body?.cancel();
  }
}

const MOST_REDIRECTS = 5;

/** Returns where a redirect leads if it may be followed: with the same method, and with our credentials. */
function redirectOf(response: Response, from: URL, method = "GET"): URL | undefined {
  const location = response.headers.get("location") ?? "";
  const keepsMethod = method === "GET" ? [301, 302, 303, 307, 308] : [307, 308];
  if (!keepsMethod.includes(response.status) || location === "" || isLoginAddress(location)) return undefined;
  if (!URL.canParse(location, from.href)) return undefined;
  const to = new URL(location, from.href);
  const isUpgrade = from.protocol === "http:" && to.protocol === "https:" && from.port + to.port === "";
  const isWithin = to.origin === from.origin || (isUpgrade && to.hostname === from.hostname);
  return isWithin && to.username === "" && to.password === "" ? to : undefined;
}

/** Whether a redirect leads to the login page of WordPress. */
export function isLoginAddress(location: string): boolean {
  return /\bwp-login\.php\b/.test(location);
}

/**
 * Returns the text of an answer.
 *
 * @throws McpCodegenError `SERVER_UNREACHABLE` for an incomplete answer, `PROTOCOL_INVALID` for one that is too long
 */
export async function readBody(endpoint: HttpEndpoint, response: Response): Promise<string> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let length = 0;
  try {
    const stream: ReadableStream<Uint8Array<ArrayBuffer>> = response.body;
    for await (const bytes of stream) {
      const piece = decoder.decode(bytes, { stream: true });
      length += piece.length;
      if (length > (endpoint.readLimit ?? READ_LIMIT)) throw tooLongError(endpoint);
      pieces.push(piece);
    }
  } catch (error) {
    throw error instanceof McpCodegenError ? error : networkError(endpoint, error);
  }
  return pieces.join("");
}

export function isMediaType(response: Response, type: string): boolean {
  const [given = ""] = (response.headers.get("content-type") ?? "").split(";", 1);
  return given.trim().toLowerCase() === type;
}

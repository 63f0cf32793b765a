import { codeOf, McpCodegenError } from "../core/errors.js";
import { formatLimit } from "../core/limits.js";

interface DownloadOptions {
  /** The most bytes. */
  readonly limit: number;
  /** Milliseconds until the download is given up. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

const MOST_REDIRECTS = 5;

/**
 * Returns the bytes at a URL. Redirects are followed to HTTPS, and to the same server.
 *
 * @throws McpCodegenError `SERVER_UNREACHABLE` when the server cannot be reached or has no such file, `PROTOCOL_INVALID` for a
 *   file that is too large
 */
export async function download(url: URL, { limit, timeout, signal }: DownloadOptions): Promise<Uint8Array> {
  // Closes the connection of an answer that is not read to its end.
  const ending = new AbortController();
  const signals = [ending.signal, AbortSignal.timeout(timeout), ...(signal === undefined ? [] : [signal])];
  try {
    return await readAll(url, limit, AbortSignal.any(signals));
  } catch (cause) {
    ending.abort();
    signal?.throwIfAborted();
    if (cause instanceof McpCodegenError) throw cause;
    throw new McpCodegenError("SERVER_UNREACHABLE", describeNetwork(url, cause, timeout), { cause });
  }
}

async function readAll(url: URL, limit: number, signal: AbortSignal): Promise<Uint8Array> {
  const response = await request(url, signal);
  if (!response.ok)
    throw new McpCodegenError("SERVER_UNREACHABLE", `${url.href} answers with HTTP ${response.status}.`);
  const tooLarge = new McpCodegenError(
    "PROTOCOL_INVALID",
    `${url.href} holds more than ${formatLimit(limit)}.`,
  );
  if (Number(response.headers.get("content-length") ?? 0) > limit) throw tooLarge;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    if (length > limit) throw tooLarge;
    pieces.push(piece);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

async function request(url: URL, signal: AbortSignal): Promise<Response> {
  let target = url;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    // A server may compress an archive again.
    const headers = { "accept-encoding": "identity" };
    const response = await fetch(target, { redirect: "manual", headers, signal });
    const location = response.headers.get("location");
    if (location === null || response.status < 300 || response.status >= 400) return response;
    await response.body?.cancel();
    target = new URL(location, target);
    if (target.protocol !== "https:" && target.origin !== url.origin)
      throw new McpCodegenError(
        "SERVER_UNREACHABLE",
        `${url.href} redirects to ${target.origin}, which does not use HTTPS.`,
      );
  }
  throw new McpCodegenError("SERVER_UNREACHABLE", `${url.href} redirects more than ${MOST_REDIRECTS} times.`);
}

function describeNetwork({ host }: URL, error: unknown, timeout: number): string {
  if (error instanceof Error && error.name === "TimeoutError")
    return `${host} took over ${timeout / 60_000} minutes.`;
  const cause = error instanceof Error ? error.cause : undefined;
  const code = codeOf(cause) ?? codeOf(error);
  return `The connection to ${host} failed${code === undefined ? "" : ` (${code})`}.`;
}

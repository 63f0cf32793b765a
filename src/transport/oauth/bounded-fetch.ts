/** Milliseconds for one request to an authorization server. A refresh has at most six, which the lock of a login outlasts. */
const TIMEOUT = 15_000;
/** Bytes of one answer. */
const MOST_BYTES = 1_000_000;

/** `fetch` with a limit of time and size: a hostile server chooses the addresses. */
export async function boundedFetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const signal = AbortSignal.timeout(TIMEOUT);
  const response = await fetch(url, { ...init, signal });
  if (response.body === null) return response;
  const stream: ReadableStream<Uint8Array<ArrayBuffer>> = response.body;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const bytes of stream) {
    length += bytes.length;
    if (length > MOST_BYTES) throw new RangeError("The answer is too long.");
    pieces.push(bytes);
  }
  const { status, statusText, headers } = response;
  const isEmpty = status === 204 || status === 304;
  return new Response(isEmpty ? null : new Blob(pieces), { status, statusText, headers });
}

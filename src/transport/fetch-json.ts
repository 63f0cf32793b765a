import { type JsonValue, tryParseJson } from "../contract/json.js";
import { McpCodegenError } from "../contract/errors.js";
import { abortReason, type AbortSignalLike } from "./abort-signal.js";
import type { HttpEndpoint } from "./endpoint.js";
import { readBody, sendRequest } from "./tap-fetch.js";

export interface FetchJsonOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignalLike | undefined;
  /** Whether to omit the headers of the endpoint, as an anonymous visitor would. */
  readonly isAnonymous?: boolean;
}

export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined when the text is not JSON. */
  readonly json: JsonValue | undefined;
}

/**
 * Returns the answer to a `GET` of a URL on the same origin as the endpoint, with any status. Redirects are
 * not followed, so that credentials stay on that origin.
 *
 * @throws McpCodegenError `SERVER_UNREACHABLE` or `SERVER_TIMEOUT`; the signal's reason when it aborts
 */
export async function fetchJson(
  endpoint: HttpEndpoint,
  url: string,
  { timeout, signal, isAnonymous = false }: FetchJsonOptions,
): Promise<JsonAnswer> {
  if (new URL(url).origin !== new URL(endpoint.url).origin) {
    throw new Error(`"${new URL(url).origin}" is not the origin of "${endpoint.label}".`);
  }
  if (signal?.aborted === true) throw abortReason(signal);
  const controller = new AbortController();
  const onAbort = (): void => {
    controller.abort(signal && abortReason(signal));
  };
  const timer = setTimeout(() => {
    const message = `The server at ${JSON.stringify(endpoint.label)} did not answer within ${timeout} ms.`;
    controller.abort(new McpCodegenError("SERVER_TIMEOUT", message));
  }, timeout);
  signal?.addEventListener("abort", onAbort);
  try {
    const response = await sendRequest(
      isAnonymous ? { ...endpoint, headers: {}, tokens: undefined } : endpoint,
      url,
      {
        headers: { accept: "application/json" },
        redirect: "manual",
        signal: controller.signal,
      },
    );
    const text = await readBody(endpoint, response);
    return { status: response.status, headers: response.headers, text, json: tryParseJson(text) };
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

import type { JsonValue } from "../contract/json.js";
import { McpCodegenError } from "../contract/errors.js";
import { abortReason, type AbortSignalLike } from "./abort-signal.js";
import type { HttpEndpoint } from "./endpoint.js";
import { parseJson } from "./parse-json.js";
import { ask, readBody } from "./tap-fetch.js";

export interface FetchJsonOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignalLike | undefined;
  /** Without the endpoint's headers, so as a stranger. */
  readonly isAnonymous?: boolean;
}

export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined when the text is no JSON. */
  readonly json: JsonValue | undefined;
}

/**
 * What an address of an endpoint's own origin answers to a `GET`, whatever the status. Redirects are not followed:
 * credentials stay where they are meant to be.
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
    const response = await ask(isAnonymous ? { ...endpoint, headers: {} } : endpoint, url, {
      headers: { accept: "application/json" },
      redirect: "manual",
      signal: controller.signal,
    });
    const text = await readBody(endpoint, response);
    return { status: response.status, headers: response.headers, text, json: parseJson(text) };
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

import { checkOptions, TEXT, TEXTS } from "../contract/check-options.js";
import { McpCodegenError } from "../contract/errors.js";
import type { HttpAccessOptions } from "./http-access.js";
import { SERVE_OPTIONS, type Servable, type ServeOptions } from "./offer.js";

/** A function from `Request` to `Response`, for a route of any framework. */
export interface ServeHandler {
  (request: Request): Promise<Response>;
  /** Ends all sessions. */
  close(): Promise<void>;
}

/**
 * Serves a toolset or the tools of a registry over streamable HTTP in a program with an HTTP server.
 *
 * @throws McpCodegenError `CONFIG_INVALID` without a token, unless it is `false`
 */
export async function createServeHandler(
  source: Servable,
  options: ServeOptions & HttpAccessOptions,
): Promise<ServeHandler> {
  const rules = { ...SERVE_OPTIONS, hosts: TEXTS, token: [false, TEXT] as const };
  checkOptions("createServeHandler", options, rules, ["token"]);
  if (options.token === "") {
    throw new McpCodegenError("CONFIG_INVALID", "The bearer token is empty.", {
      hint: "Pass a token, or token: false if another component authenticates requests.",
    });
  }
  const [{ createMcpEndpoint }, { findRefusal }] = await Promise.all([
    import("./mcp-endpoint.js"),
    import("./http-access.js"),
  ]);
  const endpoint = createMcpEndpoint(source, options);
  const handle = async (request: Request): Promise<Response> => {
    // Some frameworks do not pass the Host header; then the URL has its value.
    const refusal = await findRefusal(
      (name) => request.headers.get(name) ?? (name === "host" ? new URL(request.url).host : null),
      options,
    );
    if (refusal === undefined) return endpoint.fetch(request);
    return new Response(refusal.body, { status: refusal.status, headers: refusal.headers });
  };
  return Object.assign(handle, { close: () => endpoint.close() });
}

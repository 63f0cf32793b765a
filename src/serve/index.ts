import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  checkArgument,
  checkOptions,
  FUNCTION,
  NUMBER,
  OBJECT,
  TEXT,
  TEXTS,
  withMethods,
} from "../core/check-options.js";
import { McpCodegenError } from "../core/errors.js";
import {
  assertToken,
  type HttpAccess,
  reporterOf,
  type Servable,
  SERVE_OPTIONS,
  type ServeOptions,
  type ServeStdioOptions,
  type Serving,
} from "./offer.js";

export { McpCodegenError, type ErrorCode } from "../core/errors.js";
export { openToolset, type OpenedToolset, type OpenToolsetOptions } from "./open-toolset.js";
export type { DriftedTool } from "./drift-guard.js";
export type { HttpAccess, ServeOptions, ServeStdioOptions, Serving } from "./offer.js";
export { createDiscoveryHandler, type DiscoveryHandlerOptions } from "./discovery-handler.js";

export interface ServeHttpOptions extends ServeOptions, HttpAccess {
  /** 0 picks a free port. */
  readonly port: number;
  /** The address to listen on. Default: `127.0.0.1`, reachable only from this machine. */
  readonly host?: string | undefined;
  /** Without a token, any program on the machine can call the tools: use `false` only without secrets, as for a mock. */
  readonly token: string | false;
}

export interface ServingHttp extends Serving {
  readonly url: string;
}

const PATH = "/mcp";

/** Opening a toolset needs no server. */
const loadEndpoint = async () => import("./mcp-endpoint.js");
const loadNodeHandler = async () => import("@modelcontextprotocol/node");

/**
 * Serves a toolset or the tools of a registry over streamable HTTP, at the path `/mcp`.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a short token, an address that it cannot listen at, or a prefix that
 * providers reject
 */
export async function serveHttp(source: Servable, options: ServeHttpOptions): Promise<ServingHttp> {
  const rules = { ...SERVE_OPTIONS, port: NUMBER, host: TEXT, hosts: TEXTS, token: [false, TEXT] as const };
  checkOptions("serveHttp", options, rules, ["token", "port"]);
  const { token, port, host = "127.0.0.1", hosts = [] } = options;
  assertToken(token);
  const [{ toNodeHandler }, { createMcpEndpoint, findRefusal, LOOPBACK, MOST_BYTES }] = await Promise.all([
    loadNodeHandler(),
    loadEndpoint(),
  ]);
  const endpoint = createMcpEndpoint(source, options);
  const report = reporterOf(options);
  const answer = toNodeHandler(endpoint, { maxRequestBodySize: MOST_BYTES, onerror: report });
  const access: HttpAccess = { token, hosts: [...LOOPBACK, nameOf(host), ...hosts] };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const header = (name: string): string | undefined => {
      const value = request.headers[name];
      return typeof value === "string" ? value : undefined;
    };
    const refusal = await findRefusal(header, access);
    if (refusal !== undefined) {
      response.writeHead(refusal.status, { ...refusal.headers, connection: "close" }).end(refusal.body);
      return;
    }
    const path = (request.url ?? "/").split("?", 1)[0];
    if (path !== PATH) {
      response.writeHead(404, { connection: "close" }).end();
      return;
    }
    const { method = "GET", url = "/" } = request;
    await answer(Object.assign(request, { method, url }), response);
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.destroy();
      report(error instanceof Error ? error : new Error(String(error)));
    });
  });
  const closed = new Promise<void>((resolve) => server.once("close", resolve));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      reject(cannotListen(host, port, error));
    });
    server.listen(port, host, resolve);
  });
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    url: `http://${nameOf(host)}:${boundPort}${PATH}`,
    closed,
    close: async () => {
      server.close();
      await endpoint.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function nameOf(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

function cannotListen(host: string, port: number, cause: Error): McpCodegenError {
  const message = `Cannot listen at ${JSON.stringify(host)}, port ${port}: ${cause.message}`;
  return new McpCodegenError("CONFIG_INVALID", message, {
    cause,
    hint: "Take another port; 0 takes one that is free.",
  });
}

/** A function from `Request` to `Response`, for a route of any framework. */
export interface ServeHandler {
  (request: Request): Promise<Response>;
  /** Ends all sessions. */
  close(): Promise<void>;
}

const REQUEST = withMethods(
  "a Request. For node:http, write createServer(nodeListener(handler)), or use serveHttp",
  "arrayBuffer",
);

/**
 * Serves a toolset or the tools of a registry over streamable HTTP in a program with an HTTP server.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a short token
 */
export async function createServeHandler(
  source: Servable,
  options: ServeOptions & HttpAccess,
): Promise<ServeHandler> {
  const rules = { ...SERVE_OPTIONS, hosts: TEXTS, token: [false, TEXT] as const };
  checkOptions("createServeHandler", options, rules, ["token"]);
  assertToken(options.token);
  const { createMcpEndpoint, findRefusal } = await loadEndpoint();
  const endpoint = createMcpEndpoint(source, options);
  const handle = async (request: Request): Promise<Response> => {
    checkArgument("createServeHandler", "request", request, REQUEST);
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

/** Converts a handler of this entry to a listener for `createServer` of `node:http`, and to a handler of Express. */
export function nodeListener(
  handler: (request: Request) => Promise<Response>,
): (request: IncomingMessage, response: ServerResponse) => void {
  checkArgument("nodeListener", "handler", handler, FUNCTION);
  const opened = loadNodeHandler().then(({ toNodeHandler }) => toNodeHandler({ fetch: handler }));
  return (request, response) => {
    const { method = "GET", url = "/" } = request;
    // The forms that a proxy sends, such as "*", name no route.
    if (!url.startsWith("/")) {
      response.writeHead(400, { connection: "close" }).end();
      return;
    }
    opened
      .then((answer) => answer(Object.assign(request, { method, url }), response))
      .catch(() => {
        response.destroy();
      });
  };
}

/**
 * Serves a toolset or the tools of a registry to one client over two streams, until the client disconnects.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a prefix that providers reject
 */
export async function serveStdio(source: Servable, options: ServeStdioOptions): Promise<Serving> {
  checkOptions("serveStdio", options, { ...SERVE_OPTIONS, stdin: OBJECT, stdout: OBJECT });
  const { openStdio } = await import("./open-stdio.js");
  return openStdio(source, options);
}

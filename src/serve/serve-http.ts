import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { checkOptions, NUMBER, TEXT, TEXTS } from "../contract/check-options.js";
import { McpCodegenError } from "../contract/errors.js";
import type { HttpAccessOptions } from "./http-access.js";
import { SERVE_OPTIONS, type Servable, type ServeOptions, type Serving } from "./offer.js";

export interface ServeHttpOptions extends ServeOptions, Omit<HttpAccessOptions, "token"> {
  /** 0 picks a free port. */
  readonly port: number;
  /** The address to listen on. Default: `127.0.0.1`, reachable only from this machine. */
  readonly host?: string;
  /** `false` only for what has no secrets, such as a mock: any program on the machine can call the tools then. */
  readonly token: string | false;
}

export interface ServingHttp extends Serving {
  readonly url: string;
}

/** The minimum number of characters: a shorter token could be guessed. */
const SHORTEST_TOKEN = 16;
const PATH = "/mcp";

/**
 * Serves a toolset or the tools of a registry over streamable HTTP, at the path `/mcp`.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a token that is too short, an address that cannot be listened on, or a prefix
 * that providers would not take.
 */
export async function serveHttp(source: Servable, options: ServeHttpOptions): Promise<ServingHttp> {
  const rules = { ...SERVE_OPTIONS, port: NUMBER, host: TEXT, hosts: TEXTS, token: [false, TEXT] as const };
  checkOptions("serveHttp", options, rules, ["token", "port"]);
  const { token, port, host = "127.0.0.1", hosts = [], onError } = options;
  if (token !== false && token.length < SHORTEST_TOKEN) {
    throw new McpCodegenError("CONFIG_INVALID", "The bearer token is too short to be safe.", {
      hint: `Take at least ${SHORTEST_TOKEN} random characters, such as those of "openssl rand -hex 32".`,
    });
  }
  const [{ createServer }, { toNodeHandler }, { createMcpEndpoint, MOST_BYTES }, { findRefusal, LOOPBACK }] =
    await Promise.all([
      import("node:http"),
      import("@modelcontextprotocol/node"),
      import("./mcp-endpoint.js"),
      import("./http-access.js"),
    ]);
  const endpoint = createMcpEndpoint(source, options);
  const answer = toNodeHandler(endpoint, {
    maxRequestBodySize: MOST_BYTES,
    ...(onError !== undefined && { onerror: onError }),
  });
  const access: HttpAccessOptions = { token, hosts: [...LOOPBACK, nameOf(host), ...hosts] };
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
      onError?.(error instanceof Error ? error : new Error(String(error)));
      response.destroy();
    });
  });
  const closed = new Promise<void>((resolve) => server.once("close", resolve));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      reject(cannotListen(host, port, error));
    });
    server.listen(port, host, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${nameOf(host)}:${taken}${PATH}`,
    closed,
    close: async () => {
      server.close();
      await endpoint.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** An address in the form of URLs. */
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

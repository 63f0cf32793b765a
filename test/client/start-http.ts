import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A request or notification of a client. */
export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** What a server of the legacy era answers to `initialize`. */
export const INITIALIZED = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "old" },
};

/** Starts an HTTP server on loopback until the test ends. Returns its URL. */
export async function startHttp(
  respond: (message: Message, request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<string> {
  const server = createServer((request, response) => {
    void text(request).then((body) =>
      respond((body === "" ? {} : JSON.parse(body)) as Message, request, response),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** Answers a message with JSON-RPC. */
export function respondRpc(response: ServerResponse, id: unknown, body: object, headers: object = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
}

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export type Members = Readonly<Record<string, unknown>>;
export type Send = (status: number, value?: Members | string, headers?: Record<string, string>) => void;

/** Answers requests on loopback until the test ends. Returns the origin;  */
export async function listenInTest(
  respond: (request: IncomingMessage, response: ServerResponse, send: Send) => Promise<void>,
): Promise<string> {
  const server = createServer((request, response) => {
    const send: Send = (status, value, headers = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(typeof value === "string" ? value : JSON.stringify(value));
    };
    void respond(request, response, send).catch((error: unknown) =>
      response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export interface Message {
  readonly id?: unknown;
  readonly method?: string;
}

/** Reads a message of the client; a request without a body has none. */
export async function readMessage(request: IncomingMessage): Promise<Message> {
  const body = await text(request);
  return body === "" ? {} : (JSON.parse(body) as Message);
}

/** Answers a message as an MCP server with one tool. */
export function answerMcp(
  { id, method = "" }: Message,
  {
    send,
    name,
    tool,
    isPost,
    error,
  }: { send: Send; name: string; tool: Members; isPost: boolean; error?: string | undefined },
): void {
  const results: Readonly<Record<string, Members>> = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name, version: "1.0.0" },
    },
    "tools/list": { tools: [tool] },
    "tools/call": { content: [{ type: "text", text: "No orders." }] },
  };
  if (id === undefined) send(isPost ? 202 : 405);
  else if (error !== undefined && method.startsWith("tools/"))
    send(200, { jsonrpc: "2.0", id, error: { code: -32000, message: error } });
  else if (results[method] !== undefined) send(200, { jsonrpc: "2.0", id, result: results[method] });
  else send(200, { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
}

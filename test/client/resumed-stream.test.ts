/** A server that ends the stream of a call before its answer, which then arrives on another stream. */
import { type ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { open as openSession } from "./session.js";
import { INITIALIZED, respondRpc, startHttp } from "./start-http.js";

/**
 * Starts a server that answers a call on one of these streams; `open` holds the streams it has not ended and whose client has
 * not left.
 */
async function startServer(answersOn: "resumed" | "listening" | "listening, late") {
  const open = new Set<string>();
  let listening: ServerResponse | undefined;
  let id: unknown;
  const answer = (response: ServerResponse | undefined): void => {
    const message = { jsonrpc: "2.0", id, result: { content: [] } };
    response?.write(`id: 2\ndata: ${JSON.stringify(message)}\n\n`);
  };
  const url = await startHttp(async (message, request, response) => {
    const startStream = (name: string): void => {
      open.add(name);
      response.once("close", () => open.delete(name));
      response.writeHead(200, { "content-type": "text/event-stream" });
    };
    if (request.method === "GET") {
      const isResumed = request.headers["last-event-id"] !== undefined;
      startStream(isResumed ? "resumed" : "listening");
      response.write(": open\n\n");
      if (!isResumed) listening = response;
      else if (answersOn === "resumed") answer(response);
      else if (answersOn === "listening, late") answer(listening);
    } else if (request.method === "DELETE") response.writeHead(405).end();
    else if (message.method === "initialize")
      respondRpc(response, message.id, { result: INITIALIZED }, { "mcp-session-id": "1" });
    else if (message.id === undefined) response.writeHead(202).end();
    else if (message.method !== "tools/call")
      respondRpc(response, message.id, { error: { code: -32_601, message: "Method not found" } });
    else {
      ({ id } = message);
      startStream("call");
      response.write("id: 1\nretry: 20\ndata: \n\n");
      await vi.waitFor(() => {
        expect(listening).toBeDefined();
      });
      if (answersOn === "listening") answer(listening);
      response.end();
    }
  });
  return { url, open };
}

test.each(["resumed", "listening", "listening, late"] as const)(
  "no stream of a call stays open after its answer (%s)",
  async (answersOn) => {
    const { url, open } = await startServer(answersOn);
    const session = await openSession({ url });
    session.receiveRequests();
    // Without it, the stream of notifications would end with the call.
    onTestFinished(session.hold());
    expect(await session.request("tools/call", { name: "x" })).toEqual({ content: [] });
    // Longer than a resumption takes.
    await setTimeout(200);
    await vi.waitFor(() => {
      expect([...open]).toEqual(["listening"]);
    });
  },
);

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";

/** The fault of one request. Faults named `…-after` occur when the server has handled the request. */
export const FAULTS = [
  "none", "reset", "reset-after", "reset-mid-answer", "cut", "hang", "hang-after", "error-500", "php-notice", "error-500-after",
  "unauthorized", "garbage", "drip", "session-loss",
] as const; // prettier-ignore

export type Fault = (typeof FAULTS)[number];

export interface ProxiedRequest {
  /** The JSON-RPC method, or the HTTP method without one. */
  readonly method: string;
  readonly tool: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface FaultProxy {
  readonly url: string;
  readonly requests: readonly ProxiedRequest[];
  /** Refuses connections until `rise` is called. */
  fall(): Promise<void>;
  rise(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a proxy on loopback in front of a Streamable HTTP server. It applies the fault that `choose` returns to each request. */
export async function startFaultProxy(
  target: string,
  choose: (request: ProxiedRequest) => Fault,
): Promise<FaultProxy> {
  const requests: ProxiedRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => request.socket.destroy());
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const proxied = describe(request, await text(request));
    requests.push(proxied);
    const { method = "GET", url = "/" } = request;
    const forward: Forward = (changed = { method, body: proxied.body }) =>
      forwardTo(new URL(url, target).href, proxied.headers, changed);
    await answer(choose(proxied), proxied.headers, response, forward);
  };
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => {
      server.listen(port, "127.0.0.1", resolve);
    });
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${new URL(target).pathname}`,
    requests,
    fall: async () => {
      await stop();
      // Wait until clients in this process notice that their idle connections are closed.
      await setTimeout(20);
    },
    rise: () => listen(port),
    close: stop,
  };
}

function describe({ method = "GET", headers }: IncomingMessage, body: string): ProxiedRequest {
  const message = (body === "" ? {} : JSON.parse(body)) as { method?: string; params?: { name?: unknown } };
  const tool = message.params?.name;
  return { method: message.method ?? method, tool: typeof tool === "string" ? tool : "", headers, body };
}

interface Sent {
  readonly method: string;
  readonly body: string;
}
type Forward = (changed?: Sent) => Promise<Response>;

const NOTICE = "<br />\n<b>Warning</b>:  Undefined variable $post in /srv/plugin.php on line 3<br />\n";

async function answer(
  fault: Fault,
  received: IncomingHttpHeaders,
  response: ServerResponse,
  forward: Forward,
): Promise<void> {
  const reset = (): unknown => response.socket?.resetAndDestroy();
  if (fault === "hang") return;
  if (fault === "reset") return void reset();
  if (fault === "error-500" || fault === "unauthorized") {
    // Some servers repeat the request.
    const words = `Failed: ${JSON.stringify(received)}`;
    response.writeHead(fault === "error-500" ? 500 : 401, { "content-type": "text/plain" }).end(words);
    return;
  }
  if (fault === "session-loss") await forward({ method: "DELETE", body: "" });
  const real = await forward();
  const body = await real.text();
  const kept = [...real.headers].filter(
    ([name]) => !/^(?:connection|content-length|transfer-encoding)$/.test(name),
  );
  const headers = Object.fromEntries(kept);
  const half = body.slice(0, Math.ceil(body.length / 2));
  switch (fault) {
    case "hang-after":
      return;
    case "reset-after":
      reset();
      return;
    case "php-notice":
      response.writeHead(200, { "content-type": "text/html" }).end(NOTICE + body);
      return;
    case "error-500-after":
      response.writeHead(502, { "content-type": "text/html" }).end("<html><h1>Bad gateway</h1></html>");
      return;
    case "reset-mid-answer":
      response
        .writeHead(real.status, { ...headers, "content-length": String(body.length) })
        .write(half, reset);
      return;
    case "cut":
      response.writeHead(real.status, headers).end(half);
      return;
    case "garbage":
      response.writeHead(200, { ...headers, "content-type": "application/json" });
      response.end(`\u0000garbage ${JSON.stringify(received)}`);
      return;
    case "drip":
      response.writeHead(real.status, headers);
      for (let at = 0; at < body.length; at += 20) {
        response.write(body.slice(at, at + 20));
        await setTimeout(1);
      }
      response.end();
      return;
    case "none":
    case "session-loss":
      response.writeHead(real.status, headers).end(body);
      return;
    default:
      fault satisfies never;
  }
}

function forwardTo(target: string, headers: IncomingHttpHeaders, { method, body }: Sent): Promise<Response> {
  const passed = Object.entries(headers).filter(([name]) =>
    /^(mcp-|accept$|authorization$|content-type$|last-event-id$)/.test(name),
  );
  return fetch(target, {
    method,
    headers: passed.map(([name, value]): [string, string] => [name, String(value)]),
    ...(body !== "" && { body }),
  });
}

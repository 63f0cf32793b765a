import { createServer, type ServerResponse } from "node:http";
import { McpCodegenError } from "../../contract/errors.js";

/** A page on a loopback port. */
export interface ServedPage {
  readonly url: string;
  /** Serves another page from now on, and lets open ones reload. */
  readonly replace: (html: string) => void;
  readonly close: () => Promise<void>;
}

/**
 * Serves a page on 127.0.0.1. Browsers wait at `/events` for changes (server-sent events).
 *
 * @param port 0 picks a free one
 * @throws McpCodegenError `USAGE` if the port is taken
 */
export async function servePage(html: string, port: number): Promise<ServedPage> {
  let page = html;
  const waiting = new Set<ServerResponse>();
  let hosts: readonly string[] = [];
  const server = createServer((request, response) => {
    const [pathname] = (request.url ?? "").split("?", 1);
    // Another name leads here when a web page has its own name resolved to this machine (DNS rebinding).
    const isRefused = !hosts.includes(request.headers.host ?? "") || request.method !== "GET";
    if (isRefused) respond(response, 403, "text/plain", "Refused.\n");
    else if (pathname === "/") respond(response, 200, "text/html", page);
    else if (pathname === "/events") {
      response.writeHead(200, { ...HEADERS, "content-type": "text/event-stream" });
      response.write(": waiting\n\n");
      waiting.add(response);
      response.on("close", () => waiting.delete(response));
    } else respond(response, 404, "text/plain", "Not found.\n");
  });
  const bound = await new Promise<number>((resolve, reject) => {
    server.once("error", () => {
      reject(
        new McpCodegenError("USAGE", `Port ${port} of this machine cannot be used.`, {
          hint: "Pass another --port, or none for a free one.",
        }),
      );
    });
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
  hosts = [`127.0.0.1:${bound}`, `localhost:${bound}`];
  return {
    url: `http://127.0.0.1:${bound}/`,
    replace: (next) => {
      page = next;
      for (const response of waiting) response.write("event: change\ndata: {}\n\n");
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": "frame-ancestors 'none'",
} as const;

function respond(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { ...HEADERS, "content-type": `${type}; charset=utf-8` });
  response.end(body);
}

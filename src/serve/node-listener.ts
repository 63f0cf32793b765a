import type { IncomingMessage, ServerResponse } from "node:http";
import { checkArgument, FUNCTION } from "../core/check-options.js";

/** Converts a handler of this entry to a listener for `createServer` of `node:http`, and to a handler of Express. */
export function nodeListener(
  handler: (request: Request) => Promise<Response>,
): (request: IncomingMessage, response: ServerResponse) => void {
  checkArgument("nodeListener", "handler", handler, FUNCTION);
  const opened = import("@modelcontextprotocol/node").then(({ toNodeHandler }) =>
    toNodeHandler({ fetch: handler }),
  );
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

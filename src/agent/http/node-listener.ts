import type { RequestLike } from "./create-discovery-handler.js";

/** The parts of `node:http` that are needed. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
}

export interface NodeResponse {
  writeHead(status: number, headers: { readonly [name: string]: string }): unknown;
  end(body: string): unknown;
}

/** What the handler answers: any Web-standard `Response`. */
interface Answered {
  readonly status: number;
  readonly headers: Iterable<readonly [string, string]>;
  text(): Promise<string>;
}

/** A handler as a listener for `createServer` of `node:http`. */
export function nodeListener(
  handler: (request: RequestLike) => Promise<Answered>,
): (request: NodeRequest, response: NodeResponse) => void {
  return ({ method = "GET", url = "/", headers }, response) => {
    const get = (name: string): string | null => {
      const value = headers[name.toLowerCase()];
      return value === undefined ? null : typeof value === "string" ? value : value.join(", ");
    };
    handler({ method, url, headers: { get } })
      .then(async (answer) => {
        const body = await answer.text();
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        response.end(body);
      })
      .catch(() => {
        response.writeHead(500, { "content-type": "application/json" });
        response.end('{"success":false,"error":"The handler failed."}');
      });
  };
}

import { createServer, type Server } from "node:http";
import { McpCodegenError } from "../../contract/errors.js";
import { count } from "../../report/layout.js";

/** A loopback port that waits for the redirect of a login page. */
export interface AnswerListener {
  /** The redirect address, such as `http://127.0.0.1:49152/callback`. */
  readonly url: string;
  /**
   * Returns the query of the redirect with the state of the login. Any program of the machine can send others.
   *
   * @throws McpCodegenError `LOGIN_FAILED` after `timeout` milliseconds; the signal's reason when it aborts
   */
  wait(timeout: number, signal: AbortSignal | undefined): Promise<URLSearchParams>;
  close(): void;
}

const PATH = "/callback";
const page = (text: string): string =>
  `<!doctype html><meta charset="utf-8"><title>mcp-codegen</title><p>${text}`;
const RECEIVED = page("mcp-codegen received the answer. You can close this page and return to the terminal.");
const OTHER_LOGIN = page(
  "This answer belongs to another login. Log in at the page that mcp-codegen opened last.",
);

/**
 * @param state the random text that the redirect must repeat
 * @throws McpCodegenError `LOGIN_FAILED` if the port is taken
 */
export async function listenForAnswer(state: string, port = 0): Promise<AnswerListener> {
  let receive: (answer: URLSearchParams) => void = () => undefined;
  const received = new Promise<URLSearchParams>((resolve) => {
    receive = resolve;
  });
  const server = createServer((request, response) => {
    const [path, query = ""] = (request.url ?? "").split(/\?(.*)/s);
    const answer = new URLSearchParams(query);
    const isAnswer = request.method === "GET" && path === PATH && answer.has("state");
    const isOurs = isAnswer && answer.get("state") === state;
    response.writeHead(isOurs ? 200 : isAnswer ? 400 : 404, {
      "content-type": "text/html; charset=utf-8",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      connection: "close",
    });
    response.end(isOurs ? RECEIVED : isAnswer ? OTHER_LOGIN : "");
    if (isOurs) receive(answer);
  });
  const bound = await listen(server, port);
  return {
    url: `http://127.0.0.1:${bound}${PATH}`,
    wait: (timeout, signal) => waitFor(received, timeout, signal),
    close: () => {
      server.close();
      // The answer of the page is written; a browser may keep its connection.
      server.closeIdleConnections();
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", () => {
      reject(
        new McpCodegenError("LOGIN_FAILED", `Port ${port} of this machine is taken.`, {
          hint: "End the program that uses it, or set another auth.redirectPort that is registered for the client.",
        }),
      );
    });
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

async function waitFor<T>(work: Promise<T>, timeout: number, signal: AbortSignal | undefined): Promise<T> {
  const limit = AbortSignal.timeout(timeout);
  const ended = AbortSignal.any(signal === undefined ? [limit] : [limit, signal]);
  let stop: () => void = () => undefined;
  const over = new Promise<never>((_resolve, reject) => {
    stop = () => {
      reject(
        new McpCodegenError(
          "LOGIN_FAILED",
          `The login did not end within ${count(timeout / 1000, "second")}.`,
          {
            hint: "Log in again, or raise the limit with --wait.",
          },
        ),
      );
    };
    if (ended.aborted) stop();
    else ended.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    ended.removeEventListener("abort", stop);
  }
}

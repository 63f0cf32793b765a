import { createServer, type Server } from "node:http";
import { McpCodegenError } from "../../contract/errors.js";
import { count } from "../../report/layout.js";

/** A loopback port that waits for the redirect of a login page. */
export interface AnswerListener {
  /** The redirect address, such as `http://127.0.0.1:49152/callback`. */
  readonly url: string;
  /**
   * Returns the query of the first redirect.
   *
   * @throws McpCodegenError `LOGIN_FAILED` after `timeout` milliseconds; the signal's reason when it aborts
   */
  wait(timeout: number, signal: AbortSignal | undefined): Promise<URLSearchParams>;
  close(): void;
}

const PATH = "/callback";
const PAGE =
  '<!doctype html><meta charset="utf-8"><title>mcp-codegen</title><p>mcp-codegen received the answer. You can close this page and return to the terminal.';

/** @throws McpCodegenError `LOGIN_FAILED` if the port is taken */
export async function listenForAnswer(port = 0): Promise<AnswerListener> {
  let receive: (answer: URLSearchParams) => void = () => undefined;
  const received = new Promise<URLSearchParams>((resolve) => {
    receive = resolve;
  });
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const isAnswer = request.method === "GET" && url.pathname === PATH && url.searchParams.has("state");
    response.writeHead(isAnswer ? 200 : 404, {
      "content-type": "text/html; charset=utf-8",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      connection: "close",
    });
    response.end(isAnswer ? PAGE : "");
    if (isAnswer) receive(url.searchParams);
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

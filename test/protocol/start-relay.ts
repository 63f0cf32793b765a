import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What the suite asks of a client. */
export interface ClientTask {
  /** The address of the suite's server. */
  readonly url: string;
  readonly scenario: string;
  readonly version?: string;
  readonly context: {
    readonly client_id?: string;
    readonly client_secret?: string;
    readonly issuer?: string;
    readonly toolCalls?: readonly { readonly name: string; readonly arguments: unknown }[];
  };
}

/** Runs a client, and returns its log. */
export type TestedClient = (task: ClientTask) => Promise<string>;

/** Runs the client for each request of `conformance-relay.js`; a failure gives status 500. */
export async function startRelay(
  client: TestedClient,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void text(request)
      .then((body) => client(JSON.parse(body) as ClientTask))
      .then(
        (log) => response.end(log),
        (error: unknown) => {
          response.writeHead(500);
          response.end(error instanceof Error ? error.stack : String(error));
        },
      );
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import type { Readable, Writable } from "node:stream";
import { checkOptions, OBJECT } from "../contract/check-options.js";
import { SERVE_OPTIONS, type Servable, type ServeOptions, type Serving } from "./offer.js";

export interface ServeStdioOptions extends ServeOptions {
  readonly stdin: Readable;
  /** Receives only the protocol. */
  readonly stdout: Writable;
}

/**
 * Serves a toolset or the tools of a registry to one client over two streams, until the client disconnects.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a prefix that providers would not take
 */
export async function serveStdio(source: Servable, options: ServeStdioOptions): Promise<Serving> {
  checkOptions("serveStdio", options, { ...SERVE_OPTIONS, stdin: OBJECT, stdout: OBJECT });
  const [{ serveStdio: serve, StdioServerTransport }, { offerServers }] = await Promise.all([
    import("@modelcontextprotocol/server/stdio"),
    import("./offer-servers.js"),
  ]);
  const { stdin, stdout, onError } = options;
  const closing: { end: () => void } = { end: () => undefined };
  const closed = new Promise<void>((resolve) => {
    closing.end = resolve;
  });
  const transport = new (class extends StdioServerTransport {
    override async close(): Promise<void> {
      await super.close();
      closing.end();
    }
  })(stdin, stdout);
  const servers = offerServers(source, options);
  const stopListening = servers.listen(() => undefined);
  void closed.then(stopListening);
  const handle = serve(servers.createConnected, {
    transport,
    ...(onError !== undefined && { onerror: onError }),
  });
  return { closed, close: () => handle.close() };
}

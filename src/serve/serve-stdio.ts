import type { Readable, Writable } from "node:stream";
import type { Toolset } from "../runtime/toolset/toolset.js";
import type { ServeOptions, Serving } from "./serving.js";

export interface ServeStdioOptions extends ServeOptions {
  readonly stdin: Readable;
  /** Gets nothing but the protocol. */
  readonly stdout: Writable;
}

/** Serves a toolset to one client over two streams, until that closes its end. */
export async function serveStdio(toolset: Toolset, options: ServeStdioOptions): Promise<Serving> {
  const [{ serveStdio: serve, StdioServerTransport }, { metaServers }] = await Promise.all([
    import("@modelcontextprotocol/server/stdio"),
    import("./meta-server.js"),
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
  const handle = serve(metaServers(toolset, options), {
    transport,
    ...(onError !== undefined && { onerror: onError }),
  });
  return { closed, close: () => handle.close() };
}

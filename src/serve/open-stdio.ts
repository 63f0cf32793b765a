import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { reporterOf, type Servable, type ServeStdioOptions, type Serving } from "./offer.js";
import { offerServers } from "./offer-servers.js";

/** Does the work of `serveStdio`: loads the server of the SDK. */
export function openStdio(source: Servable, options: ServeStdioOptions): Serving {
  const { stdin, stdout } = options;
  const report = reporterOf(options);
  let end = (): void => undefined;
  const closed = new Promise<void>((resolve) => {
    end = resolve;
  });
  const transport = new (class extends StdioServerTransport {
    override async close(): Promise<void> {
      await super.close();
      end();
    }
  })(stdin, stdout);
  const reported = new WeakSet<Error>();
  // The SDK reports an error of the stream for the stream, and again for the connection.
  const onerror = (error: Error): void => {
    if (reported.has(error)) return;
    reported.add(error);
    report(error);
  };
  const servers = offerServers(source, { ...options, onError: onerror });
  const stopListening = servers.listen(() => undefined);
  void closed.then(stopListening);
  const handle = serveStdio(servers.createConnected, { transport, onerror });
  return { closed, close: () => handle.close() };
}

import type { Readable, Writable } from "node:stream";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createCalendar, createPosts, createShop } from "./stores.js";
import { postTools } from "./post-tools.js";
import { shopTools } from "./shop-tools.js";

const INSTRUCTIONS =
  "The site of a small bakery: its posts and its shop. Nothing here is real and nothing is kept: each start begins anew.";

export interface ExampleServerOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Whether to serve the next version, with breaking changes in two tools, see {@link postTools}. */
  readonly isNext?: boolean;
}

/** Serves posts and a shop, in memory and equal at every start. Resolves when the client disconnects. */
export async function startExampleServer({
  isNext = false,
  ...streams
}: ExampleServerOptions): Promise<void> {
  const server = new McpServer(
    { name: "mcp-codegen-example", title: "The bakery", version: isNext ? "2.0.0" : "1.0.0" },
    { instructions: INSTRUCTIONS },
  );
  const now = createCalendar();
  const tools = [...postTools(createPosts(now), { isNext }), ...shopTools(createShop(now))];
  for (const register of tools) register(server);
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
  });
  await server.connect(new StdioServerTransport(streams.stdin, streams.stdout));
  await closed;
}

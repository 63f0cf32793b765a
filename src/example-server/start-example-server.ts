import type { Readable, Writable } from "node:stream";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createCalendar } from "./calendar.js";
import { postTools } from "./post-tools.js";
import { createPosts } from "./posts.js";
import { shopTools } from "./shop-tools.js";
import { createShop } from "./shop.js";

const INSTRUCTIONS =
  "The site of a small bakery: its posts and its shop. Nothing here is real and nothing is kept: each start begins anew.";

/**
 * Serves the example (posts and a shop, all in memory and the same at every start) over the given streams. Resolves
 * when the client has gone.
 */
export async function startExampleServer(streams: {
  readonly stdin: Readable;
  readonly stdout: Writable;
}): Promise<void> {
  const server = new McpServer(
    { name: "mcp-codegen-example", title: "The bakery", version: "1.0.0" },
    { instructions: INSTRUCTIONS },
  );
  const now = createCalendar();
  for (const register of [...postTools(createPosts(now)), ...shopTools(createShop(now))]) register(server);
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
  });
  await server.connect(new StdioServerTransport(streams.stdin, streams.stdout));
  await closed;
}

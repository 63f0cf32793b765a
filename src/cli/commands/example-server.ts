import { defineCommand } from "../command-spec.js";

export const exampleServerCommand = defineCommand({
  summary: "run the example MCP server on stdin and stdout",
  description: [
    "Serves posts and a small shop, in memory, over stdio until stdin ends; --json has no effect. --next serves the",
    "next version, which breaks callers: list-posts no longer returns pages, and create-post requires a slug. In a",
    "configuration written by init --example, that version is the environment next.",
  ],
  options: {
    next: { help: "serve the next version of the example, in which two tools changed" },
  },
  examples: [
    { line: "mcp-codegen example-server", does: "serve stdio, as started by an MCP client" },
    { line: 'mcp-codegen list --server "npx mcp-codegen example-server"', does: "list its tools" },
    {
      line: "mcp-codegen check --env next",
      does: "after init --example and pull: show what the next version breaks",
    },
  ],
  load: async () => {
    const { startExampleServer } = await import("../../example-server/start-example-server.js");
    return async ({ io }, _servers, { next = false }) => {
      const interrupted = new Promise<void>((resolve) => {
        io.signal?.addEventListener("abort", () => {
          // Reading on would keep the process alive.
          io.stdin.destroy();
          resolve();
        });
      });
      const { stdin, stdout } = io;
      await Promise.race([startExampleServer({ stdin, stdout, isNext: next }), interrupted]);
      return 0;
    };
  },
});

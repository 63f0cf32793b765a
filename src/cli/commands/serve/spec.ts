import { defineCommand } from "../../command-spec.js";
import { type OptionTable, SHARED } from "../../options.js";

export const SERVE_FLAGS = {
  http: SHARED.http,
  host: {
    value: "address",
    help: "with --http: the address to listen on (default: 127.0.0.1, reachable only from this machine)",
  },
  env: { ...SHARED.env, help: "use this environment of each server" },
  prefix: { value: "text", help: "prefix for the names of the served tools, as in wp_execute" },
  role: { value: "name", help: "also apply this role of the configuration's policy" },
  direct: { help: "serve the locked tools directly instead of the five meta-tools" },
  allowUnlocked: SHARED.allowUnlocked,
} as const satisfies OptionTable;

export const serveCommand = defineCommand({
  summary: "run an MCP server with five meta-tools for all locked tools",
  description: [
    "Serves the meta-tools introspect, search_tools, describe_tools, execute and context for the locked tools, or",
    "with --direct the locked tools. Uses stdio until the client disconnects, or HTTP until interrupted. Connects",
    "to a server only when one of its tools is called, and does not call a tool whose server drifted from the lock.",
    "Tools that write are called only if the configuration or MCP_CODEGEN_ENABLE_WRITES allows it. Over HTTP,",
    "clients need the token in MCP_CODEGEN_SERVE_TOKEN, from the environment or .env. stdout carries the protocol,",
    "so --json has no effect.",
  ],
  arguments: [{ name: "[server...]", help: "names of locked servers (default: all)" }],
  options: SERVE_FLAGS,
  conflicts: [{ option: "--host", requires: "--http" }],
  examples: [
    { line: "mcp-codegen serve", does: "serve stdio, as started by an MCP client" },
    { line: "mcp-codegen serve --config /path/to/mcp-codegen.config.ts", does: "the same from any folder" },
    {
      line: "mcp-codegen serve wordpress --env sandbox --role content-editor",
      does: "serve one server with the tools of one role",
    },
    { line: "mcp-codegen serve --direct", does: "serve the locked tools directly, under the same policy" },
    { line: "mcp-codegen serve --http 3333", does: "serve http://127.0.0.1:3333/mcp" },
  ],
  load: async () => (await import("./run.js")).runServe,
});

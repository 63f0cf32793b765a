import { defineCommand } from "../../command-spec.js";
import { type OptionTable, SHARED } from "../../options.js";

export const SERVE_FLAGS = {
  http: SHARED.http,
  host: {
    value: "address",
    help: "with --http: the address to listen on (default: 127.0.0.1, this machine only)",
  },
  env: SHARED.env,
  prefix: { value: "text", help: "prefix for the names of the served tools, as in wp_execute" },
  role: { value: "name", help: "also apply this role of the configuration's policy" },
  direct: { help: "serve the locked tools instead of the five meta-tools" },
  code: { help: "serve search_api and run_code, for scripts that call the tools" },
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
  arguments: { "[server...]": "names of locked servers (default: all)" },
  options: SERVE_FLAGS,
  conflicts: [
    { option: "--host", requires: "--http" },
    { option: "--code", excludes: ["--direct"] },
  ],
  examples: {
    "mcp-codegen serve --direct": "serve the locked tools directly, under the same policy",
  },
  load: async () => (await import("./serve.js")).runServe,
});

export const MOCK_FLAGS = {
  http: SHARED.http,
  seed: { value: "text", help: "another seed gives other answers (default: 1)" },
  cassette: { value: "folder", help: "answer the calls that are recorded in this folder" },
  boundary: {
    help: "answer with values at the limits of the schemas, null, and empty texts and lists",
  },
  latency: {
    value: "ms",
    range: { from: 0, to: 3_600_000, hasParts: true },
    help: "wait before each answer",
  },
  fail: {
    value: "rate",
    range: { from: 0, to: 1, hasParts: true },
    help: "let this share of the calls fail, from 0 to 1",
  },
  from: { value: "lock", help: "serve this lockfile instead of the project's" },
  changeAfter: {
    value: "calls",
    range: { from: 1, to: 999_999 },
    help: "with --from: serve the project's lock for this number of calls first",
  },
} as const satisfies OptionTable;

export const mockCommand = defineCommand({
  summary: "run mocks of locked servers",
  description: [
    "Serves the locked list of a server's tools as the server sent it, over stdio until the client disconnects, or",
    "HTTP until interrupted. Validates each call, and answers it from --cassette, or else with values that the output",
    "schema accepts: the same call has the same answer. A tool without a known output fails with the reason. With",
    "--from, serves another lock, to rehearse a change. Contacts no server. stdout carries the protocol, so --json",
    "has no effect.",
  ],
  arguments: { "[server...]": "names of locked servers (default: all); over stdio, one" },
  options: MOCK_FLAGS,
  conflicts: [{ option: "--change-after", requires: "--from" }],
  examples: {
    "mcp-codegen mock shop": "serve stdio, as started by an MCP client",
  },
  load: async () => (await import("./mock.js")).runMock,
});

export const exampleServerCommand = defineCommand({
  summary: "run the example MCP server on stdin and stdout",
  description: [
    "Serves posts and a small shop, in memory, over stdio until stdin ends; --json has no effect. --next serves the",
    "next version, which breaks callers: list-posts no longer returns pages, and create-post requires a slug. In a",
    "configuration written by init --example, that version is the environment next.",
  ],
  options: { next: { help: "serve the next version, in which two tools changed" } },
  examples: {
    "mcp-codegen example-server": "serve stdio, as started by an MCP client",
    'mcp-codegen list --server "npx mcp-codegen example-server"': "list its tools",
  },
  load: async () => {
    const { startExampleServer } = await import("../../../testing/example-server/start-example-server.js");
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

import { defineCommand } from "../../command-spec.js";
import { type OptionTable, SHARED } from "../../options.js";

export const MOCK_FLAGS = {
  http: SHARED.http,
  seed: { value: "text", help: "another seed gives other answers (default: 1)" },
  cassette: { value: "folder", help: "answer calls that were recorded in this folder from there" },
  boundary: {
    help: "answer with the least and the most that the schemas allow, null, and empty texts and lists",
  },
  latency: { value: "ms", help: "wait before each answer" },
  fail: { value: "rate", help: "let this share of the calls fail, from 0 to 1; the same calls for a seed" },
  from: { value: "lock", help: "serve the definitions of this lockfile instead of the project's" },
  changeAfter: {
    value: "calls",
    help: "with --from: serve the project's lock first, and change to the other one after this number of calls",
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
  arguments: [{ name: "[server...]", help: "names of locked servers (default: all); over stdio, one" }],
  options: MOCK_FLAGS,
  conflicts: [{ option: "--change-after", requires: "--from" }],
  examples: [
    { line: "mcp-codegen mock shop", does: "serve stdio, as started by an MCP client" },
    { line: "mcp-codegen mock shop --http 3333", does: "serve http://127.0.0.1:3333/mcp, without a token" },
    { line: "mcp-codegen mock shop stock --http 3333", does: "the same, and the second at port 3334" },
    {
      line: "mcp-codegen mock shop --latency 200 --fail 0.1",
      does: "answer slowly, and let every tenth call fail",
    },
    {
      line: "mcp-codegen mock shop --from next.lock.json --change-after 3",
      does: "change the tools after three calls, and notify the client",
    },
  ],
  load: async () => (await import("./run.js")).runMock,
});

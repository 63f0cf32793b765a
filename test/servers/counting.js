// Counts calls. "write" takes an ID, "tally" returns how often each was written, "read" has no effect, "steps" reports
// progress, and "failing" returns an error about a session.
import { setTimeout } from "node:timers/promises";
import { plainTool, readOptions, RpcError, serve, textResult } from "./raw-server.js";

/** @type {Map<string, number>} */
const written = new Map();
let failures = 0;

serve(
  {
    name: "counting",
    list: () => ({
      tools: ["write", "read", "tally", "steps", "failing", "whoami"].map((name) => plainTool(name)),
    }),
    call: async (params, connection) => {
      const { name, arguments: args, _meta } = /** @type {any} */ (params);
      switch (name) {
        case "write":
          written.set(String(args.id), (written.get(String(args.id)) ?? 0) + 1);
          return textResult(`written ${args.id}`);
        case "read":
          return textResult(`read ${args.id}`);
        case "tally":
          return textResult(JSON.stringify({ written: Object.fromEntries(written), failures }));
        case "steps":
          for (let step = 1; step <= 3; step += 1) {
            const progress = { progressToken: _meta?.progressToken, progress: step, total: 3 };
            const told = { ...progress, message: `step ${step}, as ${connection.headers["authorization"]}` };
            connection.send({ jsonrpc: "2.0", method: "notifications/progress", params: told });
            await setTimeout(Number(args.delay ?? 1));
          }
          return textResult(_meta?.progressToken === undefined ? "not watched" : "watched");
        case "failing":
          failures += 1;
          throw new RpcError(-32602, "Checkout session not found");
        case "whoami":
          return textResult(String(connection.headers["authorization"] ?? "anonymous"));
        default:
          throw new RpcError(-32602, `Unknown tool: ${String(name)}`);
      }
    },
  },
  readOptions({}),
);

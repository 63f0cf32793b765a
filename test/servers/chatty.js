// Writes a banner and log lines to stdout, and sends notifications and requests to the client before answers.
import process from "node:process";
import { plainTool, readOptions, serve, textResult } from "./raw-server.js";

const options = readOptions({ banner: "yes" });
if (options.banner === "yes" && options.http === undefined && options.sse === undefined) {
  process.stdout.write("chatty server listening on stdio\n\n");
}

/** @param {{ send: (message: Record<string, unknown>) => void }} connection */
function chat({ send }) {
  send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "thinking" } });
  send({ jsonrpc: "2.0", id: "ask-1", method: "ping" });
  send({ jsonrpc: "2.0", id: "ask-2", method: "roots/list" });
}

serve(
  {
    name: "chatty",
    capabilities: { tools: { listChanged: true }, logging: {} },
    list: (_, connection) => {
      chat(connection);
      return { tools: [plainTool("talk")] };
    },
    call: (_, connection) => {
      chat(connection);
      return textResult("done");
    },
  },
  options,
);

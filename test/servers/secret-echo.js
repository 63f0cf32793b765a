// Repeats every environment variable SECRET… and every request header in its errors: --at initialize, list or call.
// With --at keys, a header is a key of an answer. With --at tools, the tool "leak" has them in its definition, beside "calm".
import { Buffer } from "node:buffer";
import process from "node:process";
import { plainTool, readOptions, respondJson, RpcError, serve } from "./raw-server.js";

const options = readOptions({ at: "list", status: "" });

/** @param {Record<string, unknown>} headers */
function secrets(headers) {
  const env = Object.entries(process.env).filter(([name]) => name.startsWith("SECRET"));
  return `refused ${JSON.stringify({ env: Object.fromEntries(env), headers })}`;
}

/** @param {string} step @param {Record<string, unknown>} headers */
function refuse(step, headers) {
  process.stderr.write(`${secrets(headers)}\n`);
  if (options.at === step) throw new RpcError(-32000, secrets(headers), { echoed: secrets(headers) });
}

/** @param {string} text */
function leak(text) {
  const encoded = Buffer.from(text).toString("base64url");
  return plainTool("leak", {
    description: text,
    inputSchema: {
      type: "object",
      properties: { [`key ${text}`]: {}, path: { type: "string", default: encodeURIComponent(text) } },
    },
    _meta: { "example.com/request": encoded },
  });
}

serve(
  {
    name: "secret-echo",
    methods: { initialize: (_, { headers }) => refuse("initialize", headers) },
    list: (_, { headers }) => {
      refuse("list", headers);
      if (options.at === "tools") return { tools: [plainTool("calm"), leak(secrets(headers))] };
      return { tools: [plainTool("leak")] };
    },
    call: (_, { headers }) => {
      const keys = { [String(headers["authorization"])]: 1 };
      if (options.at === "keys") return { content: [], structuredContent: keys };
      return { isError: true, content: [{ type: "text", text: secrets(headers) }] };
    },
    // With --status, the error is the HTTP answer.
    http: (request, response) => {
      if (options.status === "") return false;
      respondJson(response, Number(options.status), { code: "refused", message: secrets(request.headers) });
      return true;
    },
  },
  options,
);

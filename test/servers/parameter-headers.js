// Marks parameters with "x-mcp-header", one tool correctly and one not. Over HTTP it rejects calls in revision 2026-07-28
// whose headers do not fit the arguments, as the specification requires. Answers with the headers that it received.
//   --expects <name>   the header of the parameter "region"; by default the one that it lists
import { Buffer } from "node:buffer";
import { isDeepStrictEqual } from "node:util";
import { readOptions, RpcError, serve, textResult } from "./raw-server.js";

const options = readOptions({ expects: "Region" });
const PREFIX = "mcp-param-";

/** @param {string} text */
function decode(text) {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(text)?.[1];
  return encoded === undefined ? text : Buffer.from(encoded, "base64").toString("utf8");
}

serve(
  {
    name: "parameter-headers",
    list: () => ({
      tools: [
        {
          name: "query",
          inputSchema: {
            type: "object",
            properties: {
              region: { type: "string", "x-mcp-header": "Region" },
              page: {
                type: "object",
                properties: { limit: { type: "integer", "x-mcp-header": "Limit" } },
              },
              sql: { type: "string" },
            },
          },
        },
        {
          name: "invalid",
          inputSchema: {
            type: "object",
            properties: { ids: { type: "array", "x-mcp-header": "Ids" } },
          },
        },
      ],
    }),
    call: ({ arguments: input }, { headers }) => {
      const { region, page } = /** @type {any} */ (input);
      const received = Object.fromEntries(
        Object.entries(headers).flatMap(([name, value]) =>
          name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), decode(String(value))]] : [],
        ),
      );
      const expected = Object.fromEntries(
        [
          [options.expects.toLowerCase(), region],
          ["limit", page?.limit],
        ].flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
      );
      const isModern = headers["mcp-protocol-version"] === "2026-07-28";
      if (isModern && !isDeepStrictEqual(received, expected)) throw new RpcError(-32020, "Header mismatch.");
      return textResult(JSON.stringify(received));
    },
  },
  options,
);

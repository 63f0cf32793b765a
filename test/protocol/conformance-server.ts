import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { z } from "zod";
import { defineStaticTool } from "../../src/agent/index.js";
import { createRegistry } from "../../src/agent/registry/create-registry.js";
import { createServeHandler } from "../../src/serve/index.js";

const annotations = { readOnlyHint: true };
const input = z.object({});

/** The tools that scenarios call. */
const TOOLS = [
  defineStaticTool({
    name: "test_simple_text",
    description: "Returns a text.",
    annotations,
    input,
    execute: () => "This is a simple text response for testing.",
  }),
  defineStaticTool({
    name: "test_error_handling",
    description: "Fails.",
    annotations,
    input,
    execute: () => {
      throw new Error("This tool intentionally returns an error for testing");
    },
  }),
  defineStaticTool({
    name: "json_schema_2020_12_tool",
    description: "A tool with keywords of JSON Schema 2020-12.",
    annotations,
    input: z.looseObject({}),
    inputSchema: () => ({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    }),
    execute: () => "ok",
  }),
];

/** Serves a registry of static tools on loopback, as a program does. */
export async function startConformanceServer(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const handler = await createServeHandler(createRegistry({ static: TOOLS }), { token: false });
  const answer = toNodeHandler({ fetch: handler });
  const server = createServer((request, response) => {
    const { method = "GET", url = "/" } = request;
    void answer(Object.assign(request, { method, url }), response);
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => {
      await handler.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

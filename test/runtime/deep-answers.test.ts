import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { defineTool } from "../../src/codegen.js";
import { defineServer } from "../../src/runtime/tool.js";

const SHAPES: Readonly<Record<string, (depth: number) => string>> = {
  "structured lists": (depth) =>
    `"content":[],"structuredContent":{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`,
  "structured objects": (depth) =>
    `"content":[],"structuredContent":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
  "a block": (depth) =>
    `"content":[{"type":"text","text":"x","_meta":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}]`,
  "an error": (depth) =>
    `"content":[],"isError":true,"structuredContent":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
};

const server = createServer((request, response) => {
  void text(request).then((body) => {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    const [, shape = "", depth = ""] = pathname.split("/").map(decodeURIComponent);
    const { id, method } = (body === "" ? {} : JSON.parse(body)) as { id?: number; method?: string };
    const answers: Readonly<Record<string, string>> = {
      "server/discover": '"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}',
      "tools/call": SHAPES[shape]?.(Number(depth)) ?? "",
    };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`{"jsonrpc":"2.0","id":${id ?? 0},"result":{${answers[method ?? ""] ?? ""}}}`);
  });
});
let base = "";
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const cases = Object.keys(SHAPES).flatMap((shape) =>
  [900, 1_100, 200_000].map((depth) => [shape, depth] as const),
);

test.each(cases)("an answer with %s, %i levels deep, is read or refused", async (shape, depth) => {
  const url = `${base}/${encodeURIComponent(shape)}/${depth}`;
  const tool = defineTool({
    server: defineServer({ name: "deep", contract: "1.0.0", url }),
    name: "act",
    annotations: { readOnlyHint: true },
    input: z.looseObject({}),
    inputSchema: () => ({ type: "object" }),
  });
  const result = await tool.safe({});
  // What programs do with a result.
  expect(() => JSON.stringify(result)).not.toThrow();
  if (depth < 1_000) expect(result.ok).toBe(shape !== "an error");
  else {
    const message = expect.stringContaining("nested over 1000 levels deep") as string;
    expect(result).toMatchObject({ error: { code: "TOOL_UNAVAILABLE", retryable: false, message } });
  }
});

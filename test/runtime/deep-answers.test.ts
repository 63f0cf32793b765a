import { expect, test } from "vitest";
import * as z from "zod";
import { defineTool } from "../../src/codegen.js";
import { defineServer } from "../../src/runtime/tool.js";
import { startHttp } from "../client/start-http.js";

const lists = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const SHAPES: readonly (readonly [shape: string, result: (depth: number) => string])[] = [
  ["structured lists", (depth) => `{"content":[],"structuredContent":{"a":${lists(depth)}}}`],
  ["structured objects", (depth) => `{"content":[],"structuredContent":${objects(depth)}}`],
  ["a block", (depth) => `{"content":[{"type":"text","text":"x","_meta":${objects(depth)}}]}`],
  ["an error", (depth) => `{"content":[],"isError":true,"structuredContent":${objects(depth)}}`],
];
const DISCOVERED = '{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}';
const cases = SHAPES.flatMap(([shape, resultOf]) =>
  [900, 1_100, 200_000].map((depth) => [shape, depth, resultOf] as const),
);

test.each(cases)("an answer with %s, %i levels deep, is read or refused", async (shape, depth, resultOf) => {
  const url = await startHttp(({ id = 0, method }, _request, response) => {
    const result = method === "tools/call" ? resultOf(depth) : DISCOVERED;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
  });
  const server = defineServer({ name: "deep", contract: "1.0.0", url });
  const annotations = { readOnlyHint: true };
  const act = defineTool({ server, name: "act", annotations, input: z.any(), inputSchema: () => ({}) });
  const result = await act.safe({});
  // What programs do with a result.
  expect(() => JSON.stringify(result)).not.toThrow();
  const message = expect.stringContaining("nested over 1000 levels deep") as string;
  const refused = { error: { code: "TOOL_UNAVAILABLE", retryable: false, message } };
  expect(result).toMatchObject(depth < 1_000 ? { ok: shape !== "an error" } : refused);
});

import { inspect } from "node:util";
import { expect, it } from "vitest";
import * as z from "zod";
import type { ContentBlock } from "../../src/core/call.js";
import { readToolResult } from "../../src/runtime/define-tool.js";
import { readContent } from "../../src/runtime/result.js";

const server = { name: "shop", command: "shop" };
const blocks = (text: string): readonly ContentBlock[] => [
  { type: "text", text },
  { type: "image", data: "aGk=", mimeType: "image/png" },
];

// An answer with an observed type has its text nowhere else.
it.each([
  ["structured content", { content: blocks("See below."), structuredContent: { id: 1 } }, { id: 1 }, []],
  ["JSON as text", { content: blocks('{"id":1}') }, { id: 1 }, []],
  ["JSON of another type", { content: blocks('{"id":"a"}') }, { id: "a" }, ["tool.output.unobserved"]],
  ["a text", { content: blocks("No such order.") }, "No such order.", ["tool.output.unobserved"]],
] as const)("passes the blocks of %s to onContent once", async (_, raw, value, events) => {
  const seen: (readonly ContentBlock[])[] = [];
  const reported: string[] = [];
  const definition = {
    ...{ server, name: "get-order", observed: 3, input: z.any(), inputSchema: () => ({}) },
    output: z.object({ id: z.number() }),
  };
  const result = await readToolResult<unknown>(
    definition,
    raw,
    { onContent: (content) => void seen.push(content) },
    (event) => void reported.push(event),
  );
  expect(result).toEqual({ ok: true, value });
  expect(seen).toEqual([raw.content]);
  expect(reported).toEqual(events);
});

it("prints content as its text, or as its blocks without a text", () => {
  expect(inspect(readContent({ content: [{ type: "text", text: "See below." }] }))).toBe("See below.");
  expect(inspect(readContent({ content: [] }))).toBe("{ content: [] }");
});

import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Caller } from "../../src/runtime/client/caller.js";
import { bindTool } from "../../src/runtime/define-tool.js";
import { dropUndefined } from "../../src/runtime/validate-call.js";
import type { AnyTool } from "../../src/core/tool.js";
import { defineServer } from "../../src/runtime/tool.js";

describe("dropUndefined", () => {
  test("drops properties at every depth and copies nothing else", () => {
    const kept = { c: [1, { d: null }] };
    const dropped = dropUndefined({ a: undefined, kept, list: [{ x: 1, y: undefined }] });
    expect(dropped).toStrictEqual({ kept, list: [{ x: 1 }] });
    expect((dropped as { kept: unknown }).kept).toBe(kept);
    expect(dropUndefined(kept)).toBe(kept);
  });

  test("keeps a key named __proto__", () => {
    const value: unknown = JSON.parse('{"__proto__":{"a":1},"b":{}}');
    const dropped = dropUndefined({ value, gone: undefined });
    expect(JSON.stringify(dropped)).toBe('{"value":{"__proto__":{"a":1},"b":{}}}');
    const own: unknown = Object.fromEntries([["__proto__", { a: 1 }] as const, ["gone", undefined] as const]);
    expect(JSON.stringify(dropUndefined(own))).toBe('{"__proto__":{"a":1}}');
  });

  test.each([
    ["a bigint", { a: { b: 1n } }],
    ["a function", { a: { b: () => 1 } }],
  ])("refuses %s and says where", (_what, value) => {
    expect(() => dropUndefined(value)).toThrow(expect.objectContaining({ path: ["a", "b"] }));
  });

  test("refuses a value that contains itself", () => {
    const ring: { self?: unknown } = {};
    ring.self = ring;
    expect(() => dropUndefined(ring)).toThrow("contains itself");
  });
});

test.each([
  ["sends the input as it was parsed with the setting", "parse", { n: 20, m: 1 }],
  ["sends the input as it was given without it", undefined, { m: 1 }],
] as const)("a call %s", async (_title, defaults, sent) => {
  const calls: unknown[] = [];
  const caller: Caller = {
    send: ({ params }) => {
      calls.push(params["arguments"]);
      return Promise.resolve({ content: [] });
    },
    use: () => Promise.reject(new Error("not asked for")),
    scrub: (text) => text,
  };
  const server = defineServer({ name: "s", contract: "1.0.0", url: "http://127.0.0.1:9" });
  const input = z.looseObject({ n: z.number().default(20) });
  const definition = { server, name: "t", input, inputSchema: () => ({}), ...(defaults && { defaults }) };
  const tool: AnyTool = bindTool(definition, {}, () => caller);
  await tool.safe({ m: 1 });
  expect(calls).toEqual([sent]);
  expect(await tool.safe({ n: "" })).toMatchObject({ error: { code: "TOOL_INVALID_INPUT" } });
});

import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Caller } from "../../src/runtime/client/caller.js";
import { bindTool } from "../../src/runtime/define-tool.js";
import { dropUndefined } from "../../src/runtime/validate-call.js";
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

describe("defaults that are sent", () => {
  const inputSchema = (): object => ({ properties: { n: { default: 20 }, m: { default: 1 } } });
  const sent = async (input: z.ZodType, value: object): Promise<unknown> => {
    const calls: unknown[] = [];
    const server = defineServer({ name: "s", contract: "1.0.0", url: "http://127.0.0.1:9" });
    const caller: Caller = {
      send: ({ params }) => {
        calls.push(params["arguments"]);
        return Promise.resolve({ content: [] });
      },
      use: () => Promise.reject(new Error("not asked for")),
      scrub: (text) => text,
    };
    const definition = { server, name: "t", defaults: "send", input, inputSchema } as const;
    const result = await bindTool(definition, {}, () => caller).safe(value);
    return calls[0] ?? (result.ok ? undefined : result.error.message);
  };

  test("are judged with the rest", async () => {
    expect(await sent(z.looseObject({ n: z.number(), m: z.number() }), { n: 5 })).toEqual({ n: 5, m: 1 });
    expect(await sent(z.looseObject({ n: z.number() }), { n: "" })).toContain("n: Invalid input");
  });

  test("are left out where the schema refuses them itself", async () => {
    expect(await sent(z.looseObject({ n: z.number().max(10).optional() }), { x: 1 })).toEqual({ x: 1 });
  });
});

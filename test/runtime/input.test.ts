import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Caller } from "../../src/runtime/client/caller.js";
import { bindTool } from "../../src/runtime/define-tool.js";
import { dropUndefined, findUnsendable } from "../../src/runtime/validate-call.js";
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

  test.each<[value: unknown, message: string]>([
    [Number.NaN, "NaN cannot be sent"],
    [-Infinity, "-Infinity cannot be sent"],
    [1n, "a bigint cannot be sent"],
    [() => 1, "a function cannot be sent"],
    [Symbol("x"), "a symbol cannot be sent"],
    [Promise.resolve(1), 'a promise cannot be sent: write "await" before it'],
    [new Map(), "a value of Map cannot be sent"],
    [new Uint8Array(1), "a value of Uint8Array cannot be sent"],
    [new Error("x"), "a value of Error cannot be sent"],
  ])("refuses %s and says where", (value, message) => {
    expect(() => dropUndefined({ a: [0, value] })).toThrow(
      expect.objectContaining({ message, path: ["a", 1] }),
    );
  });

  test("leaves values that write themselves", () => {
    const values = [new Date(0), Object.assign(new Map(), { toJSON: () => "map" }), { toJSON: () => 1 }];
    expect(values.map((value) => dropUndefined(value) === value)).toEqual([true, true, true]);
  });

  test("refuses a value that contains itself", () => {
    const ring: { self?: unknown } = {};
    ring.self = ring;
    expect(() => dropUndefined(ring)).toThrow("contains itself");
  });
});

test.each<[value: unknown, path: readonly (string | number)[] | undefined, token?: string]>([
  [{ a: Number.MAX_SAFE_INTEGER, b: 0.1, c: 1e300 }, undefined],
  [2 ** 53, [], "9007199254740992"],
  [{ a: [1, 2 ** 53] }, ["a", 1], "9007199254740992"],
])("finds in %j a number that loses precision at %j", (value, path, token) => {
  const message = `${token} cannot be sent without losing precision: pass it as a string if the tool takes one`;
  expect(findUnsendable(value)).toEqual(path === undefined ? [] : [{ path, message }]);
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
  for (const input of [{ n: "" }, { m: 2 ** 53 }, { m: Number.NaN }])
    expect(await tool.safe(input)).toMatchObject({ error: { code: "TOOL_INVALID_INPUT" } });
  expect(calls).toHaveLength(1);
});

import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Caller } from "../../src/runtime/client/caller.js";
import { bindTool } from "../../src/runtime/define-tool.js";
import type { InputMode } from "../../src/core/connection.js";
import { validate } from "../../src/schema/validation/schema.js";
import {
  callSchema,
  describeUnsendable,
  dropUndefined,
  findUnsendable,
  prepareArguments,
  quotePlaces,
} from "../../src/runtime/validate-call.js";
import { defineServer } from "../../src/runtime/tool.js";
import type { AnyTool } from "../../src/runtime/index.js";

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

const server = defineServer({ name: "s", contract: "1.0.0", url: "http://127.0.0.1:9" });
const define = <T extends object>(more: T) => ({ server, name: "t", inputSchema: () => ({}), ...more });

test.each([
  ["sends the input as it was parsed with the setting", { defaults: "parse" }, { n: 20, m: 1 }],
  ["sends the input as it was given without it", {}, { m: 1 }],
] as const)("a call %s", async (_title, setting, sent) => {
  const calls: unknown[] = [];
  const caller: Caller = {
    send: ({ params }) => {
      calls.push(params["arguments"]);
      return Promise.resolve({ content: [] });
    },
    use: () => Promise.reject(new Error("not asked for")),
    scrub: (text) => text,
  };
  const input = z.looseObject({ n: z.number().default(20) });
  const tool: AnyTool = bindTool(define({ input, ...setting }), {}, () => caller);
  await tool.safe({ m: 1 });
  expect(await tool.safe({ n: "" })).toMatchObject({ error: { code: "TOOL_INVALID_INPUT" } });
  expect(calls).toEqual([sent]);
});

const sends = { warnings: [] };
const refuses = (issue: string): object => ({ issues: [issue], warnings: [] });
const text = "Invalid input: expected number, received string";
const warns = { warnings: [`The input of tool "t" does not fit its schema, and is sent: n: ${text}`] };

test.each<[ofServer: InputMode, ofCall: InputMode | undefined, input: unknown, outcome: object]>([
  ["strict", undefined, { n: 1 }, sends],
  ["strict", undefined, { n: "x" }, refuses(text)],
  ["strict", "warn", { n: "x" }, warns],
  ["warn", "strict", { n: "x" }, refuses(text)],
  ["warn", undefined, { n: "x" }, warns],
  ["warn", undefined, [1], refuses("Invalid input: expected object, received array")],
  ["warn", undefined, { n: 2 ** 53 }, refuses(describeUnsendable("9007199254740992"))],
])("a server is %s and a call %s about %j", async (validateInput, ofCall, input, outcome) => {
  const warnings: string[] = [];
  const ofServer = { ...server, validateInput };
  const definition = define({ server: ofServer, input: z.looseObject({ n: z.number() }) });
  const onWarning = (message: string): unknown => warnings.push(message);
  const prepared = await prepareArguments(definition, input, { onWarning, validateInput: ofCall });
  const issues = "issues" in prepared ? prepared.issues.map(({ message }) => message) : undefined;
  expect({ issues, warnings }).toEqual(outcome);
  if ("arguments" in prepared) expect(prepared.arguments).toBe(input);
  const checked = await validate(callSchema(definition, ofCall), input);
  expect(checked.issues?.map(({ message }) => message)).toEqual(issues);
});

test.each([
  ["none", {}, { issues: [expect.objectContaining({ path: ["o"] })] }],
  ["wordpress", { dialect: "wordpress" }, { arguments: { o: {} } }],
] as const)("with the dialect %s, an empty list for an object ends as %j", async (_, dialect, prepared) => {
  const definition = define({ input: z.object({ o: z.object({}) }), defaults: "parse", ...dialect } as const);
  expect(await prepareArguments(definition, { o: [] })).toEqual(prepared);
});

test("names the first 40 characters of a long number that cannot be sent", () => {
  const [text, longer] = [40, 41].map((digits) => describeUnsendable("1".repeat(digits)).split(" ")[0]);
  expect([text, longer]).toEqual(["1".repeat(40), `${text}…`]);
});

test("quotes the first five places", () => {
  const places = ["/a", "/b", "/c", "/d", "/e", "/f", "/g"];
  expect([5, 6, 7].map((count) => quotePlaces(places.slice(0, count)))).toEqual([
    '"/a", "/b", "/c", "/d", "/e"',
    '"/a", "/b", "/c", "/d", "/e", 1 more',
    '"/a", "/b", "/c", "/d", "/e", 2 more',
  ]);
});

/** Answers with unknown keys in closed objects, for printed Zod schemas and for schemas of live servers. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { validateOutput } from "../../../src/runtime/validate-call.js";
import { connectTools, defineTool } from "../../../src/codegen.js";
import { defineServer } from "../../../src/runtime/tool.js";
import type { Schema } from "../../../src/core/schema.js";
import { defineStaticTool } from "../../../src/agent/index.js";
import { toAiSdkTool } from "../../../src/agent/adapters/ai-sdk-tools.js";
import { readLiveSchema } from "../../../src/schema/interpret/live-schema.js";
import { startFixture } from "../../servers/start-fixture.js";
import { toZod } from "../support/evaluate-module.js";
import { outputs, values } from "../support/closed-outputs.js";
import type { OutputMode } from "../../../src/core/connection.js";
import { runs } from "../../sample.js";

const text = { type: "string" };
const number = { type: "number" };
const closed = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...more,
});
const open = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const kind = (name: string): JsonObject => ({ const: name });

/** The tolerated unknown keys; `fails` if there is another issue, `fits` if there are no issues. */
type Verdict = readonly string[] | "fails" | "fits";

const CASES: { readonly [name: string]: readonly [JsonObject, JsonValue, Verdict] } = {
  "an answer that fits": [closed({ a: text }), { a: "" }, "fits"],
  "a key at the root": [closed({ a: text }), { a: "", b: 1 }, ["b"]],
  "a key that a branch rules out by its values, which a pattern limits too": [
    { anyOf: [open({}, { unevaluatedProperties: false, not: text }), closed({ b: { enum: ["a", 1] } }, { patternProperties: { "^[bc]": number } })] },
    { b: null },
    ["b"],
  ],
  "a key beside a branch of a union that only a check limits": [
    closed({ a: { oneOf: [number, closed({}, { patternProperties: { "^b": number } }), kind("a")] } }),
    { a: "a", c: 1 },
    ["c"],
  ],
  "a key of an object beside a branch of listed texts": [closed({ a: { oneOf: [text, { enum: ["a"] }, { oneOf: [closed({})] }] } }), { a: { b: 1 } }, ["a.b"]],
  "several keys": [closed({ a: text }), { b: 1, a: "", c: 2 }, ["b", "c"]],
  "a key beside another misfit": [closed({ a: text }), { a: 1, b: 1 }, "fails"],
  "a key in place of a required one": [closed({ a: text }, { required: ["a"] }), { b: 1 }, "fails"],
  "a nested object": [closed({ a: closed({ b: text }) }), { a: { b: "", c: 1 } }, ["a.c"]],
  "a closed object in an open one": [open({ a: closed({ b: text }) }), { x: 1, a: { c: 1 } }, ["a.c"]],
  "items of an array": [
    closed({ items: { type: "array", items: closed({ a: text }) } }),
    { items: [{ a: "" }, { b: 1 }, { b: 2 }, { c: 3 }] },
    ["items.*.b", "items.*.c"],
  ],
  "a place in a tuple": [{ type: "array", prefixItems: [text, closed({ a: text })], items: number }, ["", { b: 1 }, 1], ["*.b"]],
  ...Object.fromEntries(
    [
      // Rules that accept the name of the key, and rules that refuse it.
      ...[text, {}, true, { type: ["string", "null"] }, { allOf: [text] }, { minLength: 0 }, { description: "A name." }, { maximum: 5 }],
      ...[{ pattern: "^x" }, { enum: ["a"] }, { maxLength: 1 }, { minLength: 3 }, { not: text }, { anyOf: [{ const: "a" }, number] }, number, false],
    ].map((propertyNames): [string, (typeof CASES)[string]] => [
      `a closed record with names ${JSON.stringify(propertyNames)}`,
      [{ type: "object", properties: { s: closed({}, { propertyNames }) } }, { s: { ww: 1 } }, ["s.ww"]],
    ]),
  ),
  "values of a record": [open({}, { additionalProperties: closed({ a: text }) }), { x: { a: "" }, y: { b: 1 } }, ["y.b"]],
  "a key that a schema for further keys refuses": [open({}, { additionalProperties: text }), { x: 1 }, "fails"],
  "a key that no pattern matches": [open({}, { patternProperties: { "^x-": text }, additionalProperties: false }), { "x-a": "", y: 1 }, ["y"]],
  "a key that matches a pattern, and does not fit": [
    open({ a: text }, { patternProperties: { "^x-": text }, additionalProperties: false }),
    { a: "", "x-a": 1 },
    "fails",
  ],
  "a key named like an inherited one": [closed({ constructor: text }), { constructor: "", toString: 1 }, ["toString"]],
  "`__proto__`": [closed({ a: text }), JSON.parse('{"a":"","__proto__":{"x":1}}') as JsonValue, ["__proto__"]],
  "an object that may be null": [closed({ a: { anyOf: [closed({ b: text }), { type: "null" }] } }), { a: { c: 1 } }, ["a.c"]],
  "a reference, recursively": [
    { $ref: "#/$defs/node", $defs: { node: closed({ next: { $ref: "#/$defs/node" } }) } },
    { next: { next: { x: 1 }, y: 1 } },
    ["next.next.x", "next.y"],
  ],
  "parts that are joined": [{ allOf: [open({ a: text }), open({ b: text })], type: "object", unevaluatedProperties: false }, { a: "", b: "", c: 1 }, ["c"]],
  "what a condition leaves over": [
    open({ a: text }, { if: { required: ["a"] }, then: { properties: { b: text } }, unevaluatedProperties: false }),
    { a: "", b: "", c: 1 },
    ["c"],
  ],
  "a union that a listed value decides": [
    { anyOf: [closed({ kind: kind("a"), x: text }), closed({ kind: kind("b"), y: text })] },
    { kind: "a", x: "", z: 1 },
    ["z"],
  ],
  "a key of the branch that a listed value rules out": [
    { anyOf: [closed({ kind: kind("a"), x: text }, { required: ["kind"] }), closed({ kind: kind("b"), y: text }, { required: ["kind"] })] },
    { kind: "a", x: "", y: 1 },
    ["y"],
  ],
  "a union without such a value": [{ anyOf: [closed({ a: text }, { required: ["a"] }), closed({ b: text })] }, { a: "", c: 1 }, ["c"]],
  "a key that another branch knows, and refuses": [{ anyOf: [closed({ a: text }), closed({ a: text, b: number })] }, { a: "", b: "" }, "fails"],
  "a key that the branch knows which fits without it": [{ anyOf: [closed({ b: number }, { required: ["b"] }), open({ a: kind("a") })] }, { a: "b" }, "fails"],
  "a key that a branch of one fitting branch knows": [
    { oneOf: [closed({}, { patternProperties: { "^c": number } }), open({ a: { enum: ["a"] } })] },
    { a: "b", c: "a" },
    "fails",
  ],
  "a key that another branch knows, beside one that none does": [
    { anyOf: [closed({ a: text }), closed({ a: text, b: number })] },
    { a: "", b: 1, c: 1 },
    ["c"],
  ],
  "keys of two branches together": [{ oneOf: [closed({ a: text }, { required: ["a"] }), closed({ b: text }, { required: ["b"] })] }, { a: "", b: "" }, "fails"],
  "a key that a branch requires and refuses": [{ anyOf: [closed({ a: text }), closed({}, { required: ["c"] })] }, { a: "", c: "" }, ["c"]],
  "the same in a branch with a check": [{ oneOf: [{ allOf: [closed({}, { required: ["a"], not: text })] }, closed({})] }, { a: "" }, ["a"]],
  "a key with another value, beside a branch that fits nothing": [
    { anyOf: [closed({ c: kind("a") }), closed({}, { required: ["a"] })] },
    { a: "", c: "b" },
    "fails",
  ],
  "a key of an item beside a branch that only checks limit": [
    { oneOf: [open({}, { if: text, then: closed({}) }), { type: "array", items: closed({}, { patternProperties: { "^b": number } }) }] },
    [{ a: "" }],
    ["*.a"],
  ],
  "a union inside a union": [closed({ a: { anyOf: [text, { oneOf: [closed({ b: text }, { required: ["b"] }), number] }] } }), { a: { b: "", c: 1 } }, ["a.c"]],
  "a key that a condition names": [closed({ a: text }, { if: { required: ["b"] }, then: false }), { a: "", b: 1 }, ["b"]],
  "a key that must not be there with another": [closed({ a: text }, { not: { required: ["b"] } }), { a: "", b: 1 }, ["b"]],
  "a key on which others depend": [closed({ a: text }, { dependentRequired: { b: ["c"] } }), { a: "", b: 1 }, ["b"]],
  "one key more than there may be": [closed({ a: text }, { maxProperties: 1 }), { a: "", b: 1 }, ["b"]],
  "a key with a name that is not allowed": [closed({ a: text }, { propertyNames: { maxLength: 1 } }), { a: "", bb: 1 }, ["bb"]],
  "the only key of an object that must not be empty": [closed({ a: text }, { minProperties: 1 }), { b: 1 }, "fails"],
}; // prettier-ignore

const READERS: { readonly [name: string]: (schema: JsonObject) => Schema<unknown> } = {
  "printed Zod": (schema) => toZod(schema),
  "a schema of a live server": (schema) => readLiveSchema(schema, undefined),
};

async function read(
  schema: Schema<unknown>,
  value: unknown,
  mode: OutputMode = "tolerant",
): Promise<Verdict> {
  const reported: unknown[] = [];
  const issues = await validateOutput(schema, value, mode, (event, fields) => reported.push([event, fields]));
  if (issues.length > 0) {
    expect(reported).toEqual([]);
    return "fails";
  }
  if (reported.length === 0) return "fits";
  const [[event, { keys, keyCount }]] = reported as [[string, { keys: string[]; keyCount: number }]];
  expect([reported.length, event, keyCount]).toEqual([1, "tool.output.unknown_keys", keys.length]);
  return keys;
}

describe.each(Object.entries(READERS))("%s", (_reader, open) => {
  test.each(Object.entries(CASES))("%s", async (_name, [raw, value, verdict]) => {
    const before = structuredClone(value);
    const schema = open(raw);
    expect(await read(schema, value)).toEqual(verdict);
    expect(await read(schema, value, "strict")).toBe(verdict === "fits" ? "fits" : "fails");
    expect(value).toEqual(before);
  });
});

test("all unknown keys are counted, and the first are named", async () => {
  const answer = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, at) => [`k${at}\n${"x".repeat(500)}`, at]),
  );
  const reported: { readonly [name: string]: unknown }[] = [];
  await validateOutput(toZod(closed({})), answer, "tolerant", (_event, fields) => reported.push(fields));
  const [{ keys, keyCount } = {}] = reported;
  expect(keyCount).toBe(1_000);
  expect(keys).toHaveLength(50);
  expect(JSON.stringify(keys).length).toBeLessThan(50 * 310);
  expect(JSON.stringify(keys)).not.toContain("\\n");
});

const UNIQUE = {
  type: "object",
  properties: {
    posts: {
      type: "array",
      uniqueItems: true,
      items: { type: "object", properties: { id: { type: "integer" } }, additionalProperties: false },
    },
  },
};

const ROWS: [string, readonly JsonObject[], boolean][] = [
  ["differ by an unknown key", [{ id: 1, rev: 1 }, { id: 1, rev: 2 }], true],
  ["are equal with an unknown key", [{ id: 1, rev: 1 }, { id: 1, rev: 1 }], false],
  ["are equal beside one with an unknown key", [{ id: 1 }, { id: 1 }, { id: 2, rev: 1 }], false],
]; // prettier-ignore

test.each(ROWS)("unique items that %s", async (_title, posts, fits) => {
  for (const schema of [toZod(UNIQUE), readLiveSchema(UNIQUE, undefined)]) {
    const issues = await validateOutput(schema, { posts }, "tolerant", () => undefined);
    expect(issues.length === 0).toBe(fits);
  }
});

test("hand-written Zod schemas are tolerant too, and schemas of other libraries are strict", async () => {
  const inner = z.strictObject({ b: z.number() });
  const schema = z.strictObject({
    a: z.intersection(z.object({ x: z.string().default("") }), z.object({ y: inner.optional() })),
    list: z.set(z.string()).optional(),
    piped: inner.pipe(z.transform((value) => value)).optional(),
  });
  const answer = { a: { y: { b: 1, c: 1 } }, piped: { b: 1, d: 2 }, e: 3 };
  expect(await read(schema, answer)).toEqual(["a.y.c", "piped.d", "e"]);
  expect(await read(schema, { a: {}, when: new Date(0) })).toEqual(["when"]);
  const validate = () => ({ issues: [{ message: "Unrecognized key" }] });
  const other: Schema<unknown> = { "~standard": { version: 1, vendor: "other", validate } };
  expect(await read(other, { a: 1 })).toBe("fails");
});

test("printed and live schemas agree", async () => {
  await fc.assert(
    fc.asyncProperty(outputs, values, async (raw, value) => {
      const zod = toZod(raw);
      const printed = await read(zod, value);
      const live = await read(readLiveSchema(raw, undefined), value);
      // A printed schema omits parts that never apply, so it may have fewer keys.
      if (live !== "fails" || typeof printed === "string") expect(printed).toEqual(live);
    }),
    { numRuns: runs(2_000, 5) },
  );
});

describe("a call", () => {
  const server = defineServer({ name: "shop", contract: "2.0.0" });
  const tool = (settings: typeof server = server) =>
    defineTool({
      server: settings,
      name: "find",
      input: z.object({}),
      output: z.strictObject({ items: z.array(z.strictObject({ id: z.number() })) }),
      inputSchema: () => ({ type: "object" }),
    });
  const answer = { items: [1, 2].map((id) => ({ id, color: "red" })), total: 2 };
  const client = { callTool: () => Promise.resolve({ content: [], structuredContent: answer }) };
  const call = async (mode?: OutputMode, settings: typeof server = server) => {
    const events: (readonly [string, object])[] = [];
    const logger = (event: string, fields: object) => events.push([event, fields]);
    const options = { client, logger, ...(mode !== undefined && { output: mode }) };
    const { find } = connectTools(settings, { find: tool(settings) }, options);
    return { result: await find.safe({}), events };
  };

  test("keeps unknown keys by default, and reports each path once in an event", async () => {
    const { result, events } = await call();
    expect(result).toEqual({ ok: true, value: answer });
    const names = ["tool.call.started", "tool.output.unknown_keys", "tool.call.succeeded"];
    expect(events.map(([event]) => event)).toEqual(names);
    const traceId: unknown = Reflect.get(events[0]?.[1] ?? {}, "traceId");
    const fields = { traceId, tool: "find", server: "shop", contract: "2.0.0" };
    expect(events[1]?.[1]).toEqual({ ...fields, keys: ["items.*.color", "total"], keyCount: 2 });
  });

  test("fails with `strict`, set for the call or for the server", async () => {
    const refused = { ok: false, error: { code: "TOOL_INVALID_OUTPUT" } };
    expect((await call("strict")).result).toMatchObject(refused);
    const strict = defineServer({ ...server, output: "strict" });
    expect((await call(undefined, strict)).result).toMatchObject(refused);
    expect((await call("tolerant", strict)).result).toMatchObject({ ok: true });
  });

  test("a static tool has the same tolerance", async () => {
    const events: string[] = [];
    const value = { a: 1, b: 2 };
    const schemas = { input: z.object({}), output: z.strictObject({ a: z.number() }) };
    const static_ = defineStaticTool({ name: "where", ...schemas, execute: () => value });
    expect(await static_.safe({}, { logger: (event) => events.push(event) })).toEqual({ ok: true, value });
    expect(events).toContain("tool.output.unknown_keys");
    expect(await static_.safe({}, { output: "strict" })).toMatchObject({ ok: false });
  });

  test("the AI SDK accepts the answer", async () => {
    type Validator = { validate(value: unknown): Promise<{ success: boolean }> };
    const open: (() => Validator) | undefined = toAiSdkTool(tool()).outputSchema;
    const schema = open?.();
    expect(await schema?.validate(answer)).toMatchObject({ success: true });
    expect(await schema?.validate({ items: [{ id: "1" }] })).toMatchObject({ success: false });
  });

  test("a secret that a server returns as a key is not in the event", async () => {
    process.env["TOLERANCE_TOKEN"] = "t0p-secret";
    const fixture = await startFixture("secret-echo", { args: ["--at", "keys"] });
    try {
      const keys: unknown[] = [];
      const url = defineServer({ name: "echo", url: fixture.url, auth: { bearer: "${TOLERANCE_TOKEN}" } });
      const schemas = {
        input: z.object({}),
        output: z.strictObject({}),
        inputSchema: () => ({ type: "object" }),
      };
      const echo = defineTool({ server: url, name: "echo", ...schemas });
      const logger = (event: string, fields: { readonly [name: string]: unknown }): void => {
        if (event === "tool.output.unknown_keys") keys.push(fields["keys"]);
      };
      await echo({}, { logger });
      expect(keys).toEqual([["Bearer ***"]]);
    } finally {
      Reflect.deleteProperty(process.env, "TOLERANCE_TOKEN");
      await fixture.close();
    }
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import { REPORT_FLAGS } from "../../src/cli/options.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { explain } from "../../src/drift/rules.js";
import { findingsOf } from "../../src/report/page/html.js";
import { showWitness } from "../../src/report/show-witness.js";
import { CASES, diffSide, makeSchema } from "../drift/grid/keyword-cases.js";
import { findings } from "./fixtures.js";
import { render } from "./render.js";
import { runs, sample } from "../sample.js";

const long = "x".repeat(60);

describe("a long counterexample", () => {
  it.each<[string, JsonValue, string, string]>([
    ["keeps the value", { a: long, b: 1, c: long }, "/b", '{…,"b":1,…}'],
    ["keeps short neighbours", { a: 1, b: 2, c: long, d: 3 }, "/d", '{"a":1,"b":2,…,"d":3}'],
    ["keeps all names on the path", { a: long, b: { c: long, d: { e: 1 } } }, "/b/d/e", '{…,"b":{…,"d":{"e":1}}}'],
    ["keeps both ends of a text", { a: `${"y".repeat(90)} ` }, "/a", '{"a":"yyyyyyyyyyyyy…yyyyy "}'],
    ["keeps the item", { a: [long, long, ""] }, "/a/2", '{"a":[…,""]}'],
    ["keeps the first item of equal ones", { a: [{ b: 0, c: long }, { b: 0, c: long }] }, "/a/0/b", '{"a":[{"b":0,…},…]}'],
    ["keeps the item of a tuple", { a: [long, 1, long] }, "/a/1", '{"a":[…,1,…]}'],
    ["keeps the undeclared property", { a: { b: long, extra: "" } }, "/a/extra", '{"a":{…,"extra":""}}'],
    ["keeps the value of a map", { a: { k: { b: 1, c: long } } }, "/a/k/b", '{"a":{"k":{"b":1,…}}}'],
    ["keeps the object that lacks a property", { z: long, a: { b: 1, c: long } }, "/a/d", '{…,"a":{"b":1,…}}'],
    ["keeps the part of an item", { a: long, b: [{ c: { unit: "m", size: 0 } }] }, "/b/0/c/size", '{…,"b":[{"c":{…,"size":0}}]}'],
    ["keeps the start of a list that is too long", { a: Array.from({ length: 40 }, () => 1) }, "/a", '{"a":[1,1,1,…,1]}'],
    ["cuts a name of any length", { [long + long]: 1, b: long }, `/${long}${long}`, `{"${"x".repeat(40)}…${"x".repeat(20)}":1,…}`],
    ["has no control characters", { a: long, b: "\u200b\u001b" }, "/b", '{…,"b":"\\u{200B}\\u001b"}'],
  ])("%s", (_what, witness, pointer, expected) => {
    expect(showWitness(witness, pointer, 32)).toBe(expected);
  }); // prettier-ignore

  it("has few of many equal items, also where there is room for all", () => {
    const repeat = (item: JsonValue, length = 101): JsonValue => ({
      names: Array.from({ length }, () => item),
    });
    const show = (value: JsonValue): string => showWitness(value, "/names", 2_000);
    expect(show(repeat(""))).toBe('{"names":["","","",…,""]}');
    expect(show(repeat({ id: 0, at: "x" }))).toContain('},{"id":0,"at":"x"},…,{"id":0,"at":"x"}]}');
    for (const value of [repeat("", 8), { names: Array.from({ length: 30 }, (_, at) => at) }])
      expect(show(value)).toBe(JSON.stringify(value));
    // Texts of any length take one pass.
    expect(show({ names: `${"1,".repeat(200_000)}${"a".repeat(200_000)}` }).length).toBeLessThan(2_001);
  });

  it("is one line of bounded length, whatever the instance is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), fc.integer({ min: 24, max: 200 }), (value, name, limit) => {
        const witness = JSON.parse(JSON.stringify({ [name]: value, b: long })) as JsonValue;
        const text = showWitness(witness, "/b", limit);
        // An escape of one character is at most nine characters long.
        expect(text.length).toBeLessThanOrEqual(3 * limit * 9);
        expect(text).not.toMatch(/\n/);
      }),
      { seed: SEED },
    );
  });
});

const SEED = Number(process.env["SEED"] ?? 20_261);

/** Steps from a schema into a schema of a part, with the text that leads to the part in an instance. */
const WRAPS: readonly ((schema: JsonObject, name: string) => JsonObject)[] = [
  (schema, name) => ({ type: "object", properties: { [name]: schema }, required: [name] }),
  (schema, name) => ({
    type: "object",
    properties: { before: filler, [name]: schema, after: filler },
    required: ["before", name, "after"],
  }),
  (schema, name) => ({
    type: "object",
    properties: { [name]: { type: "array", items: schema, minItems: 1 }, after: filler },
    required: [name, "after"],
  }),
  (schema, name) => ({
    type: "object",
    properties: { [name]: { type: "array", prefixItems: [filler, schema], minItems: 2 } },
    required: [name],
  }),
  (schema, name) => ({ type: "object", properties: { [name]: { allOf: [{ title: "A" }, schema] } }, required: [name] }), // prettier-ignore
  (schema, name) => ({
    type: "object",
    properties: { [name]: { oneOf: [{ type: "null" }, schema] } },
    required: [name],
  }),
];
const filler: JsonObject = { type: "string", minLength: 30 };

/** Edits of a leaf after which a value is rejected, so that its name must stay visible. */
const EDITS: readonly (readonly [JsonObject, JsonObject])[] = [
  [{ type: "string" }, { type: "string", maxLength: 3 }],
  [{ type: "integer" }, { type: "integer", minimum: 5 }],
  [{ enum: ["a", "b"] }, { enum: ["a"] }],
  [{ type: ["string", "null"] }, { type: "string" }],
  [{ type: "string" }, { type: "string", pattern: "^a+$" }],
  [{ type: "array" }, { type: "array", maxItems: 2 }],
];

const NAMES = ["alpha", "beta", "gamma", "delta"];

describe("the name of the value that breaks", () => {
  const cases = fc.record({
    wraps: fc.array(fc.constantFrom(...WRAPS), { minLength: 1, maxLength: 4 }),
    edit: fc.constantFrom(...EDITS),
    limit: fc.integer({ min: 40, max: 160 }),
  });

  it("stays visible, with all names that lead to it", () => {
    fc.assert(
      fc.property(cases, ({ wraps, edit, limit }) => {
        const [before, after] = edit.map((leaf) =>
          wraps.reduceRight<JsonObject>((schema, wrap, depth) => wrap(schema, NAMES[depth] ?? ""), leaf),
        );
        if (before === undefined || after === undefined) return;
        const [old, now] = [before, after].map((inputSchema) => ({
          name: "t",
          inputSchema: { ...inputSchema, properties: { first: filler, ...(inputSchema["properties"] as JsonObject), last: filler }, required: ["first", "last", NAMES[0] ?? ""] },
        })); // prettier-ignore
        if (old === undefined || now === undefined) return;
        for (const change of diffTools([old], [now])) {
          if (change.witness === undefined) continue;
          const text = showWitness(change.witness, change.witnessAt ?? "", limit);
          // A short line may have no room for the outer names.
          const names = NAMES.slice(limit < 120 ? wraps.length - 1 : 0, wraps.length);
          for (const name of names) expect(text).toContain(`"${name}":`);
          expect(text.length).toBeLessThanOrEqual(limit);
        }
      }),
      { seed: SEED, numRuns: 100 },
    );
  });

  it("stays visible for every keyword at every place", () => {
    let count = 0;
    for (const { what, row, position } of sample(CASES, 8).filter((one) => one.position.at !== "")) {
      const around = (part: JsonObject): JsonObject => {
        const { $defs, $schema, ...culprit } = makeSchema(part, row, position);
        const properties = { a: { const: long }, b: { const: long }, culprit, z: { const: long } };
        const rest = { ...($schema !== undefined && { $schema }), ...($defs !== undefined && { $defs }) };
        return { ...rest, type: "object", properties, required: Object.keys(properties) };
      };
      for (const change of diffSide(around(row.wide), around(row.narrow), "input")) {
        if (change.witness === undefined) continue;
        count += 1;
        const text = showWitness(change.witness, change.witnessAt ?? "", 90);
        const value = JSON.stringify((change.witness as JsonObject)["culprit"]);
        expect([what, text]).toEqual([what, expect.stringContaining(`"culprit":${value}`)]);
      }
    }
    expect(count).toBeGreaterThan(runs(400, 10));
  });

  it("stays visible if it is the longest, and of a definition", () => {
    const schema = (maxLength: number): JsonObject => ({
      type: "object",
      properties: { first: filler, culprit: { $ref: "#/$defs/Name" }, last: filler },
      required: ["first", "culprit", "last"],
      $defs: { Name: { type: "string", minLength: 40, maxLength } },
    });
    const [change] = diffSide(schema(200), schema(50), "input");
    expect(change?.witnessAt).toBe("/culprit");
    expect(showWitness(change?.witness ?? null, change?.witnessAt ?? "", 60)).toMatch(
      /^\{…,"culprit":"a+…a+",…\}$/,
    );
  });

  describe("among 300 properties", () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, filler]));
    const tool = (last: JsonObject): JsonObject => ({
      name: "t",
      inputSchema: {
        type: "object",
        properties: { ...many, outer: { type: "object", properties: { culprit: last } } },
        required: [...Object.keys(many), "outer"],
      },
    });
    const [old, now] = [tool({ type: "string" }), tool({ type: "string", maxLength: 2 })];
    const changes = diffTools([old as never], [now as never], { server: "shop" });
    const all = findings({
      changes: changes.map((change) => ({ ...change, fails: true, explanation: explain(change) })),
    });

    it.each(REPORT_FLAGS.format.choices)("stays visible as %s", async (format) => {
      const text = await render(format, all);
      expect(text.replace(/&quot;|\\+"/g, '"')).toMatch(/"culprit":\s*"/);
      expect(findingsOf(changes)[0]?.witness?.json).toMatch(/"culprit":\s*"/);
    });
  });
});

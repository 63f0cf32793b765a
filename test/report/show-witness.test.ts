import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Change } from "../../src/contract/change.js";
import type { JsonObject, JsonValue } from "../../src/contract/json.js";
import { OPTIONS } from "../../src/cli/options.js";
import { printPage } from "../../src/cli/page/print-page.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { explain } from "../../src/drift/explain.js";
import { findingsOf } from "../../src/page/page-finding.js";
import { renderReport } from "../../src/report/render-report.js";
import { showWitness } from "../../src/report/show-witness.js";
import { findings, nothingFound, plain } from "./fixtures.js";

const at = (path: string, more: Partial<Change> = {}): Change => ({
  rule: "input-bound-tightened",
  class: "breaking",
  security: false,
  server: "s",
  path: `/inputSchema/${path}`,
  impacts: ["wire"],
  ...more,
});
const long = "x".repeat(60);

describe("a long counterexample", () => {
  it.each<[string, JsonValue, Change, string]>([
    ["keeps the value", { a: long, b: 1, c: long }, at("properties/b/maximum"), '{…,"b":1,…}'],
    ["keeps short neighbours", { a: 1, b: 2, c: long, d: 3 }, at("properties/d/maximum"), '{"a":1,"b":2,…,"d":3}'],
    ["keeps all names on the path", { a: long, b: { c: long, d: { e: 1 } } }, at("properties/b/properties/d/properties/e/maximum"), '{…,"b":{…,"d":{"e":1}}}'],
    ["keeps both ends of a text", { a: `${"y".repeat(90)} ` }, at("properties/a/pattern"), '{"a":"yyyyyyyyyyyyy…yyyyy "}'],
    ["keeps the item that is unlike the others", { a: [long, long, ""] }, at("properties/a/items/minLength"), '{"a":[…,""]}'],
    ["keeps the first item of equal ones", { a: [{ b: 0, c: long }, { b: 0, c: long }] }, at("properties/a/items/properties/b/minimum"), '{"a":[{"b":0,…},…]}'],
    ["keeps the item of a tuple", { a: [long, 1, long] }, at("properties/a/prefixItems/1/maximum"), '{"a":[…,1,…]}'],
    ["keeps the undeclared property", { a: { b: long, extra: "" } }, at("properties/a/additionalProperties"), '{"a":{…,"extra":""}}'],
    ["keeps the value of a map", { a: { k: { b: 1, c: long } } }, at("properties/a/additionalProperties/properties/b/maximum"), '{"a":{"k":{"b":1,…}}}'],
    ["keeps the object that lacks a property", { z: long, a: { b: 1, c: long } }, at("properties/a/required", { rule: "input-property-became-required", after: "d" }), '{…,"a":{"b":1,…}}'],
    ["keeps the part of a shared definition", { a: long, b: [{ c: { unit: "m", size: 0 } }] }, at("$defs/Size/properties/size/minimum"), '{…,"b":[{"c":{…,"size":0}}]}'],
    ["keeps the old name of a renamed property", { a: long, old: 1, b: long }, at("properties/new", { rule: "input-property-renamed", before: "old", after: "new" }), '{…,"old":1,…}'],
    ["keeps the start of a list that is too long", { a: Array.from({ length: 40 }, () => 1) }, at("properties/a/maxItems"), '{"a":[1,1,1,1,1,1,1,…,1]}'],
    ["cuts a name of any length", { [long + long]: 1, b: long }, at(`properties/${long}${long}/maximum`), `{"${"x".repeat(40)}…${"x".repeat(20)}":1,…}`],
    ["has no control characters", { a: long, b: "\u200b\u001b" }, at("properties/b/pattern"), '{…,"b":"\\u{200B}\\u001b"}'],
  ])("%s", (_what, witness, change, expected) => {
    expect(showWitness(witness, change, 32)).toBe(expected);
  }); // prettier-ignore

  it("is one line of bounded length, whatever the instance is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), fc.integer({ min: 24, max: 200 }), (value, name, limit) => {
        const witness = JSON.parse(JSON.stringify({ [name]: value, b: long })) as JsonValue;
        const text = showWitness(witness, at("properties/b/maxLength"), limit);
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
          const text = showWitness(change.witness, change, limit);
          // A short line may have no room for the outer names.
          const names = NAMES.slice(limit < 120 ? wraps.length - 1 : 0, wraps.length);
          for (const name of names) expect(text).toContain(`"${name}":`);
          expect(text.length).toBeLessThanOrEqual(limit);
        }
      }),
      { seed: SEED, numRuns: 100 },
    );
  });

  it.each(OPTIONS.format.choices)("stays visible as %s", async (format) => {
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
    const text = await renderReport(
      format,
      {
        findings: all,
        document: { report: "check", exitCode: 1, ...nothingFound, changes: all.changes, repairs: [] },
      },
      {
        layout: { paint: plain, width: 120 },
        version: "1.0.0",
        findPlaces: () => Promise.resolve({}),
        printPage: () => printPage({ title: "check", findings: all }, undefined),
      },
    );
    expect(text.replace(/&quot;|\\+"/g, '"')).toMatch(/"culprit":\s*"/);
    expect(findingsOf(changes)[0]?.witness?.json).toMatch(/"culprit":\s*"/);
  });
});

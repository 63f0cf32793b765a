/** Defaults that are filled in: by the printed Zod schema, and by the interpreter of schemas that were not generated. */
import { expect, test } from "vitest";
import { readLiveSchema } from "../../../src/schema/interpret/live-schema.js";
import type { JsonObject, JsonValue } from "../../../src/core/json.js";
import { printZodModule } from "../../../src/schema/print/print-modules.js";
import { evaluateModule } from "../support/evaluate-module.js";

const inner = { type: "object", properties: { lang: { default: "en" } } };
const text = { type: "string", default: "x" };

type Row = readonly [what: string, schema: JsonObject, given: JsonValue, filled: JsonValue];

const FILLED: readonly Row[] = [
  ["objects in objects", { properties: { a: { type: "object", properties: { b: inner } } } }, { a: { b: {} } }, { a: { b: { lang: "en" } } }],
  ["no absent objects", { properties: { a: inner } }, {}, {}],
  ["no required keys, and no present ones", { properties: { a: { default: 1 }, b: text }, required: ["a"] }, { a: 2, b: "" }, { a: 2, b: "" }],
  ["closed objects", { properties: { a: text }, additionalProperties: false }, {}, { a: "x" }],
  ["false, zero and null", { properties: { a: { default: false }, b: { default: 0 }, c: { default: null } } }, {}, { a: false, b: 0, c: null }],
  ["items", { properties: { a: { type: "array", items: inner } } }, { a: [{}, { lang: "de" }] }, { a: [{ lang: "en" }, { lang: "de" }] }],
  ["places of a tuple", { properties: { a: { type: "array", prefixItems: [true, inner], items: inner } } }, { a: [{}, {}, {}] }, { a: [{}, { lang: "en" }, { lang: "en" }] }],
  ["a reference", { properties: { a: { $ref: "#/$defs/i" } }, $defs: { i: inner } }, { a: {} }, { a: { lang: "en" } }],
  ["a default that a reference states", { properties: { a: { $ref: "#/$defs/d" } }, $defs: { d: text } }, {}, { a: "x" }],
  ["the nearest of two defaults", { properties: { a: { $ref: "#/$defs/d", default: "y" } }, $defs: { d: text } }, {}, { a: "y" }],
  ["recursion", { properties: { lang: { default: "en" }, kids: { type: "array", items: { $ref: "#" } } } }, { kids: [{}] }, { kids: [{ lang: "en" }], lang: "en" }],
  ["members of allOf that make one object", { allOf: [inner, { type: "object", properties: { n: { default: 1 } } }] }, {}, { lang: "en", n: 1 }],
  ["an object or null", { properties: { a: { anyOf: [inner, { type: "null" }] }, b: { anyOf: [inner, { type: "null" }] } } }, { a: {}, b: null }, { a: { lang: "en" }, b: null }],
  ["the branch that fits", { properties: { a: { anyOf: [{ type: "object", properties: { k: { const: "a" }, x: text }, required: ["k"] }, { type: "object", properties: { k: { const: "b" }, y: text }, required: ["k"] }] } } }, { a: { k: "b" } }, { a: { k: "b", y: "x" } }],
  ["a default of a definition that is interpreted, with a reference of its own", { properties: { a: { $ref: "#/$defs/d", default: "x" } }, $defs: { d: { type: ["string", "object"], oneOf: [{ $ref: "#/$defs/e" }, true, false], unevaluatedProperties: false }, e: false } }, {}, { a: "x" }],
  ["a default that all branches share", { properties: { a: { anyOf: [text, { type: "null", default: "x" }] } } }, {}, { a: "x" }],
]; // prettier-ignore

/** Nothing is filled in here, and a diagnostic names each place. */
const REPORTED: readonly (readonly [what: string, schema: JsonObject, given: JsonValue, paths: readonly string[]])[] = [
  ["a default that its own schema refuses", { properties: { a: { type: "string", default: 1 } } }, {}, ["/properties/a/default"]],
  ["keys that are counted", { properties: { a: text }, maxProperties: 1 }, { b: 1 }, ["/properties/a/default"]],
  ["keys that a pattern rules", { properties: { a: text }, patternProperties: { "^a": { type: "string" } } }, {}, ["/properties/a/default"]],
  ["keys that need others", { properties: { a: text }, dependentRequired: { a: ["b"] } }, {}, ["/properties/a/default"]],
  ["keys beside a schema for all others", { properties: { a: text }, additionalProperties: { type: "number" } }, {}, ["/properties/a/default"]],
  ["keys that every object inherits", { properties: { constructor: text } }, {}, ["/properties/constructor/default"]],
  ["alternatives of which one must fit", { oneOf: [inner, { type: "object", properties: { lang: { const: "en" } }, required: ["lang"] }] }, {}, ["/oneOf/0/properties/lang/default"]],
  ["a rule against the object", { properties: { a: text }, not: { required: ["a"] } }, {}, ["/properties/a/default"]],
  ["a condition on the object", { properties: { a: text }, if: { required: ["a"] }, then: { required: ["b"] } }, {}, ["/properties/a/default"]],
  ["items that must differ", { properties: { a: { type: "array", uniqueItems: true, items: inner } } }, { a: [{}] }, ["/properties/a/items/properties/lang/default"]],
  ["items that must differ, by reference", { properties: { a: { type: "array", uniqueItems: true, items: { $ref: "#/$defs/i" } } }, $defs: { i: inner } }, { a: [{}] }, ["/properties/a/items/$ref"]],
  ["alternatives of which one must fit, by reference", { oneOf: [{ $ref: "#/$defs/i" }, { type: "object", properties: { lang: { const: "en" } }, required: ["lang"] }], $defs: { i: inner } }, {}, ["/oneOf/0/$ref"]],
  ["a reference beside a rule for the key", { properties: { a: { $ref: "#/$defs/i", dependentRequired: { lang: ["b"] } } }, $defs: { i: inner } }, { a: {} }, ["/$defs/i/properties/lang/default"]],
  ["an object in one whose keys a pattern rules", { properties: { a: inner }, patternProperties: { "^a": { maxProperties: 0 } } }, { a: {} }, ["/properties/a/properties/lang/default"]],
  ["an object in one with a schema for all other keys", { properties: { a: inner }, additionalProperties: { type: "number" } }, { a: {} }, ["/properties/a/properties/lang/default"]],
  ["an object in one whose keys depend on it", { properties: { a: inner }, dependentSchemas: { a: { properties: { a: { maxProperties: 0 } } } } }, { a: {} }, ["/properties/a/properties/lang/default"]],
]; // prettier-ignore

async function fill(schema: JsonObject, given: JsonValue): Promise<readonly unknown[]> {
  const { text: module, diagnostics } = printZodModule(
    { type: "object", ...schema },
    { name: "Printed", defaults: "parse" },
  );
  const live = readLiveSchema({ type: "object", ...schema }, { defaults: "parse" });
  const paths = diagnostics.flatMap(({ code, path }) => (code === "DEFAULT_NOT_SENT" ? [path] : []));
  return [evaluateModule(module, "Printed").parse(given), await live["~standard"].validate(given), paths];
}

test.each(FILLED)("fills in: %s", async (_what, schema, given, filled) => {
  expect(await fill(schema, given)).toEqual([filled, { value: filled }, []]);
});

test.each(REPORTED)("fills in nothing, and says so: %s", async (_what, schema, given, paths) => {
  expect(await fill(schema, given)).toEqual([given, { value: given }, paths]);
});

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Ajv2020, { type SchemaObject } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/contract/json.js";
import { showSchema, toModelSchema } from "../../src/contract/model-schema.js";

test("a schema that providers take is shown as it is", () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { id: { type: "integer" }, tags: { type: "array", items: { type: "string" } } },
    required: ["id"],
    additionalProperties: false,
    "x-own": { required: true },
  };
  const { $schema, ...shown } = schema;
  expect($schema).toBeDefined();
  expect(toModelSchema(schema)).toEqual(shown);
});

const SAFE = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

test.each<[string, JsonObject, JsonObject]>([
  ["an integer", { type: "integer", ...SAFE }, { type: "integer" }],
  ["an integer or null", { type: ["integer", "null"], ...SAFE }, { type: ["integer", "null"] }],
  ["a bound that says something", { type: "integer", ...SAFE, minimum: 0 }, { type: "integer", minimum: 0 }],
  ["a number", { type: "number", ...SAFE }, { type: "number", ...SAFE }],
  [
    "an integer or a number",
    { type: ["integer", "number"], ...SAFE },
    { type: ["integer", "number"], ...SAFE },
  ],
  ["no type", SAFE, SAFE],
  [
    "a schema that must not fit",
    { not: { type: "integer", ...SAFE } },
    { not: { type: "integer", ...SAFE } },
  ],
  ["a value", { default: { type: "integer", ...SAFE } }, { default: { type: "integer", ...SAFE } }],
  [
    "schemas at any depth",
    { items: { anyOf: [{ additionalProperties: { type: "integer", ...SAFE } }] } },
    { items: { anyOf: [{ additionalProperties: { type: "integer" } }] } },
  ],
  [
    "properties that are called as the keywords",
    { properties: { $schema: { type: "string" }, minimum: { type: "integer", ...SAFE } } },
    { properties: { $schema: { type: "string" }, minimum: { type: "integer" } } },
  ],
])("bounds of all safe integers are left out where they say nothing: %s", (_what, raw, shown) => {
  expect(showSchema(raw)).toEqual(shown);
});

test.each([
  ["no schema", undefined, { type: "object", properties: {} }],
  [
    "an empty object as PHP writes it",
    { type: "object", properties: [] },
    { type: "object", properties: {} },
  ],
  [
    "required beside its property",
    {
      type: "object",
      properties: { id: { type: "integer", required: true }, at: { type: "string", required: false } },
    },
    { type: "object", properties: { id: { type: "integer" }, at: { type: "string" } }, required: ["id"] },
  ],
  [
    "the same deep inside",
    {
      type: "object",
      properties: { posts: { type: "array", items: { properties: { id: { required: true } } } } },
    },
    {
      type: "object",
      properties: { posts: { type: "array", items: { properties: { id: {} }, required: ["id"] } } },
    },
  ],
  [
    "a property that is called required",
    { type: "object", properties: { required: { type: "boolean" } } },
    { type: "object", properties: { required: { type: "boolean" } } },
  ],
  [
    "more types than object",
    { type: ["object", "null"], properties: { a: {} } },
    { type: "object", properties: { a: {} } },
  ],
  [
    "alternatives at the top",
    {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      oneOf: [
        { properties: { b: { type: "string" }, c: { const: 1 } }, required: ["b", "c"] },
        { $ref: "#/$defs/Other" },
      ],
      $defs: { Other: { properties: { c: { const: 2 } }, required: ["c"] } },
    },
    {
      type: "object",
      properties: {
        a: { type: "string" },
        b: { type: "string" },
        c: { anyOf: [{ const: 1 }, { const: 2 }] },
      },
      required: ["a", "c"],
    },
  ],
  [
    "parts that all hold",
    {
      allOf: [{ properties: { a: { minimum: 1 } }, required: ["a"] }, { properties: { a: { maximum: 9 } } }],
    },
    { type: "object", properties: { a: { allOf: [{ minimum: 1 }, { maximum: 9 }] } }, required: ["a"] },
  ],
  [
    "a reference at the top",
    { $ref: "#/$defs/Input", $defs: { Input: { type: "object", properties: { a: {} } } } },
    { type: "object", properties: { a: {} } },
  ],
])("%s", (_what, raw, shown) => {
  expect(toModelSchema(raw)).toEqual(shown);
});

test("keys of a server's choice stay keys", () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"required":true},"constructor":{}}}',
  ) as unknown;
  expect(JSON.stringify(toModelSchema(schema))).toBe(
    '{"type":"object","properties":{"__proto__":{},"constructor":{}},"required":["__proto__"]}',
  );
});

const data = fileURLToPath(new URL("../../../../shared/data/", import.meta.url));
const files = ["tool-lists", "wordpress"]
  .map((folder) => join(data, folder))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  )
  .filter((file) => file.endsWith(".json"));
const skipped = files.length > 0 ? "" : " (skipped: ../shared/data is not there)";

describe.runIf(files.length > 0)(`tools of real servers${skipped}`, () => {
  test("are shown as objects, in schemas that are schemas, and mostly as they are", () => {
    const ajv = new Ajv2020.default({ strict: false, validateFormats: false });
    const tools = files.flatMap((file) => readTools(readFileSync(file, "utf8")));
    expect(tools.length).toBeGreaterThan(2_000);
    const changed = tools.filter((raw) => {
      const shown = toModelSchema(raw);
      expect(shown.type).toBe("object");
      for (const keyword of ["oneOf", "anyOf", "allOf", "not", "enum", "const"]) {
        expect(Object.keys(shown)).not.toContain(keyword);
      }
      // Of whatever dialect it says it is.
      const own: SchemaObject = Object.fromEntries(
        Object.entries(shown).filter(([key]) => key !== "$schema"),
      );
      expect(ajv.validateSchema(own), JSON.stringify(own).slice(0, 500)).toBe(true);
      return JSON.stringify(shown) !== JSON.stringify(isJsonObject(raw) ? showSchema(raw) : raw);
    });
    expect(changed.length).toBeLessThan(tools.length / 50);
  });
});

function readTools(text: string): readonly unknown[] {
  const found = JSON.parse(text) as { tools?: unknown; result?: { tools?: unknown } } | null;
  const tools = Array.isArray(found) ? (found as readonly unknown[]) : (found?.tools ?? found?.result?.tools);
  if (!Array.isArray(tools)) return [];
  return (tools as readonly { readonly inputSchema?: unknown }[]).flatMap(
    ({ inputSchema }) => inputSchema ?? [],
  );
}

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv2020, { type SchemaObject } from "ajv/dist/2020.js";
import { describe, expect, test, it } from "vitest";
import * as z from "zod";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.js";
import { hasFormat } from "../../src/schema/validation/format.js";
import { toModelSchema, findVagueSchemas } from "../../src/core/model-schema.js";
import { showSchema } from "../../src/core/show-schema.js";
import { dataFiles, expected, SHARED } from "../data/files.js";

test("a schema that providers accept is shown unchanged", () => {
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

test("an array without items gets some, since OpenAI refuses the whole request otherwise", () => {
  const properties = {
    skus: { type: "array" },
    note: { type: ["string", "array", "null"] },
    deep: { anyOf: [{ type: "string" }, { type: "array", items: { type: "array", maxItems: 2 } }] },
  };
  expect(toModelSchema({ type: "object", properties })["properties"]).toEqual({
    skus: { type: "array", items: {} },
    note: { type: ["string", "array", "null"], items: {} },
    deep: {
      anyOf: [{ type: "string" }, { type: "array", items: { type: "array", maxItems: 2, items: {} } }],
    },
  });
});

const PARTS = ["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"];

test.each<[string, JsonObject, JsonObject]>([
  ...["properties", "$defs", "patternProperties", "dependentSchemas"].map(
    (key): [string, JsonObject, JsonObject] => [
      `an entry of ${key} that is not a schema`,
      { $ref: "#/$defs/b", [key]: { a: "object", b: { type: "string" }, c: null, d: ["x"], e: true } },
      { $ref: "#/$defs/b", [key]: { b: { type: "string" }, e: true } },
    ],
  ),
  ...["items", "additionalProperties", "contains", "propertyNames", "not", "if"].map(
    (key): [string, JsonObject, JsonObject] => [`"${key}" that is not a schema`, { [key]: "object" }, {}],
  ),
  ...["anyOf", "oneOf", "allOf", "prefixItems"].map((key): [string, JsonObject, JsonObject] => [
    `a list of ${key} with a value that is not a schema`,
    { [key]: [{ type: "string" }, "object"] },
    {},
  ]),
  ...PARTS.flatMap((key): [string, JsonObject, JsonObject][] => [
    [`${key} as a text`, { type: "integer", [key]: "9223372036854775807" }, { type: "integer" }],
    [`${key} beyond 2^53`, { type: "integer", [key]: 2 ** 63 }, { type: "integer" }],
    [`${key} below -2^53`, { type: "integer", [key]: -(2 ** 63) }, { type: "integer" }],
    [`a fraction as ${key}`, { type: "number", [key]: 0.5 }, { type: "number", [key]: 0.5 }],
    [`${key} below "not"`, { not: { anyOf: [{ [key]: "9223372036854775807" }] } }, {}],
    [`${key} below "if"`, { if: { [key]: 2 ** 63 }, then: { type: "integer" }, else: {} }, {}],
  ]),
  ["a length as a text", { type: "string", maxLength: "9223372036854775807" }, { type: "string" }],
  ["an exclusive bound of draft 4", { minimum: 1, exclusiveMinimum: true }, { minimum: 1, exclusiveMinimum: true }],
  ["the names of a dependency", { dependencies: { a: ["b"] } }, { dependencies: { a: ["b"] } }],
])("models do not see %s, if code ignores it", (_, own, shown) => {
  expect(toModelSchema({ type: "object", properties: { p: own } })["properties"]).toEqual({ p: shown });
}); // prettier-ignore

const SAFE = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

test.each<[string, JsonObject, JsonObject]>([
  ["an integer", { type: "integer", ...SAFE }, { type: "integer" }],
  ["an integer or null", { type: ["integer", "null"], ...SAFE }, { type: ["integer", "null"] }],
  ["a bound that says something", { type: "integer", ...SAFE, minimum: 0 }, { type: "integer", minimum: 0 }],
  ["a number", { type: "number", ...SAFE }, { type: "number", ...SAFE }],
  ["an integer or a number", { type: ["integer", "number"], ...SAFE }, { type: ["integer", "number"], ...SAFE }],
  ["no type", SAFE, SAFE],
  ["a schema that must not fit", { not: { type: "integer", ...SAFE } }, { not: { type: "integer", ...SAFE } }],
  ["a value", { default: { type: "integer", ...SAFE } }, { default: { type: "integer", ...SAFE } }],
  ["schemas at any depth", { items: { anyOf: [{ additionalProperties: { type: "integer", ...SAFE } }] } },
    { items: { anyOf: [{ additionalProperties: { type: "integer" } }] } }],
  ["properties that are called as the keywords", { properties: { $schema: { type: "string" }, minimum: { type: "integer", ...SAFE } } },
    { properties: { $schema: { type: "string" }, minimum: { type: "integer" } } }],
])("bounds of the safe integers are omitted if they have no effect: %s", (_what, raw, shown) => {
  expect(showSchema(raw)).toEqual(shown);
}); // prettier-ignore

const zod = (shape: z.core.$ZodLooseShape): JsonObject => {
  const { $schema, ...schema } = z.toJSONSchema(z.object(shape), { io: "input" });
  expect($schema).toBeDefined();
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
};

// From the installed Zod: a release with other patterns fails here.
const ROWS: [string, z.ZodType, JsonObject][] = [
  ["z.iso.date()", z.iso.date(), { type: "string", format: "date" }],
  ["z.uuid()", z.uuid(), { type: "string", format: "uuid" }],
  ["z.iso.datetime()", z.iso.datetime(), { type: "string", format: "date-time", pattern: "Z$" }],
  ["z.iso.datetime({ offset: true })", z.iso.datetime({ offset: true }), { type: "string", format: "date-time" }],
  ["z.record()", z.record(z.string(), z.boolean()), { type: "object", additionalProperties: { type: "boolean" } }],
]; // prettier-ignore

test.each(ROWS)("redundant keywords of Zod are omitted: %s", (_what, schema, shown) => {
  expect(showSchema(zod({ at: schema }))["properties"]).toEqual({ at: shown });
});

test.each<[string, z.ZodType]>([
  ["a local time", z.iso.datetime({ local: true })],
  ["whole seconds", z.iso.datetime({ precision: 0 })],
  ["one version of UUIDs", z.uuidv4()],
  ["a rule of the author", z.iso.date().regex(/^2/)],
  ["an address without quotes", z.email()],
  ["certain names", z.record(z.string().max(3), z.boolean())],
])("a keyword with an effect is kept: %s", (_what, schema) => {
  const raw = zod({ at: schema });
  expect(showSchema(raw)).toEqual(raw);
});

test.each([
  ...["2026-02-28", "2026-02-29", "2024-02-29", "2026-2-8", "2026-02-28T10:00:00Z", "2026-02-28T10:00:00.5Z"],
  ...["2026-02-28T10:00:00+02:00", "2026-02-28T10:00:00", "2026-02-28T25:00:00Z", "2026-02-28 10:00:00Z"],
  ...["f81d4fae-7dec-41d0-a765-00a0c91e6bf6", "f81d4fae-7dec-41d0-a765-00a0c91e6bf", "", "Z"],
])("a format with the shown pattern accepts the same strings: %j", (value) => {
  for (const schema of [z.iso.date(), z.uuid(), z.iso.datetime(), z.iso.datetime({ offset: true })]) {
    const shown = showSchema(zod({ at: schema }));
    const { format, pattern = "" } = (shown["properties"] as { at: { format: string; pattern?: string } }).at;
    expect(hasFormat(value, format) && new RegExp(pattern, "u").test(value), format).toBe(
      schema.safeParse(value).success,
    );
  }
});

test("titles that repeat a name are omitted", () => {
  const properties = {
    page_size: { title: "Page Size", type: "integer" },
    q: { title: "Search query", type: "string" },
    title: { title: "Title", type: "string" },
    nested: { type: "object", properties: { userId: { title: "User Id", type: "string" } } },
    value: { default: { title: "value" } },
  };
  expect(showSchema({ title: "find_postsArguments", type: "object", properties })).toEqual({
    type: "object",
    properties: {
      page_size: { type: "integer" },
      q: { title: "Search query", type: "string" },
      title: { type: "string" },
      nested: { type: "object", properties: { userId: { type: "string" } } },
      value: { default: { title: "value" } },
    },
  });
  expect(showSchema({ title: "Filters", type: "object" })).toEqual({ title: "Filters", type: "object" });
});

test.each([
  ["no schema", undefined, { type: "object", properties: {} }],
  ["an empty object as PHP writes it", { type: "object", properties: [] }, { type: "object", properties: {} }],
  ["required beside its property", { type: "object", properties: { id: { type: "integer", required: true }, at: { type: "string", required: false } } },
    { type: "object", properties: { id: { type: "integer" }, at: { type: "string" } }, required: ["id"] }],
  ["the same deep inside", { type: "object", properties: { posts: { type: "array", items: { properties: { id: { required: true } } } } } },
    { type: "object", properties: { posts: { type: "array", items: { properties: { id: {} }, required: ["id"] } } } }],
  ["a property that is called required", { type: "object", properties: { required: { type: "boolean" } } },
    { type: "object", properties: { required: { type: "boolean" } } }],
  ["more types than object", { type: ["object", "null"], properties: { a: {} } }, { type: "object", properties: { a: {} } }],
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
  ["parts that all hold", { allOf: [{ properties: { a: { minimum: 1 } }, required: ["a"] }, { properties: { a: { maximum: 9 } } }] },
    { type: "object", properties: { a: { allOf: [{ minimum: 1 }, { maximum: 9 }] } }, required: ["a"] }],
  ["a reference at the top", { $ref: "#/$defs/Input", $defs: { Input: { type: "object", properties: { a: {} } } } }, { type: "object", properties: { a: {} } }],
])("%s", (_what, raw, shown) => {
  expect(toModelSchema(raw)).toEqual(shown);
}); // prettier-ignore

test("properties with names of the prototype are kept", () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"required":true},"constructor":{}}}',
  ) as unknown;
  expect(JSON.stringify(toModelSchema(schema))).toBe(
    '{"type":"object","properties":{"__proto__":{},"constructor":{}},"required":["__proto__"]}',
  );
});

const WORDPRESS = join(SHARED, "wordpress");
const answers = existsSync(WORDPRESS)
  ? readdirSync(WORDPRESS, { recursive: true, encoding: "utf8" }).map((file) => join(WORDPRESS, file))
  : [];
const files = [...dataFiles("tool-lists"), ...answers.filter((file) => file.endsWith(".json"))];

describe("real tools", () => {
  test("are shown as valid object schemas, mostly unchanged", () => {
    const ajv = new Ajv2020.default({ strict: false, validateFormats: false });
    const tools = files.flatMap((file) => readTools(readFileSync(file, "utf8")));
    expect(tools.length).toBeGreaterThan(expected(30, 2_000));
    const changed = tools.filter((raw) => {
      const shown = toModelSchema(raw);
      expect(shown.type).toBe("object");
      for (const keyword of ["oneOf", "anyOf", "allOf", "not", "enum", "const"]) {
        expect(Object.keys(shown)).not.toContain(keyword);
      }
      // In the dialect that it declares.
      const own: SchemaObject = Object.fromEntries(
        Object.entries(shown).filter(([key]) => key !== "$schema"),
      );
      expect(ajv.validateSchema(own), JSON.stringify(own).slice(0, 500)).toBe(true);
      return JSON.stringify(shown) !== JSON.stringify(isJsonObject(raw) ? showSchema(raw) : raw);
    });
    expect(changed.length).toBeLessThan(tools.length / expected(10, 50));
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

it.each<[schema: JsonValue, isVague: boolean]>([
  [{}, true],
  [{ $schema: "https://json-schema.org/draft/2020-12/schema", title: "Args", additionalProperties: true }, true],
  [{ description: "Anything.", additionalProperties: {}, "x-of": 1, $defs: { a: { type: "string" } } }, true],
  [{ type: "object" }, false],
  [{ properties: {} }, false],
  [{ additionalProperties: false }, false],
  [{ additionalProperties: { type: "string" } }, false],
  [{ $ref: "#/$defs/a", $defs: { a: { type: "object" } } }, false],
  [{ anyOf: [{ type: "object" }] }, false],
  [{ required: ["a"] }, false],
  [{ not: {} }, false],
  [true, false],
])("a schema %j says nothing: %s", (inputSchema, isVague) => {
  expect(findVagueSchemas("shop", [{ name: "a", inputSchema }])).toHaveLength(isVague ? 1 : 0);
}); // prettier-ignore

it("is one warning for a server, with the first names", () => {
  const tools = Array.from({ length: 14 }, (_, at) => ({ name: `t${at}`, inputSchema: {} }));
  expect(findVagueSchemas("shop", tools)).toEqual([
    {
      code: "SERVER_VAGUE",
      server: "shop",
      tool: "",
      path: "",
      message:
        "The input schemas of 14 tools (t0, t1, t2, t3, t4 and 9 more) have no `type` and no `properties`: any arguments are accepted, and models have to guess them.",
    },
  ]);
});

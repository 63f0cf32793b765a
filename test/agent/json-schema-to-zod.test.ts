import { expect, test } from "vitest";
import * as z from "zod";
import { jsonSchemaToZod } from "../../src/agent/index.js";
import { isJsonObject, type JsonValue } from "../../src/core/json.js";
import { readLiveSchema } from "../../src/schema/interpret/live-schema.js";

const POST = {
  type: "object",
  properties: {
    title: { type: "string", minLength: 2 },
    status: { type: "string", enum: ["draft", "publish"], default: "draft" },
    tags: { type: "array", items: { type: "string" }, uniqueItems: true },
  },
  required: ["title"],
  additionalProperties: false,
} as const;

const VALUES: readonly unknown[] = [
  ...[{ title: "Rolls" }, { title: "R" }, { title: "Rolls", other: 1 }, { title: "Rolls", tags: ["a", "a"] }],
  ...[{}, null, undefined, "text", 3, 2.5, [], [1, "a"], { a: 1 }, { a: 1, b: 2 }],
];

test.each<JsonValue>([
  POST,
  true,
  false,
  { not: { type: "string" } },
  { type: "integer", multipleOf: 3 },
  { if: { required: ["a"] }, then: { required: ["b"] }, else: { type: "object" } },
  { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
  { prefixItems: [{ type: "number" }], items: false },
  { $defs: { tree: { type: "object", additionalProperties: { $ref: "#/$defs/tree" } } }, $ref: "#/$defs/tree" }, // prettier-ignore
])("%j judges values as generated code does", async (schema) => {
  const zod = await jsonSchemaToZod(schema);
  for (const value of VALUES) {
    const judged = await readLiveSchema(schema)["~standard"].validate(value);
    const parsed = zod.safeParse(value);
    expect({ value, paths: parsed.error?.issues.map(({ path }) => path) }).toEqual({
      value,
      paths: judged.issues?.map(({ path = [] }) => path),
    });
    if (parsed.success) expect(parsed.data).toBe(value);
  }
  expect(z.toJSONSchema(zod)).toMatchObject(isJsonObject(schema) ? { ...schema } : {});
});

test("fills in defaults and asserts formats if asked", async () => {
  expect((await jsonSchemaToZod(POST)).parse({ title: "Rolls" })).toEqual({ title: "Rolls" });
  const filling = await jsonSchemaToZod(POST, { defaults: "parse" });
  expect(filling.parse({ title: "Rolls" })).toEqual({ title: "Rolls", status: "draft" });
  expect(filling.safeParse({}).error?.issues).toMatchObject([{ path: ["title"] }]);
  expect(z.toJSONSchema(filling)).toMatchObject({ required: ["title"] });
  // As a part of another schema.
  const request = z.object({ post: filling, count: z.number() });
  const post = { title: "Rolls", status: "draft" };
  expect(request.parse({ post: { title: "Rolls" }, count: 1 })).toEqual({ post, count: 1 });
  const { error } = request.safeParse({ post: { title: 1 }, count: 1 });
  expect(error?.issues).toMatchObject([{ path: ["post", "title"] }]);
  expect(z.toJSONSchema(request, { io: "input" })).toMatchObject({ properties: { post: POST } });
  const mail = { type: "string", format: "email" };
  expect((await jsonSchemaToZod(mail)).safeParse("no address").success).toBe(true);
  expect((await jsonSchemaToZod(mail, { formats: "assert" })).safeParse("no address").success).toBe(false);
});

test("refuses what is not a schema, and a misspelt option", async () => {
  await expect(jsonSchemaToZod("text")).rejects.toMatchObject({ code: "SCHEMA_INVALID" });
  const misspelt = jsonSchemaToZod(POST, { default: "parse" } as never);
  await expect(misspelt).rejects.toThrow('jsonSchemaToZod: unknown option "default"');
});

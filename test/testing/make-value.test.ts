import * as z from "zod";
import { describe, expect, it } from "vitest";
import { readLiveSchema } from "../../src/schema/interpret/live-schema.js";
import {
  type JsonObject,
  type JsonValue,
  canonicalJson,
  getOwn,
  isJsonArray,
  isJsonObject,
} from "../../src/core/json.js";
import { generateValue, type ValueOptions } from "../../src/testing/make-value.js";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import type { Ajv } from "ajv";
import type { FormatsPlugin } from "ajv-formats";
import { dataFiles, expected, SHARED } from "../data/files.js";

function generate(schema: JsonValue, options: Partial<ValueOptions> = {}): Promise<JsonValue> {
  return generateValue(schema, readLiveSchema(schema, { formats: "assert" }), { seed: "1", ...options });
}

const POST: JsonObject = {
  type: "object",
  required: ["id", "title", "image_url", "author", "author_id", "comments", "created_at", "contact_email"],
  properties: {
    id: { type: "integer" },
    title: { type: "string" },
    image_url: { type: "string" },
    created_at: { type: "string", format: "date-time" },
    contact_email: { type: "string" },
    author_id: { type: "integer" },
    author: { type: "object", required: ["id"], properties: { id: { type: "integer" } } },
    comments: {
      type: "array",
      minItems: 3,
      items: {
        type: "object",
        required: ["id", "post_id"],
        properties: { id: { type: "integer" }, post_id: { type: "integer" } },
      },
    },
  },
};

/** Reads a generated value as what its schema describes. */
const Post = z.object({
  id: z.number(),
  title: z.string(),
  author: z.object({ id: z.number() }),
  author_id: z.number(),
  comments: z.array(z.object({ id: z.number(), post_id: z.number() })),
});

describe("generated values", () => {
  it("are the same for a seed, and others for another one", async () => {
    expect(await generate(POST)).toEqual(await generate(POST));
    expect(await generate(POST)).not.toEqual(await generate(POST, { seed: "2" }));
  });

  it("read like their fields", async () => {
    expect(await generate(POST)).toMatchObject({
      title: expect.stringMatching(/^[A-Z][a-z]+ [a-z]+ [a-z]+$/) as string,
      image_url: expect.stringMatching(/^https:\/\/example\.com\//) as string,
      created_at: expect.stringMatching(/^2026-\d\d-\d\dT/) as string,
      contact_email: expect.stringMatching(/@example\.com$/) as string,
    });
  });

  it("repeat arguments, and keep ids consistent", async () => {
    const post = Post.parse(await generate(POST, { entity: "post", echo: { id: 7, title: "Bread" } }));
    expect(post).toMatchObject({ id: 7, title: "Bread" });
    expect(post.author.id).toBe(post.author_id);
    expect(post.comments.map((comment) => comment.post_id)).toEqual(post.comments.map(() => 7));
    expect(new Set(post.comments.map((comment) => comment.id)).size).toBeGreaterThan(1);
  });

  const FITTING: JsonValue[] = [
    { type: "string", pattern: "^[A-Z]{3}-\\d{4}$" },
    { type: "object", required: ["title"], properties: { title: { type: "string", maxLength: 2 } } },
    { allOf: [{ type: "string", pattern: "^a" }, { pattern: "z$" }, { minLength: 5 }] },
    { ...{ type: "object", propertyNames: { pattern: "^[a-z]{2}$" }, minProperties: 3 }, additionalProperties: { type: "integer", minimum: 1 } },
    { ...{ type: "object", patternProperties: { "^k[0-9a-z]$": {} }, minProperties: 20 }, additionalProperties: false },
    { type: "integer", not: { minimum: 0 } },
    { type: "number", not: { exclusiveMinimum: -5 } },
    { type: "integer", not: { maximum: 1_000 } },
    { type: "number", not: { exclusiveMaximum: 7.5 } },
    { type: "string", not: { maxLength: 30 } },
    { type: "string", not: { type: "string", minLength: 2 }, minLength: 1 },
    { type: "array", items: { type: "integer" }, not: { maxItems: 60 } },
    { type: "object", not: { maxProperties: 7 } },
    { type: "integer", not: { minimum: -10, maximum: 100_000 }, minimum: 0 },
    { type: "string", pattern: "\\d{2}$", minLength: 12 },
    { type: "string", allOf: [{ pattern: "red" }, { pattern: "blue" }], minLength: 20 },
    { type: "string", minLength: 300 },
    { type: "number", exclusiveMinimum: 0.1, exclusiveMaximum: 0.2 },
    { type: "integer", multipleOf: 7, minimum: 100 },
    { type: "number", multipleOf: 0.01, minimum: 0.5, maximum: 5 },
    { type: "array", items: { enum: [1, 2, 3] }, uniqueItems: true, minItems: 3 },
    { type: "array", contains: { const: "x" }, minItems: 4, items: { type: "string" } },
    { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false, minItems: 2 },
    { oneOf: [2, 3].map((multipleOf) => ({ type: "integer", multipleOf })) },
    { anyOf: ["a", "b"].map((kind) => ({ ...{ type: "object", required: ["kind", kind], additionalProperties: false },
      properties: { kind: { const: kind }, [kind]: { type: "integer" } } })) },
    { ...{ type: "object", required: ["state"] }, properties: { state: { enum: ["open", "closed"] }, closed_at: { type: "string" } },
      if: { properties: { state: { const: "closed" } } }, then: { required: ["closed_at"] } },
    { $ref: "#/$defs/node", $defs: { node: { ...{ type: "object", required: ["children"] },
      properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } } } } },
    { type: "object", propertyNames: { pattern: "^x-" }, minProperties: 2 },
    { allOf: [{ type: "object", required: ["a"] }, { properties: { a: { type: "null" } } }] },
    true,
  ]; // prettier-ignore

  it.each(FITTING)("fit %j", async (schema) => {
    // Every value is validated before it is returned, so a value that does not fit is an error here.
    for (const boundary of [false, true])
      for (let seed = 0; seed < 20; seed += 1)
        await expect(generate(schema, { seed: `${seed}`, boundary })).resolves.toBeDefined();
  });

  it("have limits on request", async () => {
    const schema = {
      type: "object",
      required: ["count", "name"],
      properties: {
        count: { type: "integer", minimum: 3, maximum: 9 },
        name: { type: "string", maxLength: 5 },
      },
    };
    const values = await Promise.all(
      Array.from({ length: 30 }, (_, seed) => generate(schema, { seed: `${seed}`, boundary: true })),
    );
    const members = z.array(z.object({ count: z.number(), name: z.string() })).parse(values);
    expect([...new Set(members.map(({ count }) => count))].sort()).toEqual([3, 9]);
    expect([...new Set(members.map(({ name }) => name.length))].sort()).toEqual([0, 5]);
  });

  it("are refused with the place where nothing fits", async () => {
    const schema = {
      type: "object",
      required: ["post"],
      properties: {
        post: {
          type: "object",
          required: ["id"],
          properties: { id: { type: "integer", minimum: 5, maximum: 4 } },
        },
      },
    };
    await expect(generate(schema)).rejects.toThrow("No value was found that the schema accepts at /post/id:");
  });

  it.each<readonly [string, JsonValue, RegExp]>([
    ["items", { type: "array", minItems: 1e9 }, /at the root: Too small/],
    ["characters", { type: "string", minLength: 1e9 }, /at the root: Too small/],
    [
      "levels",
      {
        $ref: "#/$defs/n",
        $defs: { n: { type: "object", required: ["n"], properties: { n: { $ref: "#/$defs/n" } } } },
      },
      /at \/n\/n/,
    ],
  ])("are refused if they need endless %s", async (_what, schema, message) => {
    await expect(generate(schema)).rejects.toThrow(message);
  });

  it("have some of very many properties", async () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `p${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    const value = z.record(z.string(), z.string()).parse(await generate({ type: "object", properties }));
    expect(Object.keys(value).length).toBeGreaterThan(500);
    expect(Object.keys(value).length).toBeLessThan(2_000);
  });
});

const require = createRequire(import.meta.url);
const Ajv2020 = (require("ajv/dist/2020.js") as { default: typeof Ajv }).default;
const Ajv07 = (require("ajv") as { default: typeof Ajv }).default;
const Ajv04 = (require("ajv-draft-04") as { default: typeof Ajv }).default;
const addFormats = require("ajv-formats") as FormatsPlugin;

interface Declared {
  readonly name: string;
  readonly dialect: "wordpress" | undefined;
  readonly schema: JsonObject;
}

/** Every declared output in a value, at any depth. */
function findOutputs(value: JsonValue, file: string): readonly Declared[] {
  if (isJsonArray(value)) return value.flatMap((item) => findOutputs(item, file));
  if (!isJsonObject(value)) return [];
  const schema = getOwn(value, "outputSchema");
  const dialect: Declared["dialect"] = file.includes("wordpress") ? "wordpress" : undefined;
  const own = isJsonObject(schema)
    ? [{ name: `${basename(file)} ${JSON.stringify(getOwn(value, "name"))}`, schema, dialect }]
    : [];
  return [...own, ...Object.values(value).flatMap((item) => findOutputs(item, file))];
}

function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".json"))
    .map((file) => join(folder, file));
}

const files = [...dataFiles("tool-lists"), ...dataFiles("tool-changes"), ...filesBelow(`${SHARED}wordpress`)];
/** Each different schema once. */
const declared: readonly Declared[] = [
  ...new Map(
    files
      .flatMap((file) => findOutputs(JSON.parse(readFileSync(file, "utf8")) as JsonValue, file))
      .map((one) => [canonicalJson(one.schema), one]),
  ).values(),
];

/** The calls of each tool; `CALLS=19` makes 10,000 of the lists beside the project. */
const CALLS = Number(process.env["CALLS"] ?? 2);

describe("declared outputs", () => {
  it("are found in the lists", () => {
    expect(declared.length).toBeGreaterThanOrEqual(expected(10, 397));
  });

  it.each([false, true])("get values that Ajv accepts, with boundary %s", async (boundary) => {
    const options = { strict: false, allErrors: true, logger: false, validateSchema: false } as const;
    const refused: string[] = [];
    let calls = 0;
    let spent = 0;
    for (const { name, schema, dialect } of declared) {
      const isOld = JSON.stringify(schema["$schema"] ?? "").includes("draft-07");
      const ajv = addFormats(new (dialect !== undefined ? Ajv04 : isOld ? Ajv07 : Ajv2020)(options));
      const validate = ajv.compile(schema);
      const judge = readLiveSchema(schema, { dialect, formats: "assert" });
      for (let call = 0; call < CALLS; call += 1) {
        calls += 1;
        const start = performance.now();
        const value = await generateValue(schema, judge, { seed: `${call}`, boundary, dialect }).catch(
          String,
        );
        spent += performance.now() - start;
        if (!validate(value))
          refused.push(`${name}: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`.slice(0, 600));
      }
    }
    if (process.env["CALLS"] !== undefined)
      console.log(`${calls} calls of ${declared.length} tools: ${(spent / calls).toFixed(3)} ms each`);
    expect(refused).toEqual([]);
  });
});

/** Schemas as providers take them: what they accept, restored, the tool accepts. Judged by Ajv. */
import { readFileSync } from "node:fs";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { Ajv } from "ajv";
import Ajv04 from "ajv-draft-04";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { findHostFindings } from "../../../src/core/hosts/find-host-findings.js";
import { fitSchema, type Provider } from "../../../src/core/hosts/fit-schema.js";
import type { HostId } from "../../../src/core/hosts/host.js";
import { isJsonObject, isNamedObject, type JsonObject, type JsonValue } from "../../../src/core/json.js";
import { readPart } from "../../../src/schema/sample/schema-part.js";
import { makeValue } from "../../../src/testing/make-value.js";
import { dataFiles, expected } from "../../data/files.js";
import { runs, sample } from "../../sample.js";
import { PROVIDERS } from "./providers.js";

const OPTIONS = {
  strict: false,
  logger: false,
  validateFormats: false,
  addUsedSchema: false,
  messages: false,
} as const;

const DRAFTS = { "draft-04": new Ajv04.default(OPTIONS), "draft-07": new Ajv(OPTIONS) };
const newest = new Ajv2020(OPTIONS);

function accepts({ $schema: dialect, $id: _id, ...schema }: JsonObject, value: unknown): boolean {
  const draft = Object.entries(DRAFTS).find(
    ([name]) => typeof dialect === "string" && dialect.includes(name),
  );
  return (draft?.[1] ?? newest).validate(schema, value);
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});

describe.each<
  [what: string, Provider, raw: JsonObject, sent: JsonObject, given: JsonObject, restored: JsonObject]
>([
  [
    "an array without items",
    "openai",
    object({ skus: { type: ["array", "null"] } }),
    object({ skus: { type: ["array", "null"], items: {} } }),
    ...([{ skus: [1, "a"] }, { skus: [1, "a"] }] as const),
  ],
  [
    "keys that Anthropic refuses, also in conditions and references",
    "anthropic",
    object(
      { "page[size]": { type: "integer" }, "$.format": { $ref: "#/properties/page[size]" }, format: {} },
      {
        required: ["page[size]"],
        dependentRequired: { "$.format": ["page[size]"] },
        if: { required: ["$.format"] },
        then: { properties: { "page[size]": { minimum: 2 } } },
      },
    ),
    object(
      { page_size: { $ref: "#/$defs/page_size_" }, format_2: { $ref: "#/$defs/page_size_" }, format: {} },
      {
        required: ["page_size"],
        dependentRequired: { format_2: ["page_size"] },
        if: { required: ["format_2"], properties: { format_2: {} } },
        then: { properties: { page_size: { minimum: 2 } } },
        $defs: { page_size_: { type: "integer" } },
      },
    ),
    { page_size: 2, format_2: 3, format: "a" },
    { "page[size]": 2, "$.format": 3, format: "a" },
  ],
  [
    "a required property that is not declared",
    "gemini",
    object({ a: { type: "string" } }, { required: ["a", "b"], additionalProperties: { type: "integer" } }),
    object(
      { a: { type: "string" }, b: { type: "integer" } },
      { required: ["a", "b"], additionalProperties: { type: "integer" } },
    ),
    { a: "x", b: 1 },
    { a: "x", b: 1 },
  ],
  [
    "references to any place",
    "any",
    object({
      a: { type: "array", items: { type: "string" } },
      b: { $ref: "#/properties/a" },
      c: { $ref: "#/properties/a/items" },
    }),
    object(
      { a: { $ref: "#/$defs/a" }, b: { $ref: "#/$defs/a" }, c: { $ref: "#/$defs/items" } },
      { $defs: { items: { type: "string" }, a: { type: "array", items: { $ref: "#/$defs/items" } } } },
    ),
    { a: ["x"], b: ["y"], c: "z" },
    { a: ["x"], b: ["y"], c: "z" },
  ],
  [
    "a tuple of draft-07",
    "anthropic",
    object(
      { pair: { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false } },
      { $schema: "http://json-schema.org/draft-07/schema#" },
    ),
    object({ pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false } }),
    { pair: ["a", 1] },
    { pair: ["a", 1] },
  ],
  [
    "an exclusive bound of draft 4",
    "anthropic",
    object(
      { n: { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false } },
      { $schema: "http://json-schema.org/draft-04/schema#" },
    ),
    object({ n: { type: "number", exclusiveMinimum: 1, maximum: 9 } }),
    { n: 2 },
    { n: 2 },
  ],
  [
    "an enum of several types",
    "any",
    object({ e: { enum: ["a", 1, 2, null], description: "E" } }),
    object({
      e: {
        description: "E",
        anyOf: [{ type: "string", enum: ["a"] }, { type: "number", enum: [1, 2] }, { type: "null" }],
      },
    }),
    { e: 2 },
    { e: 2 },
  ],
  [
    "optional properties in strict mode",
    "openai-strict",
    object(
      {
        a: { type: "string" },
        b: { type: "integer", description: "B" },
        c: { type: ["string", "null"] },
        d: { type: "array", items: object({ e: { type: "boolean" } }) },
      },
      { required: ["a", "c"] },
    ),
    object(
      {
        a: { type: "string" },
        b: { anyOf: [{ type: "integer", description: "B" }, { type: "null" }] },
        c: { type: ["string", "null"] },
        d: {
          anyOf: [
            {
              type: "array",
              items: object(
                { e: { anyOf: [{ type: "boolean" }, { type: "null" }] } },
                { required: ["e"], additionalProperties: false },
              ),
            },
            { type: "null" },
          ],
        },
      },
      { required: ["a", "b", "c", "d"], additionalProperties: false },
    ),
    { a: "x", b: null, c: null, d: [{ e: null }, { e: true }] },
    { a: "x", c: null, d: [{}, { e: true }] },
  ],
])("%s", (_what, provider, raw, sent, given, restored) => {
  const fitted = fitSchema(raw, provider);

  test("is rewritten without a loss", () => {
    expect(fitted.schema).toEqual(sent);
    expect(fitted.losses).toEqual([]);
  });

  test("what the rewritten schema accepts, the tool accepts", () => {
    expect(accepts(fitted.schema as JsonObject, given)).toBe(true);
    expect(fitted.restore(given)).toEqual(restored);
    expect(accepts(raw, restored)).toBe(true);
  });
});

test.each<[string, Provider, JsonObject, JsonObject, readonly string[]]>([
  ["a pattern that looks around, for OpenAI alone", "openai", { type: "string", pattern: "^(?!a)" }, { type: "string" }, ["openai-lookaround"]],
  ["", "anthropic", { type: "string", pattern: "^(?!a)" }, { type: "string", pattern: "^(?!a)" }, []],
  ["a type that does not exist", "openai", { type: "strng" }, {}, ["openai-invalid-schema"]],
  ["a reference that leads nowhere", "any", { $ref: "#/nothing" }, {}, ["ai-sdk-google-ref"]],
  ["a bound beyond 2^53", "any", { type: "integer", maximum: 2 ** 63 }, { type: "integer" }, []],
])("a part that a provider lacks is hidden, and named: %s", (_what, provider, raw, sent, losses) => {
  const fitted = fitSchema(object({ value: raw }), provider);
  expect(fitted.schema).toEqual(object({ value: sent }));
  expect(fitted.losses).toEqual(losses);
}); // prettier-ignore

test("no provider takes arguments that are not an object", () => {
  expect(() => fitSchema({ type: "array", items: {} }, "any")).toThrow("array");
  expect(fitSchema(undefined, "any").schema).toEqual(object({}));
});

test.each<[string, JsonValue]>([
  ["a map", { type: "object", additionalProperties: { type: "string" } }],
  ["a format that OpenAI does not know", { type: "string", format: "uri" }],
  ["an optional property that may be null", object({ a: { type: ["string", "null"] } })],
  ["one in a list", { type: "array", items: object({ a: { anyOf: [{ type: "string" }, { type: "null" }] } }) }],
  ["a value without a type", { description: "Anything." }],
  ["a list of anything", { type: "array", items: {} }],
  ["listed values without a type", { enum: ["a", "b"] }],
  ["a schema that is true", true],
  ["branches with optional properties", { anyOf: [object({ a: { type: "string" } }), { type: "null" }] }],
])("strict mode is left for %s", (_what, value) => {
  const raw = object({ value }, { required: ["value"] });
  expect(fitSchema(raw, "openai-strict")).toMatchObject({ isStrict: false });
  expect(fitSchema(raw, "openai-strict").schema).toEqual(fitSchema(raw, "openai").schema);
}); // prettier-ignore

interface List {
  readonly tools: readonly unknown[];
}

const tools = dataFiles("tool-lists").flatMap((file) =>
  (JSON.parse(readFileSync(file, "utf8")) as List).tools
    .filter(isNamedObject)
    .map(({ name, inputSchema }) => {
      return { name, raw: isJsonObject(inputSchema) ? inputSchema : {} };
    }),
);

const MOST_COMPILED = runs(60, 3);

const HOST_OF: Readonly<Record<Provider, HostId>> = {
  openai: "openai",
  "openai-strict": "openai-strict",
  anthropic: "anthropic",
  gemini: "gemini",
  "gemini-parameters": "gemini-parameters",
  "ai-sdk-google": "ai-sdk-google",
  any: "ai-sdk-google",
};

describe.each(Object.keys(HOST_OF) as Provider[])("tools of public servers for %s", (provider) => {
  const fitted = tools.map((tool) => ({ ...tool, ...fitSchema(tool.raw, provider) }));

  test("no rule finds a schema that is refused", () => {
    const sent = provider === "openai-strict" ? fitted.filter(({ isStrict }) => isStrict) : fitted;
    const definitions = sent.map(({ name, schema }) => ({ name, inputSchema: schema as JsonObject }));
    const refused = definitions
      .flatMap((definition) => findHostFindings([{ server: "shop", definition }], [HOST_OF[provider]]))
      .filter(({ facts }) => facts?.effect !== "altered");
    expect(refused).toEqual([]);
    if (provider === "openai-strict") expect(sent).toHaveLength(expected(18, 2177));
  });

  test("arguments that the schema accepts, restored, the tool accepts", () => {
    const wrong: string[] = [];
    let count = 0;
    const changed = fitted.filter(
      ({ raw, schema, losses }) => losses.length === 0 && JSON.stringify(schema) !== JSON.stringify(raw),
    );
    // Compiling thousands of schemas takes minutes.
    const step = Math.ceil(changed.length / MOST_COMPILED);
    for (const { name, raw, schema, restore } of changed.filter((_, at) => at % step === 0)) {
      for (const seed of ["a", "b"]) {
        const value = makeValue(readPart(schema as JsonObject), {
          kind: "plain",
          seed,
          entity: "",
          echo: {},
        });
        if (!accepts(schema as JsonObject, value)) continue;
        count += 1;
        if (!accepts(raw, restore(value))) wrong.push(`${name}: ${JSON.stringify(value).slice(0, 200)}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(runs(20, 3));
  });
});

test("imitated providers refuse what the rules name, and nothing that was fitted", () => {
  const chosen = sample(tools, 4);
  for (const provider of ["openai", "anthropic", "gemini-parameters"] as const) {
    const refused = chosen.filter(
      ({ name, raw }) => PROVIDERS[provider]({ name, schema: raw }) !== undefined,
    );
    const named = chosen.filter(({ name, raw }) =>
      findHostFindings([{ server: "shop", definition: { name, inputSchema: raw } }], [provider])
        .filter(({ rule }) => provider !== "gemini-parameters" || /-(?:required|name)$/.test(rule))
        .some(({ facts }) => facts?.effect === "request"),
    );
    expect(named.map(({ name }) => name)).toEqual(refused.map(({ name }) => name));
    const target = provider === "gemini-parameters" ? "gemini" : provider;
    for (const { raw } of chosen) {
      const { schema } = fitSchema(raw, target);
      expect(PROVIDERS[provider]({ name: "tool", schema: schema as JsonObject })).toBeUndefined();
    }
  }
});

test("the AI SDK 6 sends every tool to Gemini", async () => {
  const google = createGoogleGenerativeAI({
    apiKey: "none",
    fetch: () => Promise.reject(new Error("It was sent.")),
  });
  const model = google("gemini-2.5-flash");
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hello" }] }];
  const all = tools.map(({ raw }, at) => {
    return {
      type: "function" as const,
      name: `t${at}`,
      inputSchema: fitSchema(raw, "any").schema as JsonObject,
    };
  });
  await expect(Promise.resolve(model.doGenerate({ prompt, tools: all }))).rejects.toThrow("It was sent.");
});

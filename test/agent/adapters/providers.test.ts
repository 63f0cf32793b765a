/** Schemas, descriptions and warnings of frameworks for a named provider. */
import { asSchema } from "ai-6";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  defineStaticTool,
  toAiSdkTool,
  toAiSdkTools,
  toLangChainTools,
  toMastraTools,
  toOpenAiTools,
  toTanStackTools,
} from "../../../src/agent/index.js";
import { type JsonObject } from "../../../src/core/json.js";
import type { RegisteredTool } from "../../../src/core/tool.js";
import { fakeTool } from "./fake-tool.js";

const withSchema = (name: string, inputSchema: JsonObject): RegisteredTool =>
  fakeTool(name, { annotations: { readOnlyHint: true }, inputSchema: () => inputSchema });

const object = (properties: JsonObject): JsonObject => ({ type: "object", properties });

const POINT = { type: "array", prefixItems: [{ type: "number" }], items: {}, uniqueItems: true };
const ANY = ["string", "number", "boolean", "object"];
const shared = { required: ["target"], additionalProperties: false };

const PROPERTIES = {
  "page[size]": { type: ["integer", "null"], exclusiveMinimum: 0 },
  target: { oneOf: [{ type: "string", pattern: "^(?!a)" }, { $ref: "#/$defs/point" }] },
  level: { const: 1 },
  any: { description: "Anything." },
};
const AS_IS = { ...object(PROPERTIES), ...shared, $defs: { point: POINT } };
const { "page[size]": size, target, ...others } = PROPERTIES;
const FOR_ANTHROPIC = { ...AS_IS, properties: { page_size: size, target, ...others } };
const union = { oneOf: [{ type: "string" }, { $ref: "#/$defs/point" }] };
const FOR_OPENAI = { ...AS_IS, properties: { ...PROPERTIES, target: union } };
const FOR_ANY = { ...AS_IS, properties: { page_size: size, target: union, ...others } };
const FOR_GEMINI_PARAMETERS = {
  type: "object",
  properties: {
    "page[size]": { type: "integer", minimum: 1, nullable: true },
    target: {
      anyOf: [
        { type: "string", pattern: "^(?!a)" },
        { type: "array", items: { type: "number" } },
      ],
    },
    level: { type: "number", enum: ["1"], format: "enum" },
    any: { description: "Anything.", anyOf: ANY.map((type) => ({ type })) },
  },
  required: ["target"],
};
const FOR_AI_SDK_GOOGLE = {
  ...AS_IS,
  properties: {
    "page[size]": size,
    target: { anyOf: [{ type: "string", pattern: "^(?!a)" }, { $ref: "#/$defs/point" }] },
    level: { const: 1, type: "number" },
    any: { description: "Anything.", type: ANY },
  },
  $defs: { point: { ...POINT, items: { type: ANY } } },
};

const RAW: JsonObject = {
  ...object(PROPERTIES),
  ...shared,
  $defs: { point: { type: "array", prefixItems: [{ type: "number" }], uniqueItems: true } },
};

type ModelProvider = "openai" | "anthropic" | "google";
type SchemaOf = (tool: RegisteredTool, provider?: ModelProvider) => Promise<unknown>;

const FRAMEWORKS: Readonly<Record<string, SchemaOf>> = {
  LangChain: async (tool, provider) => {
    const [schema] = await toLangChainTools([tool], (_, fields) => fields.schema, { provider });
    return schema;
  },
  Mastra: async (tool, provider) => {
    const made = await toMastraTools([tool], (fields) => fields.inputSchema, { provider });
    return made[tool.name];
  },
  TanStack: async (tool, provider) => (await toTanStackTools([tool], { provider }))[0]?.inputSchema,
  "AI SDK": async (tool, provider) => {
    const made = (await toAiSdkTools([tool], { provider }))[tool.name];
    return made && asSchema(made.inputSchema).jsonSchema;
  },
};

test.each<[framework: string, provider: ModelProvider | undefined, schema: unknown]>([
  ...Object.keys(FRAMEWORKS).flatMap((framework): [string, ModelProvider | undefined, unknown][] => [
    [framework, undefined, FOR_ANY],
    [framework, "openai", FOR_OPENAI],
    [framework, "anthropic", FOR_ANTHROPIC],
  ]),
  ["LangChain", "google", FOR_GEMINI_PARAMETERS],
  ["Mastra", "google", FOR_AI_SDK_GOOGLE],
  ["AI SDK", "google", FOR_AI_SDK_GOOGLE],
  ["TanStack", "google", AS_IS],
])("%s fits schemas for the provider %s", async (framework, provider, schema) => {
  expect(await FRAMEWORKS[framework]?.(withSchema("list", RAW), provider)).toEqual(schema);
});

test("a single tool for the AI SDK is fitted too", () => {
  const shape = {
    "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) },
  } as const;
  const tool = defineStaticTool({
    name: "list",
    description: "Lists.",
    input: shape,
    inputSchema: object({ target: { oneOf: [{ type: "string" }] } }),
    execute: () => 1,
  });
  const { inputSchema } = toAiSdkTool(tool, { provider: "google" });
  expect(asSchema(inputSchema).jsonSchema).toEqual(object({ target: { anyOf: [{ type: "string" }] } }));
});

test("for OpenAI, a long description continues in the schema, as from `toOpenAiTools`", async () => {
  const description = "word ".repeat(300);
  const tool = fakeTool("long", { description });
  const [direct] = await toOpenAiTools([tool]);
  const sent = await toLangChainTools([tool], (_, fields) => fields, { provider: "openai" });
  expect(sent).toEqual([
    { name: "long", description: direct?.function.description, schema: direct?.function.parameters },
  ]);
  expect(sent[0]?.description.length).toBeLessThanOrEqual(1_024);
  expect((await toLangChainTools([tool], (_, fields) => fields))[0]?.description).toBe(description);
});

test.each([
  ["openai", 129, ["OpenAI refuses more than 128 tools, and there are 129: exclude some, or use a toolset."]],
  ["openai", 128, []],
  ["anthropic", 600, []],
  [
    "google",
    513,
    ["Gemini (parameters) refuses more than 512 tools, and there are 513: exclude some, or use a toolset."],
  ],
  [undefined, 600, []],
] as const)(
  "provider %s with %i tools: a warning if they are too many",
  async (provider, count, warnings) => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    onTestFinished(() => {
      warned.mockRestore();
    });
    const many = Array.from({ length: count }, (_, at) => fakeTool(`t${at}`));
    expect(await toLangChainTools(many, (_, { name }) => name, { provider })).toHaveLength(count);
    expect(warned.mock.calls.map(([message]) => message)).toEqual(warnings);
  },
);

test("an unknown provider is refused, and the message names the others", async () => {
  const provider = "gemini" as "google";
  const problem = {
    code: "USAGE",
    message: expect.stringContaining('invalid provider: "gemini"') as string,
    hint: 'Use one of "openai", "anthropic", "google".',
  };
  await expect(toLangChainTools([], () => 1, { provider })).rejects.toMatchObject(problem);
  await expect(toAiSdkTools([], { provider })).rejects.toMatchObject(problem);
});

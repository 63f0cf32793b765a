/** Every way to show a tool to a model omits what Zod adds to JSON Schema and no model needs. */
import { asSchema } from "ai-7";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { tokenText } from "../../src/core/model-schema.js";
import { defineStaticTool, toAiSdkTools, toAnthropicTools, toOpenAiTools } from "../../src/agent/index.js";
import { createRegistry } from "../../src/agent/registry/create-registry.js";
import { createToolset } from "../../src/agent/toolset/create-toolset.js";
import { type Registry } from "../../src/agent/registry/registry.js";
import { offerDirectly } from "../../src/serve/offer-directly.js";

const input = z.object({
  page: z.int().describe("Which page."),
  perPage: z.int().min(1).max(100).optional(),
  parents: z.array(z.int().positive()),
  limits: z.union([z.object({ most: z.int() }), z.null()]),
});
const tool = defineStaticTool({
  name: "list-posts",
  description: "Lists posts.",
  input,
  annotations: { readOnlyHint: true },
  execute: () => ({ total: 0 }),
});

/** As Zod writes it, and as models see it. */
const RAW = z.toJSONSchema(input, { io: "input" });
const SHOWN = {
  type: "object",
  properties: {
    page: { type: "integer", description: "Which page." },
    perPage: { type: "integer", minimum: 1, maximum: 100 },
    parents: { type: "array", items: { type: "integer", exclusiveMinimum: 0 } },
    limits: {
      anyOf: [
        { type: "object", properties: { most: { type: "integer" } }, required: ["most"] },
        { type: "null" },
      ],
    },
  },
  required: ["page", "parents", "limits"],
};

let registry: Registry;
beforeAll(() => {
  registry = createRegistry({ static: [tool] });
});

const PATHS: Readonly<Record<string, () => Promise<unknown>>> = {
  "OpenAI's chat": async () => (await toOpenAiTools(registry))[0]?.function.parameters,
  "OpenAI's responses": async () => (await toOpenAiTools(registry, { api: "responses" }))[0]?.parameters,
  Anthropic: async () => (await toAnthropicTools(registry))[0]?.input_schema,
  "the AI SDK": async () => asSchema((await toAiSdkTools(registry))["list-posts"]?.inputSchema).jsonSchema,
  "a toolset": async () => (await describeTool())?.["inputSchema"],
  "serve --direct": async () => (await offerDirectly(registry, {}).list([]))[0]?.inputSchema,
  "the count of tokens": () => {
    const text = tokenText({ name: "list-posts", inputSchema: JSON.parse(JSON.stringify(RAW)) as never });
    return Promise.resolve((JSON.parse(text) as { readonly inputSchema: unknown }).inputSchema);
  },
};

async function describeTool(): Promise<Readonly<Record<string, unknown>> | undefined> {
  const answer = await createToolset(registry).answer("describe_tools", {
    tools: ["list-posts"],
    format: "schema",
  });
  const [described] = (answer.structuredContent as { readonly tools: readonly Record<string, unknown>[] })
    .tools;
  return described;
}

test("Zod adds $schema and bounds to the schema", () => {
  expect(JSON.stringify(RAW)).toMatch(/\$schema.*-9007199254740991.*9007199254740991/s);
});

describe("an input schema has neither", () => {
  test.each(Object.entries(PATHS))("in %s", async (_path, read) => {
    expect(await read()).toEqual(SHOWN);
  });
});

test("a signature does not mention the bounds", async () => {
  const answer = await createToolset(registry).answer("describe_tools", { tools: ["list-posts"] });
  expect(JSON.stringify(answer)).toContain("integer");
  expect(JSON.stringify(answer)).not.toContain("9007199254740991");
});

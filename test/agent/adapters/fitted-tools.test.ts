/** What the adapters send fits the provider, and calls reach the tool with its own names. */
import { asSchema } from "ai-6";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import {
  callAnthropicTools,
  callOpenAiTools,
  defineStaticTool,
  toAiSdkTool,
  toAiSdkTools,
  toAnthropicTools,
  toGeminiTools,
  toLangChainTools,
  toMastraTools,
  toOpenAiAgentTools,
  toOpenAiTools,
  toTanStackTools,
} from "../../../src/agent/index.js";
import type { RegisteredTool } from "../../../src/core/tool.js";
import type { JsonObject } from "../../../src/core/json.js";
import { fakeTool, READS } from "./fake-tool.js";

const withSchema = (name: string, inputSchema: JsonObject): RegisteredTool =>
  fakeTool(name, { ...READS, inputSchema: () => inputSchema });

const object = (properties: JsonObject): JsonObject => ({ type: "object", properties });

const list = withSchema("list", {
  type: "object",
  properties: { "page[size]": { type: "integer" }, ids: { type: "array" } },
  required: ["page[size]", "ghost"],
});
const SENT = {
  type: "object",
  properties: { page_size: { type: "integer" }, ids: { type: "array", items: {} }, ghost: {} },
  required: ["page_size", "ghost"],
};
const bad = withSchema("bad", { type: "array", items: {} });

test("Anthropic gets other names for properties, and OpenAI the tool's own", async () => {
  expect((await toAnthropicTools([list]))[0]?.input_schema).toEqual(SENT);
  const [tool] = await toOpenAiTools([list]);
  expect(Object.keys(tool?.function.parameters["properties"] as object)).toEqual([
    "page[size]",
    "ids",
    "ghost",
  ]);
});

test("strict mode, where the schema allows it; nulls that the model fills in are removed", async () => {
  const properties = { id: { type: "integer" }, note: { type: "string" } };
  const closed = withSchema("closed", { ...object(properties), required: ["id"] });
  const open = withSchema("open", { type: "object", additionalProperties: { type: "string" } });
  const [strict, loose] = await toOpenAiTools([closed, open], { api: "responses", strict: true });
  expect(strict).toMatchObject({ strict: true, parameters: { required: ["id", "note"] } });
  expect(loose).toMatchObject({ strict: false, parameters: { additionalProperties: { type: "string" } } });
  const [chat, plain] = await toOpenAiTools([closed, open], { strict: true });
  expect(chat?.function.strict).toBe(true);
  expect(plain?.function).not.toHaveProperty("strict");
  const call = { id: "1", function: { name: "closed", arguments: '{"id":1,"note":null}' } };
  const [message] = await callOpenAiTools([closed], [call], { strict: true });
  expect(JSON.parse(message?.content ?? "")).toEqual({ id: 1 });
});

test("a tool that no provider takes is left out, and the others are sent", async () => {
  const events: unknown[] = [];
  const logger = (event: string, { tool, provider, reason }: { readonly [name: string]: unknown }): void => {
    events.push([event, tool, provider, reason]);
  };
  expect((await toAnthropicTools([bad, list], { logger })).map(({ name }) => name)).toEqual(["list"]);
  const [declared] = await toGeminiTools([bad, list], { logger });
  expect(declared?.functionDeclarations.map(({ name }) => name)).toEqual(["list"]);
  expect(await toOpenAiAgentTools([bad], { logger })).toEqual([]);
  const reason = 'the input has the type "array", and arguments are an object';
  const refused = (provider: string) => ["tool.schema.refused", "bad", provider, reason];
  expect(events).toEqual(["anthropic", "gemini", "openai"].map(refused));
});

test("an event names the rules for which the model sees less", async () => {
  const events: unknown[] = [];
  const matching = withSchema("match", object({ email: { type: "string", pattern: "^(?!a)" } }));
  await toOpenAiTools([matching], { logger: (event, { rules }) => events.push([event, rules]) });
  expect(events).toEqual([["tool.schema.reduced", ["openai-lookaround"]]]);
});

test("invalid input is answered with the property that the model probably meant", async () => {
  const input = z.object({ title: z.string("Required property is missing") });
  const issues = [{ message: "Required property is missing", path: ["title"] }];
  const error = { code: "TOOL_INVALID_INPUT", message: "Invalid.", retryable: false, issues } as const;
  const named = fakeTool("write", {
    ...{ ...READS, input, inputSchema: () => ({ type: "object", properties: { title: {} } }) },
    call: () => Promise.resolve({ ok: false, error: { ...error, tool: "write", server: "" } }),
  });
  const meant = 'Required property is missing. You sent "titel": did you mean "title"?';
  const use = { type: "tool_use", id: "1", name: "write", input: { titel: "Rolls" } };
  const [answer] = await callAnthropicTools([named], [use]);
  const [part] = answer?.content ?? [];
  expect(part?.type === "text" && JSON.parse(part.text)).toMatchObject({
    error: "TOOL_INVALID_INPUT",
    issues: [{ path: "title", message: meant }],
  });
  const { write } = await toAiSdkTools([named]);
  const judged = await (write && asSchema(write.inputSchema).validate?.(use.input));
  expect(judged).toMatchObject({ success: false, error: { message: `title: ${meant}` } });
});

const RENAMED = { page_size: { type: "integer" } };
const BRACKETS = { "page[size]": { type: "integer" } };
const LOOKAHEAD = { type: "string", pattern: "^(?!a)" };
const ONE = { target: { oneOf: [LOOKAHEAD] } };
const ANY = { target: { anyOf: [LOOKAHEAD] } };
const PLAIN = { target: { oneOf: [{ type: "string" }] } };
const LEVEL = { level: { const: 1 } };
const AS_IS = object({ ...BRACKETS, ...ONE, ...LEVEL });
const FOR_ANTHROPIC = object({ ...RENAMED, ...ONE, ...LEVEL });
const FOR_OPENAI = object({ ...BRACKETS, ...PLAIN, ...LEVEL });
const FOR_ANY = object({ ...RENAMED, ...PLAIN, ...LEVEL });
const STRING_LEVEL = { level: { type: "number", enum: ["1"], format: "enum" } };
const FOR_GEMINI_PARAMETERS = object({ ...BRACKETS, target: LOOKAHEAD, ...STRING_LEVEL });
const FOR_AI_SDK_GOOGLE = object({ ...BRACKETS, ...ANY, level: { const: 1, type: "number" } });

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
  expect(await FRAMEWORKS[framework]?.(withSchema("list", AS_IS), provider)).toEqual(schema);
});

test("a single tool for the AI SDK is fitted too", () => {
  const schema = object({ target: { oneOf: [{ type: "string" }] } });
  const tool = defineStaticTool({ name: "list", inputSchema: schema, execute: () => 1 });
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
  ["google", 513, ["Gemini (parameters) refuses more than 512 tools, and there are 513: exclude some, or use a toolset."]], // prettier-ignore
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
  const message = expect.stringContaining('invalid provider: "gemini"') as string;
  const problem = { code: "USAGE", message, hint: 'Use one of "openai", "anthropic", "google".' };
  await expect(toLangChainTools([], () => 1, { provider })).rejects.toMatchObject(problem);
  await expect(toAiSdkTools([], { provider })).rejects.toMatchObject(problem);
});

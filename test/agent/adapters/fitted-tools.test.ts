/** What the adapters send fits the provider, and calls reach the tool with its own names. */
import { asSchema } from "ai-6";
import { expect, test } from "vitest";
import * as z from "zod";
import {
  callAnthropicTools,
  callOpenAiTools,
  toAiSdkTools,
  toAnthropicTools,
  toGeminiTools,
  toOpenAiAgentTools,
  toOpenAiTools,
} from "../../../src/agent/index.js";
import type { RegisteredTool } from "../../../src/core/tool.js";
import type { JsonObject } from "../../../src/core/json.js";
import { fakeTool } from "./fake-tool.js";

const READS = { annotations: { readOnlyHint: true } } as const;
const withSchema = (name: string, inputSchema: JsonObject): RegisteredTool =>
  fakeTool(name, { ...READS, inputSchema: () => inputSchema });

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
  const closed = withSchema("closed", {
    type: "object",
    properties: { id: { type: "integer" }, note: { type: "string" } },
    required: ["id"],
  });
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
  expect(
    (await toGeminiTools([bad, list], { logger }))[0]?.functionDeclarations.map(({ name }) => name),
  ).toEqual(["list"]);
  expect(await toOpenAiAgentTools([bad], { logger })).toEqual([]);
  const reason = 'the input has the type "array", and arguments are an object';
  expect(events).toEqual(
    ["anthropic", "gemini", "openai"].map((provider) => [
      "tool.schema.refused",
      ...["bad", provider, reason],
    ]),
  );
});

test("an event names the rules for which the model sees less", async () => {
  const events: unknown[] = [];
  const matching = withSchema("match", {
    type: "object",
    properties: { email: { type: "string", pattern: "^(?!a)" } },
  });
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

import { beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { createRegistry, createToolset, toAiSdkTools } from "../../../src/agent/index.js";
import { connectTools, defineTool } from "../../../src/runtime/define-tool.js";
import { defineServer } from "../../../src/runtime/tool.js";
import { callAnthropic } from "./adapters.js";
import { fixtureCommand } from "../../servers/start-fixture.js";

const server = defineServer({ name: "raw", ...fixtureCommand("raw-answers") });
const APPROVED = { approval: "none" } as const;
const PNG = "iVBORw0KGgo=";
const data = '{"name":"x"}';
const image = { type: "image", data: PNG, mimeType: "image/png" };
const link = { type: "resource_link", uri: "https://x.example/a.pdf", name: "a.pdf" };
const audio = { type: "audio", data: PNG, mimeType: "audio/wav" };
const embedded = {
  type: "resource",
  resource: { uri: "file:///n.txt", mimeType: "text/plain", text: "embedded" },
};
const chart = { type: "text", text: "a chart" };

const registry = createRegistry({ servers: [server] });
beforeAll(() => registry.getTools());

/** The tool with an output schema, without one, and with a type that was learned. */
const tools = connectTools(server, {
  structured: defineTool({
    server,
    name: "structured",
    input: z.looseObject({}),
    output: z.looseObject({}),
    inputSchema: () => ({ type: "object" }),
  }),
  plain: defineTool({
    server,
    name: "plain",
    input: z.looseObject({}),
    inputSchema: () => ({ type: "object" }),
  }),
});
const learned = connectTools(server, {
  plain: defineTool({
    server,
    name: "plain",
    input: z.looseObject({}),
    output: z.object({ name: z.string() }),
    observed: 3,
    inputSchema: () => ({ type: "object" }),
  }),
});

const rawOf = (content: readonly object[], structuredContent?: unknown): { raw: string } => ({
  raw: JSON.stringify({ content, structuredContent }),
});

const TEXT = (text: string): object => ({ type: "text", text });
const IMAGE = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } };

test.each([
  ["an output schema", tools, "structured", [TEXT(data), IMAGE]],
  ["no output schema", tools, "plain", [TEXT("a chart"), IMAGE, TEXT(data)]],
  ["a learned type", learned, "plain", [TEXT(data), IMAGE]],
] as const)("an image beside structured content reaches models, with %s", async (_, source, name, parts) => {
  const input = rawOf([chart, image], { name: "x" });
  const result = await callAnthropic(source, name, input, APPROVED);
  expect(result.written).toEqual(parts);
});

test("an answer without other blocks stays JSON for the AI SDK", async () => {
  const sdk = (await toAiSdkTools(tools, APPROVED))["structured"];
  const output = await sdk?.execute(rawOf([TEXT(data)], { name: "x" }), { toolCallId: "1" });
  expect(sdk?.toModelOutput?.({ toolCallId: "1", output })).toEqual({ type: "json", value: { name: "x" } });
  expect(sdk?.toModelOutput?.(output)).toEqual({ type: "json", value: { name: "x" } });
  // A conversation that was stored has only the value.
  expect(sdk?.toModelOutput?.({ name: "stored" })).toEqual({ type: "json", value: { name: "stored" } });
});

test("links, audio and embedded texts beside structured content are named or shown", async () => {
  const input = rawOf([TEXT(data), link, audio, embedded], { name: "x" });
  for (const name of ["structured", "plain"]) {
    const result = await callAnthropic(tools, name, input, APPROVED);
    const expected = [data, "[a.pdf: https://x.example/a.pdf]", "[audio/wav: cannot be shown]", "embedded"];
    expect(result.written).toEqual(expected.map(TEXT));
  }
  const toolset = createToolset(registry, { policy: { writes: true } });
  const answer = await toolset.answer("execute", { tool: "raw__structured", args: input });
  expect(answer.content.slice(1)).toEqual([link, audio, embedded]);
});

test.each([
  [
    "a summary",
    [TEXT("list_projects returned 6 items.")],
    { projects: [1] },
    ["list_projects returned 6 items.", '{"projects":[1]}'],
  ],
  ["the same JSON, with spaces", [TEXT('{ "projects": [1] }')], { projects: [1] }, ['{ "projects": [1] }']],
  ["the only member of the data", [TEXT("done")], { result: "done" }, ["done"]],
  ["the only member of the data, as JSON", [TEXT("[1,2]")], { result: [1, 2] }, ["[1,2]"]],
  [
    "one of two members of the data",
    [TEXT("done")],
    { result: "done", id: 1 },
    ["done", '{"result":"done","id":1}'],
  ],
  ["nothing", [], { projects: [1] }, ['{"projects":[1]}']],
  ["empty data", [TEXT("done")], {}, ["done"]],
  ["null", [TEXT("done")], null, ["done"]],
  ["a list", [TEXT("2 items")], [1, 2], ["2 items", "[1,2]"]],
] as const)(
  "without an output schema, a text does not hide the data: %s",
  async (_, content, structured, parts) => {
    const input = rawOf(content, structured);
    const result = await callAnthropic(tools, "plain", input, APPROVED);
    expect(result.written).toEqual(parts.map(TEXT));
  },
);

const failure = (content: readonly object[], structuredContent?: unknown): { raw: string } => ({
  raw: JSON.stringify({ content, structuredContent, isError: true }),
});

test.each([
  [
    "structured content alone",
    failure([], { code: "RATE_LIMITED", retry_after: 30 }),
    '{"code":"RATE_LIMITED","retry_after":30}',
  ],
  ["a text and structured content", failure([TEXT("refused")], { code: 42 }), 'refused\n{"code":42}'],
  ["a text that repeats structured content", failure([TEXT('{"code":42}')], { code: 42 }), '{"code":42}'],
  ["the only member as a text", failure([TEXT("refused")], { error: "refused" }), "refused"],
  ["an empty text and structured content", failure([TEXT(" ")], { code: 42 }), '{"code":42}'],
  ["an embedded text", failure([embedded]), "embedded"],
  ["nothing", failure([]), "it gives no reason"],
  ["empty structured content", failure([TEXT("")], {}), "it gives no reason"],
  ["null", failure([], null), "it gives no reason"],
  [
    "digits",
    { raw: '{"content":[],"isError":true,"structuredContent":{"Id":1234567890123456789}}' },
    '{"Id":1234567890123456789}',
  ],
])("the reason of a failure is read from %s", async (_, input, reason) => {
  for (const tool of [tools.structured, tools.plain, learned.plain]) {
    const result = await tool.safe(input);
    const name = tool.definition.name;
    expect(result.ok ? undefined : result.error.message).toBe(`Tool "${name}" failed: ${reason}`);
  }
  const result = await callAnthropic(tools, "plain", input, APPROVED);
  expect(result.isError).toBe(true);
  expect(JSON.parse(result.text)).toMatchObject({ message: `Tool "plain" failed: ${reason}` });
});

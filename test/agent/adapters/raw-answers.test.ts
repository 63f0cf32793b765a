import { beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { callOpenAiTools, createRegistry, createToolset, toAiSdkTools } from "../../../src/agent/index.js";
import { offerDirectly } from "../../../src/serve/offer-directly.js";
import { lockedTool } from "../registry/fake-server.js";
import { connectTools, defineTool } from "../../../src/runtime/define-tool.js";
import { defineServer } from "../../../src/runtime/tool.js";
import { callAnthropic } from "./adapters.js";
import { fixtureCommand } from "../../servers/start-fixture.js";

const server = defineServer({ name: "raw", ...fixtureCommand("raw-answers") });
const APPROVED = { approval: "none" } as const;
const READS = { annotations: { readOnlyHint: true } };
const PNG = "iVBORw0KGgo=";
const data = '{"name":"x"}';
const image = { type: "image", data: PNG, mimeType: "image/png" };
const resource = { uri: "file:///n.txt", mimeType: "text/plain", text: "embedded" };
const embedded = { type: "resource", resource };
const chart = { type: "text", text: "a chart" };

const registry = createRegistry({ servers: [server] });
beforeAll(() => registry.getTools());

/** The tool with an output schema, without one, and with a type that was learned. */
const { definition } = lockedTool(server, "plain");
const tools = connectTools(server, {
  structured: defineTool({ ...definition, name: "structured", output: z.looseObject({}) }),
  plain: lockedTool(server, "plain"),
});
const learned = connectTools(server, {
  plain: defineTool({ ...definition, output: z.object({ name: z.string() }), observed: 3 }),
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

test.each([
  ["a summary", [TEXT("It has 6 items.")], { projects: [1] }, ["It has 6 items.", '{"projects":[1]}']],
  ["the same JSON, with spaces", [TEXT('{ "projects": [1] }')], { projects: [1] }, ['{ "projects": [1] }']],
  ["the only member of the data", [TEXT("done")], { result: "done" }, ["done"]],
  ["the only member of the data, as JSON", [TEXT("[1,2]")], { result: [1, 2] }, ["[1,2]"]],
  ["one of two members", [TEXT("done")], { result: "done", id: 1 }, ["done", '{"result":"done","id":1}']],
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
  ["structured content alone", failure([], { code: "LIMITED", retry: 30 }), '{"code":"LIMITED","retry":30}'],
  ["a text and structured content", failure([TEXT("refused")], { code: 42 }), 'refused\n{"code":42}'],
  ["a text that repeats structured content", failure([TEXT('{"code":42}')], { code: 42 }), '{"code":42}'],
  ["the only member as a text", failure([TEXT("refused")], { error: "refused" }), "refused"],
  ["an empty text and structured content", failure([TEXT(" ")], { code: 42 }), '{"code":42}'],
  ["an embedded text", failure([embedded]), "embedded"],
  ["nothing", failure([]), "it gives no reason"],
  ["empty structured content", failure([TEXT("")], {}), "it gives no reason"],
  ["null", failure([], null), "it gives no reason"],
  ["digits", { raw: '{"content":[],"isError":true,"structuredContent":{"Id":1234567890123456789}}' }, '{"Id":1234567890123456789}'], // prettier-ignore
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

const ID = "1234567890123456789";
const STRUCTURED = {
  raw: `{"content":[{"type":"text","text":"{\\"Id\\":${ID}}"}],"structuredContent":{"Id":${ID}}}`,
};
const NESTED = { raw: `{"content":[],"structuredContent":{"rows":[{"id":1},{"id":${ID}},{"big":1e400}]}}` };

interface Told {
  readonly events: [string, unknown][];
  readonly warnings: string[];
}

function open(): { registry: ReturnType<typeof createRegistry>; told: Told } {
  const told: Told = { events: [], warnings: [] };
  const logger = (event: string, fields: { readonly [name: string]: unknown }): void => {
    if (event.startsWith("tool.output")) told.events.push([event, fields["places"]]);
  };
  const onWarning = (message: string): void => void told.warnings.push(message);
  const connection = connectTools(server, {}, { logger, onWarning });
  return { registry: createRegistry({ servers: [connection] }), told };
}

test.each([
  ["structured content", "structured", STRUCTURED, ["/Id"]],
  ["JSON as text, by its schema", "structured", { raw: `{"content":[{"type":"text","text":"{\\"Id\\":${ID}}"}]}` }, ["/Id"]], // prettier-ignore
  ["structured content without a schema", "plain", STRUCTURED, ["/Id"]],
  ["several places", "plain", NESTED, ["/rows/*/id", "/rows/*/big"]],
  ["numbers that JavaScript holds", "plain", { raw: '{"content":[],"structuredContent":{"n":9007199254740991}}' }, undefined], // prettier-ignore
] as const)("%s of %s: the rounded numbers are an event and a warning", async (_, tool, input, places) => {
  const { registry, told } = open();
  const result = await registry.call(`raw__${tool}`, input);
  expect(result).toMatchObject({ ok: true });
  expect(told.events).toEqual(places === undefined ? [] : [["tool.output.rounded_numbers", places]]);
  expect(told.warnings).toEqual(
    places === undefined
      ? []
      : [expect.stringContaining(`rounds, at ${places.map((place) => `"${place}"`).join(", ")}.`)],
  );
});

test("a text is reported when the program parses it", async () => {
  const { registry, told } = open();
  const result = await registry.call("raw__plain", { raw: `{"content":[{"type":"text","text":"[${ID}]"}]}` });
  expect(told.warnings).toEqual([]);
  if (result.ok) (result.value as { json(): unknown }).json();
  expect(told.events).toEqual([["tool.output.rounded_numbers", ["/*"]]]);
  expect(told.warnings).toHaveLength(1);
});

test("a toolset and tools that are served directly answer with the digits of the server", async () => {
  const { registry } = open();
  const policy = { writes: true };
  const toolset = createToolset(registry, { policy });
  const answer = await toolset.answer("execute", { tool: "raw__structured", args: STRUCTURED });
  expect(answer.structuredContent).toMatchObject({ result: { Id: ID } });
  expect(answer.content[0]?.text).toContain(ID);
  const fields = await toolset.answer("execute", { tool: "raw__plain", args: NESTED, fields: ["rows.id"] });
  expect(JSON.stringify(fields)).toContain(ID);
  // Also where clients would round them.
  const offer = offerDirectly(registry, { policy });
  for (const name of ["raw__structured", "raw__plain"]) {
    const direct = await offer.answer(name, STRUCTURED);
    expect(direct.structuredContent).toEqual({ Id: ID });
    expect(direct.content[0]?.text).toBe(`{"Id":${ID}}`);
  }
  expect(await offer.answer("raw__take", { id: Number(ID) })).toMatchObject({ isError: true });
});

test("a text names the numbers whose digits are not known", async () => {
  const structuredContent = { rows: [{ id: 1234567890123456800 }] };
  const client = { callTool: () => Promise.resolve({ content: [], structuredContent }) };
  const options = { client, onWarning: () => undefined };
  const connection = connectTools(server, { plain: lockedTool(server, "plain", READS) }, options);
  const { text } = await callAnthropic(connection, "plain", { raw: "" }, APPROVED);
  expect(text.split("\n")).toEqual([
    '{"rows":[{"id":1234567890123456800}]}',
    '[These numbers are rounded, so do not use them as IDs: "/rows/*/id"]',
  ]);
});

// Each of these would reach the server as another number.
test.each([
  ["an ID", `{"id":${ID}}`, "id"],
  ["an ID inside", `{"any":[{"x":${ID}}]}`, "any.0.x"],
  ["an infinite number", '{"any":1e400}', "any"],
  ["a long decimal", '{"ids":[0.1000000000000000055]}', "ids.0"],
] as const)("arguments as JSON text with %s are refused before anything is sent", async (_, json, path) => {
  const { registry } = open();
  const called = { id: "1", function: { name: "raw__take", arguments: json } };
  const [message] = await callOpenAiTools(registry, [called], APPROVED);
  const refused = { error: "TOOL_INVALID_INPUT", retryable: false, issues: [{ path }] };
  expect(JSON.parse(message?.content ?? "")).toMatchObject(refused);
  expect(message?.content).toContain("cannot be sent without losing precision");
  const toolset = createToolset(registry, { policy: { writes: true } });
  const answer = await toolset.answer("execute", { tool: "raw__take", args: json });
  expect(answer.structuredContent).toMatchObject({ error: "VALIDATION_ERROR" });
  expect(JSON.stringify(answer.structuredContent)).toContain("cannot be sent without losing precision");
});

import { expect, test } from "vitest";
import { connectTools, defineTool } from "../../../src/runtime/define-tool.js";
import { defineServer } from "../../../src/runtime/tool.js";
import { offerDirectly } from "../../../src/serve/offer-directly.js";
import { callOpenAiTools, createRegistry, createToolset } from "../../../src/agent/index.js";
import { callAnthropic } from "./adapters.js";
import { fixtureCommand } from "../../servers/start-fixture.js";

const server = defineServer({ name: "raw", ...fixtureCommand("raw-answers") });
const APPROVED = { approval: "none" } as const;
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
  [
    "JSON as text, by its schema",
    "structured",
    { raw: `{"content":[{"type":"text","text":"{\\"Id\\":${ID}}"}]}` },
    ["/Id"],
  ],
  ["structured content without a schema", "plain", STRUCTURED, ["/Id"]],
  ["several places", "plain", NESTED, ["/rows/*/id", "/rows/*/big"]],
  [
    "numbers that JavaScript holds",
    "plain",
    { raw: '{"content":[],"structuredContent":{"n":9007199254740991}}' },
    undefined,
  ],
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

test("a toolset answers with the digits of the server", async () => {
  const { registry } = open();
  const toolset = createToolset(registry, { policy: { writes: true } });
  const answer = await toolset.answer("execute", { tool: "raw__structured", args: STRUCTURED });
  expect(answer.structuredContent).toMatchObject({ result: { Id: ID } });
  expect(answer.content[0]?.text).toContain(ID);
  const fields = await toolset.answer("execute", { tool: "raw__plain", args: NESTED, fields: ["rows.id"] });
  expect(JSON.stringify(fields)).toContain(ID);
});

test("tools that are served directly answer with the digits, also where clients would round them", async () => {
  const { registry } = open();
  const offer = offerDirectly(registry, { policy: { writes: true } });
  for (const name of ["raw__structured", "raw__plain"]) {
    const answer = await offer.answer(name, STRUCTURED);
    expect(answer.structuredContent).toEqual({ Id: ID });
    expect(answer.content[0]?.text).toBe(`{"Id":${ID}}`);
  }
  expect(await offer.answer("raw__take", { id: Number(ID) })).toMatchObject({ isError: true });
});

test("a text names the numbers whose digits are not known", async () => {
  const client = {
    callTool: () =>
      Promise.resolve({ content: [], structuredContent: { rows: [{ id: 1234567890123456800 }] } }),
  };
  const connection = connectTools(server, { plain }, { client, onWarning: () => undefined });
  const { text } = await callAnthropic(connection, "plain", { raw: "" }, APPROVED);
  expect(text.split("\n")).toEqual([
    '{"rows":[{"id":1234567890123456800}]}',
    '[These numbers are rounded, so do not use them as IDs: "/rows/*/id"]',
  ]);
});

const plain = defineTool({
  server,
  name: "plain",
  annotations: { readOnlyHint: true },
  input: { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } },
  inputSchema: () => ({ type: "object" }),
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

test.each([
  ["an integer that was rounded", { id: Number(ID) }, false],
  ["one inside", { any: { list: [Number(ID)] } }, false],
  ["Infinity", { any: Infinity }, false],
  ["NaN", { any: [NaN] }, false],
  ["a round number", { id: 1e18 }, true],
  ["a large number with an exponent", { any: 6.02e23 }, true],
  ["a decimal", { any: 0.1 + 0.2 }, true],
  ["the largest safe integer", { id: Number.MAX_SAFE_INTEGER }, true],
  ["digits in a text", { any: ID }, true],
] as const)("%s as a value: sent %#", async (_, input, isSent) => {
  const { registry } = open();
  const result = await registry.call("raw__take", input);
  expect(result.ok ? "sent" : result.error.code).toBe(isSent ? "sent" : "TOOL_INVALID_INPUT");
});

test("an ID from an answer is not sent to another tool", async () => {
  const { registry } = open();
  const first = await registry.call("raw__structured", STRUCTURED);
  const { Id } = (first.ok ? first.value : {}) as { Id: number };
  const second = await registry.call("raw__take", { id: Id });
  expect(second).toMatchObject({
    ok: false,
    error: { code: "TOOL_INVALID_INPUT", issues: [{ path: ["id"] }] },
  });
});

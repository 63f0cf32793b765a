import { expect, test } from "vitest";
import { connect } from "../../../generated/example/index.js";
import { callOpenAiTools, toOpenAiTools } from "../../../src/agent/index.js";
import { fakeTool } from "./fake-tool.js";
import { bakeryForEach } from "./start-bakery.js";

const bakery = bakeryForEach();

/** What a model may write for the input of get-post. */
const INVALID = ['{"id":', "", "null", '{"id":"one"}'];
const ARGUMENTS = ['{"id":1}', '{"id":99}', ...INVALID];
const ERRORS = [undefined, "TOOL_EXECUTION_FAILED", ...INVALID.map(() => "TOOL_INVALID_INPUT")];

test("tools are functions, which are not strict for the Responses API", async () => {
  const { getPost } = connect({ client: bakery, environment: "sandbox" });
  const parameters = getPost.definition.inputSchema();
  const made = { name: "get-post", description: "[sandbox] Returns one post.", parameters };
  expect(await toOpenAiTools({ getPost })).toEqual([{ type: "function", function: made }]);
  expect(await toOpenAiTools({ getPost }, { api: "responses" })).toEqual([
    { type: "function", ...made, strict: false },
  ]);
});

test("a name or a description that is too long is made to fit, and nothing is lost or sent twice", async () => {
  const description = `${"😀".repeat(300)} and ${"😀".repeat(300)} the end`;
  const [tool] = await toOpenAiTools([fakeTool("a".repeat(65), { description })]);
  expect(tool?.function.name).toMatch(/^a{55}_[0-9a-f]{8}$/);
  expect(tool?.function.description).toBe(`${"😀".repeat(300)} and…`);
  expect(tool?.function.parameters["description"]).toBe(`${"😀".repeat(300)} the end`);
  const [dense] = await toOpenAiTools([fakeTool("a", { description: "😀".repeat(600) })]);
  expect(dense?.function.description).toBe(`${"😀".repeat(511)}…`);
  expect(dense?.function.parameters["description"]).toBe("😀".repeat(89));
});

test("the calls of a message are answered in their order, whatever the model wrote", async () => {
  const site = connect({ client: bakery });
  const ids = ["0", "1", "2", "3", "4", "5", "unknown"];
  const errorOf = (text: unknown): unknown => (JSON.parse(text as string) as { error?: string }).error;
  const calls = [
    ...ARGUMENTS.map((json, at) => call(String(at), "get-post", json)),
    { id: "custom", type: "custom", custom: { name: "get-post", input: "" } },
    call("unknown", "get_post", "{}"),
  ];
  const messages = await callOpenAiTools(site, calls);
  expect(messages.map(({ role, tool_call_id }) => [role, tool_call_id])).toEqual(
    ids.map((id) => ["tool", id]),
  );
  expect(messages.map(({ content }) => errorOf(content))).toEqual([...ERRORS, "TOOL_NOT_FOUND"]);
  const output = [
    { type: "reasoning" },
    ...ARGUMENTS.map((json, at) => item(String(at), "get-post", json)),
    item("unknown", "get_post", "{}"),
  ];
  const items = await callOpenAiTools(site, output, { api: "responses" });
  expect(items.map(({ type, call_id }) => [type, call_id])).toEqual(
    ids.map((id) => ["function_call_output", id]),
  );
  expect(items.map((each) => errorOf(each.output))).toEqual([...ERRORS, "TOOL_NOT_FOUND"]);
  expect(await callOpenAiTools(site, undefined)).toEqual([]);
});

test("calls are aborted together", async () => {
  const calls = ["1", "2"].map((id) => call(id, "get-post", '{"id":1}'));
  const site = connect({ client: bakery });
  for (const { content } of await callOpenAiTools(site, calls, { signal: AbortSignal.abort() }))
    expect(JSON.parse(content)).toMatchObject({ error: "TOOL_UNAVAILABLE" });
});

function call(id: string, name: string, json: string) {
  return { id, type: "function", function: { name, arguments: json } };
}

function item(id: string, name: string, json: string) {
  return { type: "function_call", call_id: id, name, arguments: json };
}

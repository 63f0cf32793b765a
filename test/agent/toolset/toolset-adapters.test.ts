/** A toolset given to each kind of model, with the packages that talk to them. */
import { expect, test } from "vitest";
import {
  callAnthropicTools,
  systemPrompt,
  toAiSdkTools,
  toAnthropicTools,
} from "../../../src/agent/index.js";
import { callAnthropic } from "../adapters/adapters.js";
import { bakeryTools } from "./bakery-tools.js";
import {
  callOpenAiTools,
  toOpenAiTools,
  type OpenAiResponsesOptions,
} from "../../../src/agent/adapters/openai-tools.js";
import type { ToolSession } from "../../../src/agent/toolset/toolset.js";
import { createToolset } from "../../../src/agent/toolset/create-toolset.js";
import { fakeRegistry, shopTools } from "./fake-registry.js";

const NAMES = ["introspect", "search_tools", "describe_tools", "execute", "context"];
const toolset = createToolset(bakeryTools());

test("a model reads what the toolset answers, also of errors", async () => {
  expect((await toAnthropicTools(toolset)).map(({ name }) => name)).toEqual(NAMES);
  const refund = { tool: "refund_order" };
  const disabled = await callAnthropic(toolset, "execute", refund);
  expect(disabled.isError).toBe(true);
  const { structuredContent } = await toolset.answer("execute", refund);
  expect(JSON.parse(disabled.text)).toEqual(structuredContent);
  const wrong = await callAnthropic(toolset, "search_tools", { query: 1 });
  expect(JSON.parse(wrong.text)).toMatchObject({ error: "VALIDATION_ERROR", issues: [{ path: "query" }] });
  const unknown = await callAnthropic(toolset, "refund_order", {});
  expect(JSON.parse(unknown.text)).toMatchObject({
    error: "TOOL_NOT_FOUND",
    message: expect.stringContaining('Call any other tool with execute: pass its name as "tool".') as string,
  });
});

test("a system prompt says how to work with the five, and what there is", async () => {
  const prompt = await systemPrompt(toolset);
  expect(prompt).toContain(
    'There are 6 tools of "blog", "shop". You do not see them. Find them with search_tools',
  );
  expect(prompt).toContain('- "commerce" (2 tools)');
  expect(await systemPrompt(createToolset([]))).toBe("You have no tools.");
});

function open() {
  const registry = fakeRegistry(shopTools());
  return { registry, session: createToolset(registry, { show: "found", core: ["list_order"] }) };
}

/** The content that a call is answered with. */
async function call(
  session: ToolSession,
  name: string,
  input: object,
  options: object = { deferLoading: true },
) {
  const [result] = await callAnthropicTools(session, [{ type: "tool_use", id: "1", name, input }], options);
  return result?.content;
}

test("Anthropic gets all tools in every request, and answers of the search that refer to them", async () => {
  const { registry, session } = open();
  const define = () =>
    toAnthropicTools(session, {
      deferLoading: true,
      cacheControl: { type: "ephemeral" },
      allowedCallers: ({ name }) =>
        name === "shop__create_invoice" ? ["code_execution_20260120"] : undefined,
    });
  const first = await define();
  expect(await call(session, "search_tools", { query: "create an invoice" })).toEqual([
    { type: "tool_reference", tool_name: "shop__create_invoice" },
  ]);
  expect(await call(session, "shop__create_invoice", {})).toEqual([{ type: "text", text: "{}" }]);
  expect(registry.called).toEqual(["shop__create_invoice"]);
  const unknown = [{ type: "text", text: expect.stringContaining("Try other words") as string }];
  expect(await call(session, "search_tools", { query: "xyzzy" })).toEqual(unknown);
  const withoutOption = [{ type: "text" }];
  expect(await call(open().session, "search_tools", { query: "invoice" }, {})).toMatchObject(withoutOption);
  // Equal requests keep the provider's cache.
  expect(await define()).toEqual(first);
  expect(first).toHaveLength(1 + shopTools().length);
  expect(first.filter((tool) => tool.defer_loading === undefined)).toMatchObject([
    { name: "search_tools" },
    { name: "shop__list_order", cache_control: { type: "ephemeral" } },
  ]);
  expect(first.find(({ name }) => name === "shop__create_invoice")).toMatchObject({
    defer_loading: true,
    allowed_callers: ["code_execution_20260120"],
  });
});

test("OpenAI gets a search that this program answers, with the definitions of the found tools", async () => {
  const { registry, session } = open();
  const options: OpenAiResponsesOptions & { readonly deferLoading: true } = {
    ...{ api: "responses", deferLoading: true },
    allowedCallers: () => ["direct"],
  };
  const first = await toOpenAiTools(session, options);
  expect(first).toMatchObject([
    { type: "tool_search", execution: "client", parameters: { properties: { query: {} } } },
    { type: "function", name: "shop__list_order" },
  ]);
  const search = { type: "tool_search_call", call_id: "c1", arguments: { query: "create an invoice" } };
  expect(await callOpenAiTools(session, [search], options)).toEqual([
    {
      ...{ type: "tool_search_output", call_id: "c1", execution: "client", status: "completed" },
      tools: [
        {
          ...{ type: "function", name: "shop__create_invoice", description: "Creates a new invoice." },
          parameters: expect.objectContaining({ type: "object" }) as unknown,
          ...{ strict: false, defer_loading: true, allowed_callers: ["direct"] },
        },
      ],
    },
  ]);
  const call = { type: "function_call", call_id: "c2", name: "shop__create_invoice", arguments: "{}" };
  expect(await callOpenAiTools(session, [call], options)).toEqual([
    { type: "function_call_output", call_id: "c2", output: "{}" },
  ]);
  expect(registry.called).toEqual(["shop__create_invoice"]);
  expect(await toOpenAiTools(session, options)).toEqual(first);
});

test("the AI SDK gets all tools, and a search whose output refers to the found ones", async () => {
  const { session } = open();
  // Without it, the SDK would not see what the session finds.
  await expect(toAiSdkTools(session)).rejects.toThrow(
    "the SDK would not see the tools that the session finds",
  );
  const tools = await toAiSdkTools(session, { deferLoading: true });
  expect(tools["shop__create_invoice"]?.providerOptions).toEqual({ anthropic: { deferLoading: true } });
  expect(tools["shop__list_order"]?.providerOptions).toBeUndefined();
  const search = tools["search_tools"];
  const output = await search?.execute({ query: "create an invoice" }, { toolCallId: "1" });
  expect(search?.toModelOutput?.({ toolCallId: "1", output })).toEqual({
    type: "content",
    value: [
      {
        type: "custom",
        providerOptions: { anthropic: { type: "tool-reference", toolName: "shop__create_invoice" } },
      },
    ],
  });
});

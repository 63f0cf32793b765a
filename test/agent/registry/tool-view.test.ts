/** What tools for models may come from, and which environment their calls go to. */
import { expect, test } from "vitest";
import * as servers from "../../../generated/index.js";
import * as example from "../../../generated/example/index.js";
import * as agent from "../../../src/agent/index.js";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import type { ToolSource } from "../../../src/agent/registry/registry.js";
import { createToolset } from "../../../src/agent/index.js";
import { createCodeTools } from "../../../src/code-mode/create-code-tools.js";
import { offerDirectly, offerOf } from "../../../src/serve/offer-directly.js";
import { defineServer } from "../../../src/runtime/index.js";
import { lockedTool } from "./fake-server.js";
import { fakeTool } from "../adapters/fake-tool.js";
import { bakeryForEach } from "../adapters/start-bakery.js";
import { openView } from "../../../src/agent/registry/tool-view.js";

const bakery = bakeryForEach();

const { callOpenAiTools, defineStaticTool, toAiSdkTool, toAiSdkTools, toAnthropicTools, toOpenAiTools } =
  agent;

const namesOf = async (source: ToolSource): Promise<readonly string[]> =>
  (await toAnthropicTools(source)).map(({ name }) => name);

const ALL = [
  ...["cancel-order", "create-order", "create-post", "delete-post", "get-order", "get-post", "get-product"],
  ...["list-comments", "list-orders", "list-posts", "list-products", "update-post"],
];

const shop = defineServer({
  name: "shop",
  contract: "1.0.0",
  environments: { sandbox: { url: "http://127.0.0.1:1/mcp" } },
});
const getOrder = lockedTool(shop, "get-order", { description: "Returns one." });
const index = { server: shop, getOrder };
const clock = defineStaticTool({
  name: "clock",
  description: "Says the time.",
  inputSchema: { type: "object" },
  execute: () => 1,
});

test("a server's tools keep their names, and those of several servers have theirs before it", async () => {
  const qualified = [...ALL.map((name) => `example__${name}`), "shop__get-order", "clock"];
  const SOURCES: readonly (readonly [ToolSource, readonly string[]])[] = [
    [example, ALL],
    [example.connect({ client: bakery }), ALL],
    [servers, ALL],
    [{ anything: example.getPost, again: example.getPost }, ["get-post"]],
    [
      [example.getPost, example.listPosts],
      ["get-post", "list-posts"],
    ],
    [example.getPost, ["get-post"]],
    [{}, []],
    [{ ...servers, shop: { getOrder }, clock }, qualified],
    [{ example, clock }, [...ALL, "clock"]],
    // Not the method of a registry.
    [{ getTools: lockedTool(shop, "get-tools"), getOrder }, ["get-tools", "get-order"]],
  ];
  for (const [source, names] of SOURCES) expect(await namesOf(source)).toEqual(names);
  await expect(namesOf([fakeTool("a"), fakeTool("a")])).rejects.toThrow('Two tools are called "a".');
});

test("the environment of a registry or a connection is named, and a static tool has none", async () => {
  const registry = createRegistry({ servers: [index] });
  const bound = createRegistry({ servers: [index], environment: "sandbox" });
  const { getPost } = example.connect({ client: bakery, environment: "sandbox" });
  for (const [source, environment, descriptions] of [
    [registry, undefined, ["Returns one."]],
    [registry, "sandbox", ["[sandbox] Returns one."]],
    [bound, undefined, ["[sandbox] Returns one."]],
    [{ getPost, clock }, undefined, ["[sandbox] Returns one post.", "Says the time."]],
    [[getOrder, clock], "sandbox", ["[sandbox] Returns one.", "Says the time."]],
    [{ clock }, "sandbox", ["Says the time."]],
  ] as const) {
    const tools = await toAnthropicTools(source, environment === undefined ? {} : { environment });
    expect(tools.map(({ description }) => description)).toEqual(descriptions);
  }
});

test.each<[string, ToolSource]>([
  ["a registry", createRegistry({ servers: [index] })],
  ["a module", index],
  ["a module of modules", { example, shop: { getOrder } }],
  ["a list of tools", [getOrder]],
])("%s refuses an environment that no server has", async (_, source) => {
  const message = 'No server has an environment "sandbx".';
  const unknown = { code: "SERVER_UNKNOWN", message, hint: expect.stringContaining('"sandbox"') as string };
  for (const open of [toAiSdkTools, toAnthropicTools, toOpenAiTools, agent.systemPrompt] as const)
    await expect(open(source, { environment: "sandbx" })).rejects.toMatchObject(unknown);
});

test("of several servers, a tool whose server lacks the environment fails instead of being called elsewhere", async () => {
  const other = defineServer({ name: "bank", environments: { live: { url: "http://127.0.0.1:1/mcp" } } });
  const pay = lockedTool(other, "pay", { annotations: { readOnlyHint: true } });
  const tools = await toAiSdkTools({ getOrder, pay }, { environment: "sandbox" });
  await expect(tools["bank__pay"]?.execute({}, { toolCallId: "1" })).rejects.toThrow(/environment "sandbox"/);
});

const TAKE_SOURCES = Object.keys({ ...agent, createCodeTools }).filter((name) =>
  /^(?:to\w+(?:Tools|Run)|call\w+Tools|systemPrompt|createToolset|createCodeTools)$/.test(name),
);
/** Calls a function as a program without types does. */
const callLoosely = (name: string, ...values: readonly unknown[]): Promise<unknown> =>
  Promise.resolve().then(() => {
    const called: unknown = Reflect.get({ ...agent, createCodeTools }, name);
    return typeof called === "function" ? (Reflect.apply(called, undefined, values) as unknown) : undefined;
  });

test("all that take tools refuse anything but a source of tools", async () => {
  expect(TAKE_SOURCES).toHaveLength(15);
  const objects = [new Map([["a", getOrder]]), new Date(), { servers: [example] }, { getOrder: 1 }];
  const wrong = [undefined, null, "shop", 3, () => 1, [1], [example], ...objects];
  const words = /^Tools for models: (?:invalid source(?:\[0\])?: |the object has no tools)/;
  const refused = { code: "USAGE", message: expect.stringMatching(words) as string };
  for (const name of TAKE_SOURCES) {
    const calls = name.startsWith("call") ? [] : /LangChain|Mastra/.test(name) ? () => undefined : undefined;
    for (const source of wrong)
      await expect(callLoosely(name, source, calls), name).rejects.toMatchObject(refused);
  }
});

test.each(TAKE_SOURCES.filter((name) => name.startsWith("call")))(
  "%s takes the calls of a message, and not the message",
  async (name) => {
    for (const none of [undefined, null, []]) expect(await callLoosely(name, index, none)).toEqual([]);
    const refused = { code: "USAGE", hint: "Use an array of objects." };
    for (const wrong of [{ content: [] }, "x", [null], [1]])
      await expect(callLoosely(name, index, wrong)).rejects.toMatchObject(refused);
  },
);

test("a tool for the AI SDK is one tool, and frameworks need the function that makes theirs", async () => {
  expect(() => toAiSdkTool(example as never)).toThrow("toAiSdkTool: invalid tool: an object.");
  for (const [name, option] of [
    ["toLangChainTools", "tool"],
    ["toMastraTools", "createTool"],
  ] as const)
    await expect(callLoosely(name, index)).rejects.toThrow(`${name}: invalid ${option}: undefined.`);
  expect(() => toAiSdkTool(getOrder, { environment: "sandbx" })).toThrow('an environment "sandbx"');
});

const everything = { writes: true };

test.each([
  ["a module", example],
  ["the result of connect()", example.connect()],
  ["a module of modules", servers],
  ["a list of tools", [example.getPost]],
  ["a tool", example.getPost],
  ["a static tool beside them", { example, clock }],
  ["a list of registered tools", [fakeTool("get-post")]],
  ["a registry", createRegistry({ servers: [example], replay: "cassettes" })],
  ["a part of a registry", openView(createRegistry({ static: [example.getPost] })).restrict(everything)],
  ["a session", createToolset(example, { show: "found", core: ["get-post"] })],
  ["an object that only lists", { getTools: () => Promise.resolve([fakeTool("get-post")]) }],
])("%s is a source for toolsets, sessions, scripts, policies and serving", async (_kind, source) => {
  const only = { focusMode: "one", focusModes: { one: { allow: [{ names: ["get-post"] }] } } };
  const answer = await createToolset(source, { policy: only }).answer("search_tools", { query: "get post" });
  expect(JSON.stringify(answer.structuredContent)).toMatch(/"(example__)?get-post"/);
  const session = createToolset(source, { show: "found", policy: only, core: ["get-post"] });
  expect((await session.getTools()).at(-1)?.name).toMatch(/get-post$/);
  const names = (await openView(source).restrict(only).getTools()).map(({ name }) => name);
  // A session keeps its search.
  expect(names.filter((name) => name !== "search_tools")).toEqual([expect.stringMatching(/get-post$/)]);
  const api = await createCodeTools(source, { policy: only }).answer("search_api", { query: "get post" });
  expect(api.content[0]?.text).toContain("getPost");
  const offered = await offerOf(source, { policy: only }).list([]);
  expect(offered.map(({ name }) => name)).toEqual([expect.stringMatching(/get-post$/)]);
});

test("a model knows a tool by its server's name for it where there is one server, and else by server__tool", async () => {
  const connected = example.connect({ client: bakery });
  const away = { server: { name: "away", url: "http://127.0.0.1:1/mcp" } };
  for (const [registry, name] of [
    [createRegistry({ servers: [connected] }), "list-posts"],
    [createRegistry({ servers: [connected, away], onWarning: () => undefined }), "example__list-posts"],
  ] as const) {
    const session = createToolset(registry, { show: "found", core: ["list-posts"] });
    expect(Object.keys(await toAiSdkTools(registry))).toContain(name);
    for (const source of [registry, session]) {
      expect(await namesOf(source)).toContain(name);
      // A conversation may have either form, since a server may be registered later.
      for (const form of ["list-posts", "example__list-posts"]) {
        const call = { id: "1", function: { name: form, arguments: '{"page":"x"}' } };
        const [answer] = await callOpenAiTools(source, [call]);
        expect(answer?.content).toContain("TOOL_INVALID_INPUT");
      }
    }
    const wanted = { query: "list posts", limit: 1 };
    const answer = await createToolset(registry).answer("search_tools", wanted);
    expect(answer.structuredContent).toMatchObject({ tools: [{ name }] });
    expect((await offerDirectly(registry, {}).list([])).map((tool) => tool.name)).toContain(name);
  }
});

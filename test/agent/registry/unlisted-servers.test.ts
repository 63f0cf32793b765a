import { describe, expect, test } from "vitest";
import * as z from "zod";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import { defineStaticTool, systemPrompt, toAiSdkTools } from "../../../src/agent/index.js";
import { createToolset } from "../../../src/agent/toolset/create-toolset.js";
import type { Registry, RegistryOptions, ToolSource } from "../../../src/agent/registry/registry.js";
import { defineServer } from "../../../src/runtime/tool.js";
import { fixtureCommand } from "../../servers/start-fixture.js";
import { fakeRegistry } from "../toolset/fake-registry.js";
import { openView } from "../../../src/agent/registry/tool-view.js";

const away = defineServer({ name: "shop", url: "http://127.0.0.1:1/mcp" });
const note = defineStaticTool({ name: "note", input: z.looseObject({}), execute: () => "noted" });

/** A registry whose server "shop" cannot be reached. */
function registryWithout(options: RegistryOptions = {}) {
  const warnings: string[] = [];
  const onWarning = (message: string): void => void warnings.push(message);
  return { registry: createRegistry({ servers: [away], onWarning, ...options }), warnings };
}

const MISSING = 'Server "shop" could not be listed, so tools are missing here.';

describe("a server that cannot be listed", () => {
  test("is warned about once, until it answers again", async () => {
    let now = 0;
    const { registry, warnings } = registryWithout({ now: () => now });
    expect(await toAiSdkTools(registry)).toEqual({});
    now += 31_000;
    await registry.getTools();
    expect(warnings).toEqual([expect.stringContaining('The tools of server "shop" could not be listed: ')]);
  });

  test.each<[string, (registry: Registry) => ToolSource]>([
    ["a registry", (registry) => registry],
    ["a restricted registry", (registry) => openView(registry).restrict({})],
    ["a toolset", (registry) => createToolset(registry)],
    ["a session", (registry) => createToolset(registry, { show: "found" })],
    ["a session of a restricted registry", (registry) => createToolset(openView(registry).restrict({}), { show: "found" })], // prettier-ignore
  ])("is named in the prompt of %s, with and without other tools", async (_what, open) => {
    expect(await systemPrompt(open(registryWithout().registry))).toBe(
      `You have no tools. ${MISSING} If you need one, say that the server could not be reached.`,
    );
    const prompt = await systemPrompt(open(registryWithout({ static: [note] }).registry));
    expect(prompt).toMatch(/1 tool\b/);
    expect(prompt).toContain(MISSING);
  });
});

describe("a tool that its server lists and that is not offered", () => {
  const server = defineServer({ name: "shop", contract: "1.0.0", ...fixtureCommand("drifted") });

  test("is counted by reason, and named to those who call it", async () => {
    const registry = createRegistry({ servers: [{ server }] });
    const toolset = createToolset(registry, { policy: { writes: true } });
    const { structuredContent } = await toolset.answer("introspect", {});
    const refused = ["cancel-order", "find-orders"].map((tool) => ({ tool, reason: "not-locked" }));
    const shop = { name: "shop", tools: 0, notOffered: { "not-locked": 2 }, refused };
    expect(structuredContent).toMatchObject({ servers: [shop] });
    expect(registry.servers[0]?.refused?.map(({ code }) => code)).toEqual(["not-locked", "not-locked"]);
    for (const tool of ["shop__cancel-order", "cancel-order"]) {
      const called = await toolset.answer("execute", { tool, args: { id: 1 } });
      const message = expect.stringContaining('Run "npx mcp-codegen pull shop"') as string;
      const error = { error: "TOOL_NOT_ALLOWED", reason: "not-locked", message };
      expect(called.structuredContent).toMatchObject(error);
    }
    const other = await toolset.answer("execute", { tool: "shop__gone", args: {} });
    expect(other.structuredContent).toMatchObject({ error: "TOOL_NOT_FOUND" });
  });

  test("is named with its reason, up to ten of a server", async () => {
    const reason = 'The schema of "a"\nhas no type.';
    const tools = Array.from({ length: 12 }, (_, at) => `tool-${at}`);
    const refused = tools.map((tool) => ({ tool, code: "unusable", reason }) as const);
    const servers = [{ name: "shop", isEnabled: true, toolCount: 0, refused }];
    const toolset = createToolset({ ...fakeRegistry([]), servers });
    const { structuredContent } = await toolset.answer("introspect", {});
    const named = tools.slice(0, 10).map((tool) => ({ tool, reason: 'The schema of "a" has no type.' }));
    expect(structuredContent).toMatchObject({ servers: [{ notOffered: { unusable: 12 }, refused: named }] });
  });

  test("may be asserted to read by a policy outside production", async () => {
    const policy = { annotations: { "shop__find-*": { readOnlyHint: true } } };
    const call = (environment: string) =>
      openView(createRegistry({ servers: [server], environment, admitUnlocked: true }))
        .restrict(policy)
        .call("shop__find-orders", { state: "open" });
    expect(await call("default")).toMatchObject({ ok: true });
    for (const environment of ["production", "prod", "Live"])
      expect(await call(environment)).toMatchObject({ error: { code: "WRITES_DISABLED" } });
  });
});

describe("a toolset", () => {
  test("names it in introspect, in context and where a search finds nothing", async () => {
    const toolset = createToolset(registryWithout({ static: [note] }).registry);
    const { structuredContent } = await toolset.answer("introspect", {});
    const error = expect.stringContaining("could not be listed") as string;
    const shop = { name: "shop", tools: 0, contract: null, error };
    expect(structuredContent).toMatchObject({ total: 1, servers: [shop, { name: "static", tools: 1 }] });
    const context = await toolset.answer("context", {});
    expect(context.content[0]?.text).toContain("Server shop could not be listed: tools may be missing here");
    for (const wanted of [{ query: "pay an invoice" }, { server: "shop" }]) {
      const found = await toolset.answer("search_tools", wanted);
      const suggestion = expect.stringContaining(MISSING) as string;
      expect(found.structuredContent).toMatchObject({ total: 0, suggestion });
    }
  });
});

import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import {
  createPolicy,
  createRegistry,
  createToolSession,
  createToolset,
  defineServer,
  defineStaticTool,
  defineTool,
  restrictRegistry,
  systemPrompt,
  toAiSdkTools,
  type RegistryOptions,
} from "../../../src/runtime/index.js";
import { fixtureCommand } from "../../servers/start-fixture.js";

const away = defineServer({ name: "shop", url: "http://127.0.0.1:1/mcp" });
const paged = defineServer({ name: "paged", ...fixtureCommand("paged") });
const note = defineStaticTool({ name: "note", input: z.looseObject({}), execute: () => "noted" });

/** A registry whose server "shop" cannot be reached. */
function registryWithout(options: RegistryOptions = {}) {
  const warnings: string[] = [];
  const onWarning = (message: string): void => void warnings.push(message);
  return { registry: createRegistry({ servers: [away], onWarning, ...options }), warnings };
}

const MISSING = 'Server "shop" could not be asked for tools, so tools are missing here.';

describe("a server that cannot be listed", () => {
  test("is warned about once, until it answers again", async () => {
    let now = 0;
    const { registry, warnings } = registryWithout({ now: () => now });
    expect(await toAiSdkTools(registry)).toEqual({});
    now += 31_000;
    await registry.getTools();
    expect(warnings).toEqual([expect.stringContaining('The tools of server "shop" could not be listed: ')]);
  });

  test("is a warning of the process by default", async () => {
    const emitted = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    onTestFinished(() => {
      emitted.mockRestore();
    });
    await createRegistry({ servers: [away] }).getTools();
    expect(emitted).toHaveBeenCalledWith(expect.stringContaining('server "shop"'), "McpCodegenWarning");
  });

  test.each([
    ["a registry", () => registryWithout().registry],
    ["a restricted registry", () => restrictRegistry(registryWithout().registry, createPolicy())],
    ["a toolset", () => createToolset(registryWithout().registry)],
    ["a session", () => createToolSession(registryWithout().registry)],
    ["a session of a restricted registry", () => createToolSession(restrictRegistry(registryWithout().registry, createPolicy()))], // prettier-ignore
  ])("is named in the prompt of %s without any tool", async (_what, source) => {
    expect(await systemPrompt(source())).toBe(
      `You have no tools. ${MISSING} If you need one, say that the server could not be reached.`,
    );
  });

  test("is named beside the tools that there are", async () => {
    const sources = () => registryWithout({ servers: [away, paged], static: [note] }).registry;
    for (const source of [sources(), createToolset(sources()), createToolSession(sources())]) {
      const prompt = await systemPrompt(source);
      expect(prompt).toMatch(/9 tools/);
      expect(prompt).toContain(MISSING);
    }
  });

  test("keeps the tools that it had, which the prompt says", async () => {
    const tool = defineTool({ server: away, name: "pay", input: z.object({}), inputSchema: () => ({}) });
    const { registry } = registryWithout({ servers: [{ server: away, ...{ tool } }] });
    expect(await systemPrompt(registry)).toContain(
      'Server "shop" could not be asked again for tools; the list here is an earlier one.',
    );
  });

  test("is not mentioned once it answers", async () => {
    const { registry, warnings } = registryWithout({ servers: [paged] });
    expect(await systemPrompt(registry)).not.toContain("could not");
    expect(warnings).toEqual([]);
  });
});

describe("a toolset", () => {
  test("names it in introspect, in context and where a search finds nothing", async () => {
    const toolset = createToolset(registryWithout({ static: [note] }).registry);
    const { structuredContent } = await toolset.answer("introspect", {});
    expect(structuredContent).toMatchObject({
      total: 1,
      servers: [
        {
          name: "shop",
          tools: 0,
          contract: null,
          error: expect.stringContaining("could not be listed") as string,
        },
        { name: "static", tools: 1 },
      ],
    });
    const context = await toolset.answer("context", {});
    expect(context.content[0]?.text).toContain("Server shop could not be asked for its tools");
    const found = await toolset.answer("search_tools", { query: "pay an invoice" });
    expect(found.structuredContent).toMatchObject({ total: 0, suggestion: expect.stringContaining(MISSING) as string }); // prettier-ignore
  });
});

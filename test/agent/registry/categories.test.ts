import { countCategories } from "../../../src/agent/registry/registered-tool.js";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import type { RegistryOptions } from "../../../src/agent/registry/registry.js";
import { defineStaticTool } from "../../../src/agent/index.js";
import { defineServer } from "../../../src/runtime/tool.js";
import { createToolset } from "../../../src/agent/toolset/create-toolset.js";

const toolNamed = (name: string, category?: string) =>
  defineStaticTool({
    name,
    description: "Does something.",
    ...(category !== undefined && { category }),
    input: z.object({}),
    execute: () => "done",
  });

const entries = ["tavily_map", "tavily_search", "list_posts"].map((name) => ({
  name,
  inputSchema: { type: "object" },
}));

function makeRegistry(categories?: Readonly<Record<string, string>>, more: RegistryOptions = {}) {
  const registry = createRegistry({
    ...more,
    static: [toolNamed("clock", "time"), toolNamed("frobnicate")],
    ...(categories !== undefined && { categories }),
  });
  const client = { callTool: () => Promise.resolve({ content: [] }) };
  registry.registerServerTools("web", entries, { client });
  return registry;
}

describe("the categories of a registry", () => {
  it("are counted by name, those without one last known as uncategorized", async () => {
    const registry = makeRegistry();
    const ofWeb = { content: 1, search: 1, uncategorized: 1 };
    expect(countCategories(await registry.getTools({ server: "web" }))).toEqual(ofWeb);
    const ofAll = { ...ofWeb, time: 1, uncategorized: 2 };
    expect(countCategories(await registry.getTools())).toEqual(ofAll);
    const without = await registry.getTools({ category: "uncategorized" });
    expect(without.map(({ name }) => name)).toEqual(["frobnicate", "web__tavily_map"]);
  });

  it("are set by patterns, the first that fits", async () => {
    const registry = makeRegistry({ web__tavily_map: "search", "web__*": "research", "cl*": "clocks" });
    const counts = { clocks: 1, research: 2, search: 1, uncategorized: 1 };
    expect(countCategories(await registry.getTools())).toEqual(counts);
    expect((await registry.getTool("web__tavily_map"))?.category).toBe("search");
    const toolset = await createToolset(registry).answer("search_tools", { category: "research" });
    const names = ["web__list_posts", "web__tavily_search"];
    expect(toolset.structuredContent).toEqual({ names: names.map((name) => name.slice(5)), total: 2 });
    const changes: unknown[] = [];
    registry.onChange(({ byCategory }) => changes.push(byCategory));
    registry.removeServerTools("web");
    const research = { added: [], removed: names };
    expect(changes).toEqual([{ research, search: { added: [], removed: ["web__tavily_map"] } }]);
  });

  it("warn once about a pattern that no tool has, unless a server could not be asked", async () => {
    const warnings: string[] = [];
    const onWarning = (message: string): void => void warnings.push(message);
    const registry = makeRegistry({ "web__*": "search", cloc: "time" }, { onWarning });
    await registry.getTools();
    await registry.getTools();
    expect(warnings).toEqual(['createRegistry: categories has "cloc", which matches no tool.']);
    warnings.length = 0;
    const away = defineServer({ name: "away", url: "http://127.0.0.1:1/mcp" });
    for (const enabled of [{}, { away: false }])
      await makeRegistry({ "away__*": "search" }, { onWarning, servers: [away], enabled }).getTools();
    expect(warnings).toEqual([expect.stringContaining("could not be listed")]);
  });
});

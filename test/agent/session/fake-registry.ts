import type { RegisteredTool } from "../../../src/core/tool.js";
import type { ToolProvider } from "../../../src/agent/registry/registry.js";
import { fakeTool } from "../adapters/fake-tool.js";

/** A source of tools that a test may change, and that notes what is called. */
export interface FakeRegistry extends ToolProvider {
  tools: readonly RegisteredTool[];
  readonly called: string[];
}

export function fakeRegistry(tools: readonly RegisteredTool[], environment?: string): FakeRegistry {
  const called: string[] = [];
  const registry: FakeRegistry = {
    ...(environment !== undefined && { environment }),
    environments: [environment ?? "default"],
    tools,
    called,
    getTools: () => Promise.resolve(registry.tools),
    getTool: (name) => Promise.resolve(registry.tools.find((tool) => tool.name === name)),
    for: () => registry,
  };
  registry.tools = tools.map((tool) => ({
    ...tool,
    call: (input, options) => {
      called.push(tool.name);
      return tool.call(input, options);
    },
  }));
  return registry;
}

const READS = { readOnlyHint: true };

/** A server's tools, each of which is found by the words of its name. */
export function shopTools(): readonly RegisteredTool[] {
  const words = ["order", "invoice", "customer", "coupon", "parcel", "supplier", "warehouse", "ledger"];
  return words.flatMap((word) => [
    served(`list_${word}`, { description: `Lists every ${word}.`, annotations: READS }),
    served(`create_${word}`, {
      description: `Creates a new ${word}.`,
      annotations: { destructiveHint: false },
    }),
    served(`delete_${word}`, { description: `Deletes one ${word} for good.` }),
  ]);
}

function served(name: string, more: Partial<RegisteredTool>): RegisteredTool {
  const category = ["order", "invoice", "coupon"].some((word) => name.endsWith(word)) ? "sales" : "stock";
  return fakeTool(`shop__${name}`, { server: "shop", category, ...more });
}

import type { describeHit, WantedTools } from "../../../src/agent/toolset/find-tools.js";
import type { ToolSession } from "../../../src/agent/toolset/toolset.js";
import type { RegisteredTool, ServerState } from "../../../src/agent/index.js";
import { fakeTool } from "../adapters/fake-tool.js";

/** A source of tools that a test may change, and that notes what is called. */
export interface FakeRegistry {
  readonly environment?: string;
  readonly environments: readonly string[];
  readonly servers: readonly ServerState[];
  tools: readonly RegisteredTool[];
  readonly called: string[];
  getTools(): Promise<readonly RegisteredTool[]>;
}

export function fakeRegistry(tools: readonly RegisteredTool[], environment?: string): FakeRegistry {
  const called: string[] = [];
  const registry: FakeRegistry = {
    ...(environment !== undefined && { environment }),
    environments: [environment ?? "default"],
    // With a second server, names are whole.
    servers: ["shop", "blog"].map((name) => ({ name, isEnabled: true, toolCount: 1 })),
    tools,
    called,
    getTools: () => Promise.resolve(registry.tools),
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

interface FoundByName {
  readonly tools: readonly ReturnType<typeof describeHit>[];
  readonly names?: readonly string[];
  readonly total: number;
  readonly suggestion?: string;
}

/** Returns what the search of a session answers. */
export async function searchIn(session: ToolSession, wanted: WantedTools): Promise<FoundByName> {
  const { content } = await session.search(wanted);
  return JSON.parse(content[0]?.text ?? "") as FoundByName;
}

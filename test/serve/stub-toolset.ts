import type { JsonObject } from "../../src/core/json.js";
import type { RegisteredTool } from "../../src/core/tool.js";
import type { Toolset, ToolsetAnswer, ToolsetCallOptions } from "../../src/agent/toolset/toolset.js";

const ANYTHING = {
  "~standard": { version: 1 as const, vendor: "test", validate: (value: unknown) => ({ value }) },
};

/** A tool that destroys, for those who ask before they call it. */
export function stubTool(name: string): RegisteredTool {
  return {
    name,
    server: "shop",
    isLocked: true,
    input: ANYTHING,
    inputSchema: () => ({ type: "object" }),
    call: () => Promise.resolve({ ok: true, value: null }),
  };
}

/** A toolset of one tool, which answers what the test says. */
export function stubToolset(
  answer: (args: JsonObject, options: ToolsetCallOptions) => Promise<ToolsetAnswer>,
): Toolset {
  return {
    metaTools: [
      { name: "execute", description: "Calls a tool.", inputSchema: { type: "object" }, annotations: {} },
    ],
    answer: (_name, args, options = {}) => answer(args as JsonObject, options),
    narrow: () => undefined,
    getTools: () => Promise.resolve([]),
    getTool: () => Promise.resolve(undefined),
    explainUnknown: () => Promise.resolve(""),
    introduce: () => Promise.resolve(""),
  };
}

export function saying(structuredContent: JsonObject): ToolsetAnswer {
  return {
    isError: false,
    structuredContent,
    content: [{ type: "text", text: JSON.stringify(structuredContent) }],
  };
}

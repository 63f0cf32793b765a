import type { JsonObject } from "../../src/core/json.js";
import type { RegisteredTool } from "../../src/core/tool.js";
import type { Toolset, ToolAnswer, ToolsetCallOptions } from "../../src/agent/toolset/toolset.js";
import { completeView } from "../../src/agent/registry/tool-view.js";

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
  answer: (args: JsonObject, options: ToolsetCallOptions) => Promise<ToolAnswer>,
): Toolset {
  const toolset: Toolset = Object.assign(completeView({ getTools: () => Promise.resolve([]) }), {
    metaTools: [
      { name: "execute", description: "Calls a tool.", inputSchema: { type: "object" }, annotations: {} },
    ],
    answer: (_name: string, args: unknown, options: ToolsetCallOptions = {}) =>
      answer(args as JsonObject, options),
    for: () => toolset,
    restrict: () => toolset,
    explain: () => Promise.resolve({ message: "" }),
    introduce: () => Promise.resolve(""),
  });
  return toolset;
}

export function saying(structuredContent: JsonObject): ToolAnswer {
  return {
    isError: false,
    structuredContent,
    content: [{ type: "text", text: JSON.stringify(structuredContent) }],
  };
}

import * as z from "zod";
import type { RegisteredTool } from "../../../src/core/tool.js";

/** A registered tool that returns its input, unless `call` is given. */
export function fakeTool(name: string, more: Partial<RegisteredTool> = {}): RegisteredTool {
  return {
    name,
    input: z.looseObject({}),
    inputSchema: () => ({ type: "object" }),
    isLocked: true,
    call: (input) => Promise.resolve({ ok: true, value: input }),
    ...more,
  };
}

import * as z from "zod";
import type { RegisteredTool } from "../../../src/agent/index.js";

/** A registered tool that answers what it is given, unless it is told what to do. */
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

import * as z from "zod";
import type { RegisteredTool } from "../../../src/core/tool.js";

/** What a tool that only reads says of itself. */
export const READS = { annotations: { readOnlyHint: true } } as const;

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

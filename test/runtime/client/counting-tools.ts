import * as z from "zod";
import { defineTool } from "../../../src/codegen.js";
import { type ServerDefinition, type Tool, defineServer } from "../../../src/runtime/index.js";

const inputSchema = (): object => ({ type: "object" });
const input = z.looseObject({ id: z.number().optional() });
type Input = z.infer<typeof input>;

export interface CountingTools {
  readonly [name: string]: Tool<Input>;
  readonly read: Tool<Input>;
  readonly write: Tool<Input>;
  readonly tally: Tool<Input>;
  readonly steps: Tool<Input>;
  readonly failing: Tool<Input>;
  readonly whoami: Tool<Input>;
}

/** The tools of the fixture "counting", as they would be generated. */
export function countingTools(settings: Partial<ServerDefinition>): {
  readonly server: ServerDefinition;
  readonly tools: CountingTools;
} {
  const server = defineServer({ name: "counting", contract: "1.0.0", ...settings });
  const tool = (name: string, readOnlyHint = false): Tool<Input> =>
    defineTool({ server, name, input, inputSchema, annotations: { readOnlyHint } });
  const tools = {
    read: tool("read", true),
    write: tool("write"),
    tally: tool("tally", true),
    steps: tool("steps"),
    failing: tool("failing"),
    whoami: tool("whoami", true),
  };
  return { server, tools };
}

/** How often each id was written, by the server's own word. */
export async function tallyOf(url: string): Promise<{ written: Record<string, number>; failures: number }> {
  const { tools } = countingTools({ url });
  return (await tools.tally({})).json() as { written: Record<string, number>; failures: number };
}

import * as z from "zod";
import type { Registry } from "../../../src/agent/registry/registry.js";
import { defineTool } from "../../../src/codegen.js";
import type { ServerDefinition, ToolDefinition } from "../../../src/core/tool.js";

/** A server that is what the test says, by way of a client of the user's own. */
export class FakeServer {
  tools: readonly string[] = ["a"];
  /** Fails while it is set. */
  error: Error | undefined;
  lists = 0;
  /** The caching hint of its lists. */
  ttlMs: number | undefined;
  /** What lists wait for. */
  gate: Promise<unknown> = Promise.resolve();

  /** Keeps the lists from now on open. Returns what ends them. */
  close(): () => void {
    let open = (): void => undefined;
    this.gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    return open;
  }

  callTool(): Promise<unknown> {
    return Promise.resolve({ content: [] });
  }

  async listTools(): Promise<unknown> {
    this.lists += 1;
    const { tools, error, ttlMs } = this;
    await this.gate;
    if (error !== undefined) throw error;
    return {
      ...(ttlMs !== undefined && { ttlMs }),
      tools: tools.map((name) => ({ name, inputSchema: { type: "object" } })),
    };
  }
}

export async function namesIn(registry: Registry): Promise<readonly string[]> {
  return (await registry.getTools()).map(({ name }) => name);
}

/** A generated tool that takes any object. */
export function lockedTool(
  server: ServerDefinition,
  name: string,
  more: Partial<
    Pick<ToolDefinition<unknown, unknown>, "annotations" | "category" | "description" | "through">
  > = {},
) {
  return defineTool({
    ...{ server, name, input: z.looseObject({}), inputSchema: () => ({ type: "object" }) },
    ...more,
  });
}

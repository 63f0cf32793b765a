import * as z from "zod";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import type { Registry, RegistryOptions } from "../../../src/agent/registry/registry.js";
import { connectTools, defineTool } from "../../../src/codegen.js";
import type { ServerDefinition, ToolDefinition } from "../../../src/core/tool.js";
import { defineServer } from "../../../src/runtime/tool.js";

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

/** A registry of servers without locks, with a clock that the test moves. */
export function registryOf(servers: { readonly [name: string]: FakeServer }, options: RegistryOptions = {}) {
  let time = 0;
  const registry = createRegistry({
    servers: Object.entries(servers).map(([name, client]) =>
      connectTools(defineServer({ name }), {}, { client }),
    ),
    now: () => time,
    ...options,
  });
  const pass = (milliseconds: number): void => {
    time += milliseconds;
  };
  return { registry, pass };
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

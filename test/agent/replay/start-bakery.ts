import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import { startExampleServer } from "../../../src/testing/example-server/start-example-server.js";
import type { JsonObject } from "../../../src/core/json.js";
import type { ToolCaller } from "../../../src/core/call.js";

/** The example server, equal at every start, and a client of it. */
export interface Bakery {
  readonly client: ToolCaller;
  /** Names of the tools that were called, in order. */
  readonly called: readonly string[];
  /** Everything that reading tools show. */
  state(): Promise<unknown>;
  end(): Promise<void>;
}

export async function startBakery(): Promise<Bakery> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const running = startExampleServer({ stdin, stdout });
  const waiting = new Map<number, (result: JsonObject) => void>();
  createInterface({ input: stdout }).on("line", (line) => {
    const message = JSON.parse(line) as { readonly id: number; readonly result: JsonObject };
    waiting.get(message.id)?.(message.result);
  });
  let id = 0;
  const ask = (method: string, params: JsonObject): Promise<JsonObject> => {
    id += 1;
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  const clientInfo = { name: "test", version: "0" };
  await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  const called: string[] = [];
  const call = (name: string, args: JsonObject): Promise<JsonObject> =>
    ask("tools/call", { name, arguments: args });
  return {
    client: {
      callTool: ({ name, arguments: args }) => {
        called.push(name);
        return call(name, { ...args } as JsonObject);
      },
    },
    called,
    state: async () => {
      const posts = await call("list-posts", { per_page: 100 });
      const orders = await call("list-orders", { per_page: 100 });
      const products = await call("list-products", {});
      return [posts, orders, products].map(({ structuredContent }) => structuredContent);
    },
    end: async () => {
      stdin.end();
      await running;
    },
  };
}

import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach } from "vitest";
import { startExampleServer } from "../../../src/testing/example-server/start-example-server.js";
import type { ToolCaller } from "../../../src/core/call.js";

/** A new example server in this process, with which a client is connected. */
export async function startExample(isNext = false) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const running = startExampleServer({ stdin, stdout, isNext });
  const waiting = new Map<number, (result: unknown) => void>();
  createInterface({ input: stdout }).on("line", (line) => {
    const message = JSON.parse(line) as { readonly id: number; readonly result: unknown };
    waiting.get(message.id)?.(message.result);
  });
  let id = 0;
  const ask = async (method: string, params: object): Promise<unknown> => {
    id += 1;
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  const clientInfo = { name: "test", version: "0" };
  await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  const end = async (): Promise<void> => {
    stdin.end();
    await running;
  };
  return { ask, end };
}

export interface Bakery extends ToolCaller {
  /** The names of the tools that were called, in order. */
  readonly called: string[];
  end(): Promise<void>;
}

/** A new example server, as a client that generated tools can be connected with. */
export async function startBakery(): Promise<Bakery> {
  const { ask, end } = await startExample();
  const called: string[] = [];
  return {
    called,
    callTool: (params) => {
      called.push(params.name);
      return ask("tools/call", params);
    },
    end,
  };
}

/** A bakery that is new in each test of a file. */
export function bakeryForEach(): ToolCaller & Pick<Bakery, "called"> {
  let bakery: Bakery;
  beforeEach(async () => {
    bakery = await startBakery();
  });
  afterEach(() => bakery.end());
  return {
    get called() {
      return bakery.called;
    },
    callTool: (params) => bakery.callTool(params),
  };
}

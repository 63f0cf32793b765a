/** Connections can be closed, disposed of, and collected, whatever their tools take. Nothing here runs: tsc judges it. */
import { connectTools } from "../../src/codegen.js";
import {
  type AnyTool,
  type CallOptions,
  type Connection,
  type ServerDefinition,
  type Tool,
} from "../../src/runtime/index.js";

declare const server: ServerDefinition;
declare const getSum: Tool<{ a: number }>;

interface Tools {
  readonly getSum: typeof getSum;
}

export function connect(options?: CallOptions): Tools & Connection {
  return connectTools(server, { getSum }, options);
}

export async function use(): Promise<string> {
  await using tools = connect({ timeout: 5 });
  const all: readonly AnyTool[] = [getSum, tools.getSum];
  // @ts-expect-error: an input of another type
  void tools.getSum({ a: "1" });
  await tools.close();
  return (await tools.getSum({ a: 1 })).text + String(all.length);
}

export const plain: Tools = connect();

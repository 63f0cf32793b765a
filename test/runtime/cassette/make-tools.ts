import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { CassetteFile } from "../../../src/runtime/cassette/cassette-file.js";
import type { CallOptions, ToolCaller, ServerDefinition } from "../../../src/runtime/index.js";
import type { JsonObject } from "../../../src/core/json.js";
import { defineServer } from "../../../src/runtime/tool.js";
import { connectTools, defineTool } from "../../../src/codegen.js";
import { makeFolder } from "../../temporary-folder.js";

/** Returns a folder that does not exist yet, for a cassette. It is removed when the test has finished. */
export async function newCassette(): Promise<string> {
  return join(await makeFolder(), "checkout");
}

/** A client that answers with a function, and the arguments that it was called with. */
export function answering(
  answer: (args: Record<string, unknown>) => unknown,
): ToolCaller & { calls: unknown[] } {
  const calls: unknown[] = [];
  return {
    calls,
    callTool: ({ arguments: args = {} }) => {
      calls.push(args);
      return Promise.resolve().then(() => answer(args));
    },
  };
}

/** A client for a replay: a call of it fails the test. */
export const unreachable: ToolCaller = {
  callTool: () => Promise.reject(new Error("The server was called.")),
};

/** The result of a tool with structured content, which servers repeat as text. */
export function structured(value: unknown): object {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}

/** The result of a tool that returns a text. */
export function said(text: string): JsonObject {
  return { content: [{ type: "text", text }] };
}

/** A new cassette, with calls of `find` that were answered with nothing. */
export async function recorded(...calls: readonly Readonly<Record<string, unknown>>[]): Promise<string> {
  const record = await newCassette();
  const shop = connectShop({ record, client: answering(() => ({ content: [] })) });
  for (const args of calls) await shop.find(args);
  return record;
}

/** A server with two tools: `find` returns content, `get-post` has an output schema. */
export function connectShop(options: CallOptions, settings: Partial<ServerDefinition> = {}) {
  const url = "http://127.0.0.1:9/mcp";
  const server = defineServer({ name: "shop", contract: "1.2.0", url, ...settings });
  const inputSchema = () => ({ type: "object" });
  const find = defineTool({ server, name: "find", input: z.looseObject({}), inputSchema });
  const getPost = defineTool({
    server,
    name: "get-post",
    input: z.strictObject({ id: z.number() }),
    output: z.strictObject({ id: z.number(), title: z.string() }),
    inputSchema,
  });
  const hostile = defineTool({ server, name: "../../etc/passwd", input: z.looseObject({}), inputSchema });
  return connectTools(server, { find, getPost, hostile }, { onWarning: () => undefined, ...options });
}

/** The text of each file of a cassette, by its path. */
export async function readCassette(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => name.includes(".")).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  return Object.fromEntries(files.map((name, index) => [name.replaceAll("\\", "/"), texts[index] ?? ""]));
}

export async function readFileOf(folder: string, file: string): Promise<CassetteFile> {
  return JSON.parse(await readFile(join(folder, file), "utf8")) as CassetteFile;
}

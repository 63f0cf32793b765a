import { Buffer } from "node:buffer";
import { getOwn } from "./json.js";
import type { LockedServer } from "./lockfile.js";
import { toModelSchema } from "./model-schema.js";
import type { ToolSnapshot } from "./snapshot.js";

/**
 * What a model reads to know a tool, and so what is counted: its name, description and input schema as JSON, as the adapters
 * send them for each tool at each turn. Other hosts word it otherwise, which costs a little more or less.
 */
export function tokenText(definition: ToolSnapshot): string {
  const { name } = definition;
  const description = getOwn(definition, "description");
  const inputSchema = toModelSchema(getOwn(definition, "inputSchema"));
  return JSON.stringify({ name, description, inputSchema });
}

/** What was not counted, estimated: UTF-8 bytes divided by four, a few percent more than there are. */
export function estimateTokens(definition: ToolSnapshot): number {
  return Math.ceil(Buffer.byteLength(tokenText(definition)) / 4);
}

/** A server's tokens: the sum over its tools, and whether some of them are estimated. */
export function sumTokens({ tools }: Pick<LockedServer, "tools">): {
  readonly tokens: number;
  readonly isEstimate: boolean;
} {
  let tokens = 0;
  let isEstimate = false;
  for (const tool of Object.values(tools)) {
    isEstimate ||= tool.tokens === undefined;
    tokens += tool.tokens ?? estimateTokens(tool.definition);
  }
  return { tokens, isEstimate };
}

import { Buffer } from "node:buffer";
import { getOwn, type JsonObject, type JsonValue } from "./json.js";
import type { LockedServer } from "./lockfile.js";
import type { ToolSnapshot } from "./snapshot.js";

/**
 * What a model reads to know a tool, and so what is counted: its name, description and input schema as JSON, which is what
 * hosts send for each tool at each turn. In which words they send it is the host's affair, and costs a little more or less.
 */
export function tokenText(definition: ToolSnapshot): string {
  return JSON.stringify(Object.fromEntries(PARTS.flatMap((key) => partOf(definition, key))));
}

const PARTS = ["name", "description", "inputSchema"] as const;

function partOf(definition: JsonObject, key: string): readonly (readonly [string, JsonValue])[] {
  const value = getOwn(definition, key);
  return value === undefined ? [] : [[key, value]];
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

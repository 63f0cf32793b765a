import type { Buffer } from "node:buffer";
import { McpCodegenError } from "./errors.js";
import { getOwn, mapEntries, type JsonValue } from "./json.js";
import { readDefinitions } from "./lock-outline.js";
import type { Lockfile } from "./lockfile.js";
import { parseDefinition, verifyDigest } from "./lockfile-text.js";

/** Two locks; a tool whose definition both spell alike is its name alone in both. */
export interface LockDifference {
  readonly before: Lockfile;
  readonly after: Lockfile;
}

/**
 * Reads of two lockfiles what differs: most definitions are alike, and need neither be parsed nor have their digests
 * verified. Undefined where a file is not written as `formatLockfile` would, or not valid, digests of what differs
 * included: then both must be parsed, which says what is wrong.
 */
export function parseDifference(before: Buffer, after: Buffer): LockDifference | undefined {
  const old = readDefinitions(before, (bytes) => bytes);
  const now = readDefinitions(after, (bytes) => bytes);
  if (old === undefined || now === undefined) return undefined;
  try {
    return { before: parseUnlike(old, now), after: parseUnlike(now, old) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof McpCodegenError) return undefined;
    throw error;
  }
}

function parseUnlike(lock: Lockfile<Buffer>, other: Lockfile<Buffer>): Lockfile {
  const servers = mapEntries(lock.servers, (server, name) => {
    const others = getOwn(other.servers, name)?.tools ?? {};
    const tools = mapEntries(server.tools, (tool, toolName) => {
      const twin = getOwn(others, toolName);
      if (twin?.digest === tool.digest && twin.definition.equals(tool.definition)) {
        return { ...tool, definition: { name: toolName } };
      }
      const value = JSON.parse(tool.definition.toString("utf8")) as JsonValue;
      const path = ["servers", name, "tools", toolName, "definition"];
      const parsed = { ...tool, definition: parseDefinition(value, toolName, path) };
      verifyDigest(name, toolName, parsed);
      return parsed;
    });
    return { ...server, tools };
  });
  return { ...lock, servers };
}

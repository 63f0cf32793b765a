import type { Buffer } from "node:buffer";
import { McpCodegenError } from "./errors.js";
import { getOwn, mapEntries, type JsonValue } from "./json.js";
import { readDefinitions } from "./lock-outline.js";
import type { Lockfile } from "./lockfile.js";
import { parseDefinition, verifyDigest } from "./lockfile-text.js";
import type { ToolSnapshot } from "./snapshot.js";

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
  if (old === undefined) return undefined;
  const known = definitionsOf(old);
  const now = readDefinitions(
    after,
    (bytes) => bytes,
    (digest) => known.get(digest),
  );
  if (now === undefined) return undefined;
  try {
    const stubs = new Map<string, ToolSnapshot>();
    return { before: parseUnlike(old, now, stubs), after: parseUnlike(now, old, stubs) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof McpCodegenError) return undefined;
    throw error;
  }
}

function definitionsOf(lock: Lockfile<Buffer>): ReadonlyMap<string, Buffer> {
  const tools = Object.values(lock.servers).flatMap((server) => Object.values(server.tools));
  return new Map(tools.map(({ digest, definition }) => [digest, definition]));
}

/** What stands for a tool that is not parsed, by its name: the same in both locks, so that it is seen to be at once. */
type Stubs = Map<string, ToolSnapshot>;

function parseUnlike(lock: Lockfile<Buffer>, other: Lockfile<Buffer>, stubs: Stubs): Lockfile {
  const stubOf = (name: string): ToolSnapshot => {
    const stub = stubs.get(name) ?? { name };
    stubs.set(name, stub);
    return stub;
  };
  const servers = mapEntries(lock.servers, (server, name) => {
    const others = getOwn(other.servers, name)?.tools ?? {};
    const tools = mapEntries(server.tools, (tool, toolName) => {
      const { definition } = tool;
      const twin = getOwn(others, toolName);
      const isAlike = twin?.definition === definition || twin?.definition.equals(definition) === true;
      if (isAlike && twin.digest === tool.digest) return { ...tool, definition: stubOf(toolName) };
      const value = JSON.parse(definition.toString("utf8")) as JsonValue;
      const path = ["servers", name, "tools", toolName, "definition"];
      const parsed = { ...tool, definition: parseDefinition(value, toolName, path) };
      verifyDigest(name, toolName, parsed);
      return parsed;
    });
    return { ...server, tools };
  });
  return { ...lock, servers };
}

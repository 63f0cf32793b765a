import { McpCodegenError } from "../../contract/errors.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import type { ServerIdentity, ServerSnapshot } from "../../contract/snapshot.js";
import { judgeTools } from "../../listing/judge-tools.js";
import { readBounded } from "../../files/read-bounded.js";

/**
 * A snapshot from a saved `tools/list`.
 *
 * @throws McpCodegenError `FILE_FAILED` when the file cannot be read, and everything that {@link parseList} throws
 */
export async function snapshotFile(server: string, path: string, limit?: number): Promise<ServerSnapshot> {
  return parseList(server, await readText(path, limit), path);
}

/**
 * A snapshot from the text of a saved `tools/list`: `{ tools: […] }` with what is beside it, the JSON-RPC answer around
 * it, or the array alone. An array of WordPress abilities, as its REST API and `getAbilities()` give it, is read as the
 * tools that the MCP adapter makes of them. Errors name the path.
 *
 * @throws McpCodegenError `PROTOCOL_INVALID` when the text holds no list, `LIST_INCOMPLETE` when it holds the first
 * page of several.
 */
export async function parseList(server: string, text: string, path: string): Promise<ServerSnapshot> {
  const { entries, at, around } = findList(parse(text, path), path);
  if (typeof getOwn(around, "nextCursor") === "string") {
    throw new McpCodegenError(
      "LIST_INCOMPLETE",
      `${JSON.stringify(path)} holds only a page of a longer list.`,
      {
        hint: "Save the whole list: it ends where nextCursor does.",
      },
    );
  }
  const listing = { clientCapabilities: {}, pages: 1 };
  if (areAbilities(entries)) {
    const { projectSavedAbilities } = await import("./saved-abilities.js");
    return {
      server,
      identity: readIdentity({}),
      listing,
      ...projectSavedAbilities(server, { entries, text, at }),
    };
  }
  return { server, identity: readIdentity(around), listing, ...judgeTools(server, [{ entries, text, at }]) };
}

/** Whether a list holds nothing but abilities. Tools have no `label`, and abilities need one. */
function areAbilities(entries: readonly JsonValue[]): boolean {
  return (
    entries.length > 0 &&
    entries.every((entry) => isJsonObject(entry) && typeof getOwn(entry, "label") === "string")
  );
}

async function readText(path: string, limit: number | undefined): Promise<string> {
  try {
    return (await readBounded(path, limit)).toString("utf8").replace(/^\ufeff/, "");
  } catch (error) {
    if (error instanceof McpCodegenError) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new McpCodegenError("FILE_FAILED", `${JSON.stringify(path)} cannot be read (${code}).`, {
      hint: "Check the file key of this server.",
      cause: error,
    });
  }
}

function parse(text: string, path: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new McpCodegenError("PROTOCOL_INVALID", `${JSON.stringify(path)} is no JSON.`, {
      hint: 'Save the list with "npx mcp-codegen list <server> --live --raw".',
      cause: error,
    });
  }
}

interface FoundList {
  readonly entries: readonly JsonValue[];
  readonly at: readonly string[];
  /** The object that holds the list. */
  readonly around: JsonObject;
}

function findList(value: JsonValue, path: string): FoundList {
  if (isArray(value)) return { entries: value, at: [], around: {} };
  if (isJsonObject(value)) {
    const tools = getOwn(value, "tools");
    if (isArray(tools)) return { entries: tools, at: ["tools"], around: value };
    const result = getOwn(value, "result");
    const inner = isJsonObject(result) ? getOwn(result, "tools") : undefined;
    if (isJsonObject(result) && isArray(inner))
      return { entries: inner, at: ["result", "tools"], around: result };
  }
  throw new McpCodegenError("PROTOCOL_INVALID", `${JSON.stringify(path)} holds no list of tools.`, {
    hint: 'Save the list with "npx mcp-codegen list <server> --live --raw".',
  });
}

/** What stands beside the list in files that keep the answer to `initialize` too. */
function readIdentity(around: JsonObject): ServerIdentity {
  const serverInfo = getOwn(around, "serverInfo");
  const protocolVersion = getOwn(around, "protocolVersion");
  const capabilities = getOwn(around, "capabilities");
  const instructions = getOwn(around, "instructions");
  return {
    serverInfo: isJsonObject(serverInfo) ? serverInfo : {},
    protocolVersion: typeof protocolVersion === "string" ? protocolVersion : "",
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    ...(typeof instructions === "string" && { instructions }),
  };
}

function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

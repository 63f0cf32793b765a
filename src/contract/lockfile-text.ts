import { digestOfTool } from "./digest.js";
import { McpCodegenError } from "./errors.js";
import { formatKeyPath } from "./json-pointer.js";
import { findRepeatedKey } from "./json-tokens.js";
import { byCodeUnit, type JsonValue } from "./json.js";
import { DEEPEST_LOCKABLE, measureDepth } from "./limits.js";
import { parseDefinition, parseLockTree, REPAIR } from "./lock-tree.js";
import {
  LOCKFILE_NAME,
  LOCKFILE_VERSION,
  type LockedServer,
  type LockedTool,
  type Lockfile,
} from "./lockfile.js";

/** Locates the first error of a text that is not JSON. Lines and columns count from 1. */
type JsonErrorLocator = (
  text: string,
) => { readonly line: number; readonly column: number; readonly reason: string } | undefined;

/**
 * Parses and verifies the text of a lockfile, including its digests. `parseLockText` in files/ also locates errors of
 * JSON: this room imports no parser.
 *
 * @throws McpCodegenError `LOCK_CONFLICTED` for merge markers, `LOCK_NEWER` for a later `lockfileVersion`,
 *   `LOCK_INVALID` for everything else, each in one line that names the place.
 */
export function parseLockfile(text: string, locateError?: JsonErrorLocator): Lockfile {
  const lock = parseLockTree(parseText(text, locateError), parseDefinition);
  refuseRepeatedTools(text, lock);
  verifyDigests(lock);
  return lock;
}

/**
 * Throws if a tool is repeated. A merge without conflicts may cause this, and `JSON.parse` keeps only the
 * last.
 */
function refuseRepeatedTools(text: string, lock: Lockfile): void {
  const tools = Object.values(lock.servers).reduce(
    (sum, server) => sum + Object.keys(server.tools).length,
    0,
  );
  // Every tool has one digest. A schema may also have properties with this name, so count keys only if the
  // numbers differ.
  if (countOf('"digest":', text) === tools) return;
  const path = findRepeatedKey(text, LOCK_DEPTH);
  if (path === undefined) return;
  throw new McpCodegenError("LOCK_INVALID", `"${LOCKFILE_NAME}" has ${formatKeyPath(path)} twice.`, {
    hint: 'Delete one of the two, then run "npx mcp-codegen pull".',
  });
}

/** The levels above tools: file, servers, server, tools. */
const LOCK_DEPTH = 4;

function countOf(part: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

/** Throws `LOCK_INVALID` for the first definition that does not match its digest. */
function verifyDigests(lock: Lockfile): void {
  for (const [server, { tools }] of Object.entries(lock.servers)) {
    for (const [name, tool] of Object.entries(tools)) verifyDigest(server, name, tool);
  }
}

/** Throws `LOCK_INVALID` for a definition that does not match its digest, or is nested too deeply to have one. */
function verifyDigest(server: string, name: string, tool: LockedTool): void {
  const whose = `tool ${JSON.stringify(name)} of server ${JSON.stringify(server)}`;
  const parts = [tool.definition, tool.ability?.definition ?? null, ...(tool.repeated ?? [])];
  if (parts.some((part) => measureDepth(part, DEEPEST_LOCKABLE) > DEEPEST_LOCKABLE)) {
    throw new McpCodegenError(
      "LOCK_INVALID",
      `In "${LOCKFILE_NAME}", the definition of ${whose} is nested too deeply (over ${DEEPEST_LOCKABLE} levels).`,
      { hint: 'Take it from version control, or delete it and run "npx mcp-codegen pull".' },
    );
  }
  if (digestOfTool(tool) === tool.digest) return;
  throw new McpCodegenError(
    "LOCK_INVALID",
    `In "${LOCKFILE_NAME}", the definition of ${whose} does not match its digest.`,
    { hint: REPAIR },
  );
}

/**
 * Returns the text of a lockfile: servers and tools sorted by code unit, own keys in a fixed order, keys of
 * definitions in the server's order, two spaces, a final newline. Equal locks have equal bytes.
 */
export function formatLockfile(lock: Lockfile): string {
  const servers = sortedEntries(lock.servers).map(([name, server]): Member => [name, formatServer(server)]);
  return `${formatMembers([
    ["lockfileVersion", String(LOCKFILE_VERSION)],
    ["servers", formatMembers(servers)],
  ])}\n`;
}

function parseText(text: string, locateError: JsonErrorLocator | undefined): JsonValue {
  const json = text.startsWith("\uFEFF") ? text.slice(1) : text;
  try {
    return JSON.parse(json) as JsonValue;
  } catch (cause) {
    const marker = /^(?:<{7}|\|{7}|={7}|>{7})(?:[ \r\n]|$)/m.exec(json);
    if (marker !== null) {
      const line = json.slice(0, marker.index).split("\n").length;
      throw new McpCodegenError("LOCK_CONFLICTED", `"${LOCKFILE_NAME}" has merge markers (line ${line}).`, {
        hint: `Take either side ("git checkout --theirs ${LOCKFILE_NAME}"), then run "npx mcp-codegen pull".`,
        cause,
      });
    }
    const error = locateError?.(json);
    const where =
      error === undefined ? "" : ` at line ${error.line}, column ${error.column}: ${error.reason}`;
    throw new McpCodegenError("LOCK_INVALID", `"${LOCKFILE_NAME}" is not JSON${where}.`, {
      hint: REPAIR,
      cause,
    });
  }
}

function sortedEntries<T>(entries: { readonly [key: string]: T }): [string, T][] {
  return Object.entries(entries).sort(([a], [b]) => byCodeUnit(a, b));
}

/**
 * A key and the text of its value. Objects are joined as text: JavaScript objects would move numeric keys to
 * the front.
 */
type Member = readonly [key: string, text: string];

function formatMembers(members: readonly Member[]): string {
  if (members.length === 0) return "{}";
  const lines = members.map(([key, text]) => `  ${JSON.stringify(key)}: ${text.replaceAll("\n", "\n  ")}`);
  return `{\n${lines.join(",\n")}\n}`;
}

function formatServer(server: LockedServer): string {
  const { identity, listing } = server;
  return formatMembers([
    ["contract", formatValue(server.contract)],
    ["identity", formatKeys(identity, ["serverInfo", "protocolVersion", "capabilities", "instructions"])],
    [
      "listing",
      formatKeys(listing, ["clientCapabilities", "principal", "scopes", "locale", "cacheScope", "pages"]),
    ],
    ...formatPart("wordpress", server.wordpress, ["profile", "route", "projected"]),
    ...membersOf(server, ["tokenizer"]),
    [
      "tools",
      formatMembers(sortedEntries(server.tools).map(([name, tool]): Member => [name, formatTool(tool)])),
    ],
  ]);
}

function formatTool(tool: LockedTool): string {
  const { ability, ...rest } = tool;
  return formatMembers([
    ...membersOf(rest, ["digest", "tokens", "category", "unusable"]),
    ...formatPart("ability", ability, ["file", "definition"]),
    ...membersOf(rest, ["definition", "repeated"]),
  ]);
}

function formatPart<T extends object>(
  key: string,
  value: T | undefined,
  keys: readonly (keyof T & string)[],
): readonly Member[] {
  return value === undefined ? [] : [[key, formatKeys(value, keys)]];
}

function formatKeys<T extends object>(value: T, keys: readonly (keyof T & string)[]): string {
  return formatMembers(membersOf(value, keys));
}

function membersOf<T extends object>(value: T, keys: readonly (keyof T & string)[]): readonly Member[] {
  return keys.flatMap((key) => (value[key] === undefined ? [] : [[key, formatValue(value[key])] as const]));
}

function formatValue(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

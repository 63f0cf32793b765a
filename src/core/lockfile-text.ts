import { digestOf, digestOfTool } from "./digest.js";
import { ENTRY_LIST_NAMES, ENTRY_LISTS } from "./entries.js";
import { McpCodegenError } from "./errors.js";
import { formatKeyPath } from "./json-pointer.js";
import { findRepeatedKey } from "./json-text.js";
import { byCodeUnit, type JsonObject, type JsonValue } from "./json.js";
import type { Listing } from "./snapshot.js";
import { DEEPEST_LOCKABLE, measureDepth } from "./limits.js";
import { parseDefinition, parseEntry, parseLockTree, REPAIR } from "./lock-tree.js";
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
  const lock = parseLockTree(parseText(text, locateError), parseDefinition, parseEntry);
  refuseRepeated(text, lock);
  verifyDigests(lock);
  return lock;
}

/**
 * Throws if a tool or another entry is repeated. A merge without conflicts may cause this, and `JSON.parse` keeps only
 * the last.
 */
function refuseRepeated(text: string, lock: Lockfile): void {
  const entries = Object.values(lock.servers).reduce(
    (sum, server) =>
      sum +
      Object.keys(server.tools).length +
      ENTRY_LIST_NAMES.reduce((count, list) => count + Object.keys(server[list] ?? {}).length, 0),
    0,
  );
  // Every entry has one digest. A schema may also have properties with this name, so count keys only if the
  // numbers differ.
  if (countOf('"digest":', text) === entries) return;
  const path = findRepeatedKey(text, LOCK_DEPTH);
  if (path === undefined) return;
  throw new McpCodegenError("LOCK_INVALID", `"${LOCKFILE_NAME}" has ${formatKeyPath(path)} twice.`, {
    hint: 'Delete one of the two, then run "npx mcp-codegen pull".',
  });
}

/** The levels above tools and entries: file, servers, server, list. */
const LOCK_DEPTH = 4;

function countOf(part: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

/** Throws `LOCK_INVALID` for the first definition that does not match its digest, or is nested too deeply to have one. */
function verifyDigests(lock: Lockfile): void {
  for (const [server, locked] of Object.entries(lock.servers)) {
    const whose = (noun: string, id: string): string =>
      `${noun} ${JSON.stringify(id)} of server ${JSON.stringify(server)}`;
    for (const [name, tool] of Object.entries(locked.tools)) verifyTool(whose("tool", name), tool);
    for (const list of ENTRY_LIST_NAMES) {
      for (const [id, { digest, definition }] of Object.entries(locked[list] ?? {}))
        verify(whose(ENTRY_LISTS[list].noun, id), [definition], () => digestOf(definition) === digest);
    }
  }
}

function verifyTool(whose: string, tool: LockedTool): void {
  const parts = [
    ...Object.values(tool.differs ?? {}),
    tool.definition,
    ...(tool.ability ? [tool.ability.definition] : []),
    ...(tool.repeated ?? []),
  ];
  verify(whose, parts, () => digestOfTool(tool) === tool.digest);
}

function verify(whose: string, parts: readonly JsonObject[], hasDigest: () => boolean): void {
  if (parts.some((part) => measureDepth(part, DEEPEST_LOCKABLE) > DEEPEST_LOCKABLE)) {
    throw new McpCodegenError(
      "LOCK_INVALID",
      `In "${LOCKFILE_NAME}", the definition of ${whose} is nested too deeply (over ${DEEPEST_LOCKABLE} levels).`,
      { hint: 'Take it from version control, or delete it and run "npx mcp-codegen pull".' },
    );
  }
  if (hasDigest()) return;
  throw new McpCodegenError(
    "LOCK_INVALID",
    `In "${LOCKFILE_NAME}", the definition of ${whose} does not match its digest.`,
    { hint: REPAIR },
  );
}

/**
 * Returns the text of a lockfile: servers, tools and other entries sorted by code unit, own keys in a fixed order, keys of
 * definitions in the server's order, two spaces, a final newline. Equal locks have equal bytes.
 */
export function formatLockfile(lock: Lockfile): string {
  const servers = sortedEntries(lock.servers).map(([name, server]): Member => [name, formatServer(server)]);
  return `${formatMembers([
    ...(lock.$schema === undefined ? [] : [["$schema", JSON.stringify(lock.$schema)] as const]),
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
    ["listing", formatKeys(listing, LISTING_KEYS)],
    ...(server.variants === undefined ? [] : [["variants", formatVariants(server.variants)] as const]),
    ...formatPart("wordpress", server.wordpress, ["profile", "route", "projected"]),
    ...membersOf(server, ["tokenizer"]),
    [
      "tools",
      formatMembers(sortedEntries(server.tools).map(([name, tool]): Member => [name, formatTool(tool)])),
    ],
    ...ENTRY_LIST_NAMES.flatMap((list): readonly Member[] => {
      const entries = server[list];
      if (entries === undefined) return [];
      const members = sortedEntries(entries).map(([id, entry]): Member => [
        id,
        formatKeys(entry, ["digest", "definition"]),
      ]);
      return [[list, formatMembers(members)]];
    }),
  ]);
}

const LISTING_KEYS = [
  ...(["clientCapabilities", "principal", "scopes", "locale", "prelude", "cacheScope", "pages"] as const),
] satisfies readonly (keyof Listing)[];

function formatVariants(variants: { readonly [variant: string]: Listing }): string {
  return formatMembers(
    sortedEntries(variants).map(([name, listing]): Member => [name, formatKeys(listing, LISTING_KEYS)]),
  );
}

function formatTool(tool: LockedTool): string {
  const { ability, ...rest } = tool;
  return formatMembers([
    ...membersOf(rest, ["digest", "tokens", "category", "views", "unusable"]),
    ...formatPart("ability", ability, ["file", "definition"]),
    ...membersOf(rest, ["definition", "repeated", "differs"]),
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

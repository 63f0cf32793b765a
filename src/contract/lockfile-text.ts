import {
  ABILITY_ROUTES,
  ADAPTER_PROFILES,
  isAbilitySnapshot,
  type LockedAbility,
  type WordPressListing,
} from "./ability.js";
import { isContractVersion } from "./contract-version.js";
import { digestOfTool } from "./digest-of-tool.js";
import { McpCodegenError } from "./errors.js";
import { byCodeUnit, getOwn, mapEntries, type JsonValue } from "./json.js";
import { findRepeatedKey } from "./find-repeated-key.js";
import { formatKeyPath } from "./key-path.js";
import {
  invalid,
  list,
  object,
  oneOf,
  onlyKeys,
  optionalCount,
  optionalString,
  REPAIR,
  string,
  type Path,
} from "./lock-values.js";
import {
  LOCKFILE_NAME,
  LOCKFILE_VERSION,
  type LockedServer,
  type LockedTool,
  type Lockfile,
} from "./lockfile.js";
import { DEEPEST_LOCKABLE, measureDepth } from "./limits.js";
import { isToolSnapshot, type Listing, type ServerIdentity, type ToolSnapshot } from "./snapshot.js";

/** Locates the first error of a text that is not JSON. Lines and columns count from 1. */
export type JsonErrorLocator = (
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
 * Returns the lock of a parsed text, with each definition as `readDefinition` returns it. Checks neither
 * digests nor repeated tools.
 *
 * @throws McpCodegenError `LOCK_NEWER` and `LOCK_INVALID`, as {@link parseLockfile}
 */
export function parseLockTree<Definition>(
  tree: JsonValue,
  readDefinition: ReadDefinition<Definition>,
): Lockfile<Definition> {
  const root = object(tree, []);
  const version = getOwn(root, "lockfileVersion");
  if (typeof version !== "number" || !Number.isInteger(version) || version < 1) {
    throw invalid(["lockfileVersion"], `expected ${LOCKFILE_VERSION}`);
  }
  if (version > LOCKFILE_VERSION) {
    throw new McpCodegenError(
      "LOCK_NEWER",
      `"${LOCKFILE_NAME}" has lockfileVersion ${version}; this mcp-codegen reads up to ${LOCKFILE_VERSION}.`,
      { hint: 'Run "npm install --save-dev mcp-codegen@latest".' },
    );
  }
  onlyKeys(root, ["lockfileVersion", "servers"], []);
  const servers = object(getOwn(root, "servers"), ["servers"]);
  return {
    lockfileVersion: LOCKFILE_VERSION,
    servers: mapEntries(servers, (server, name) => parseServer(server, ["servers", name], readDefinition)),
  };
}

export type ReadDefinition<Definition> = (
  value: JsonValue | undefined,
  tool: string,
  path: readonly string[],
) => Definition;

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

function parseServer<Definition>(
  value: JsonValue,
  path: Path,
  readDefinition: ReadDefinition<Definition>,
): LockedServer<Definition> {
  const server = object(value, path);
  onlyKeys(server, ["contract", "identity", "listing", "wordpress", "tokenizer", "tools"], path);
  const contract = string(server, "contract", path);
  if (!isContractVersion(contract)) throw invalid([...path, "contract"], "expected a version such as 1.0.0");
  const tools = object(getOwn(server, "tools"), [...path, "tools"]);
  const wordpress = getOwn(server, "wordpress");
  const tokenizer = optionalString(server, "tokenizer", path);
  return {
    contract,
    identity: parseIdentity(getOwn(server, "identity"), [...path, "identity"]),
    listing: parseListing(getOwn(server, "listing"), [...path, "listing"]),
    ...(wordpress !== undefined && { wordpress: parseWordPress(wordpress, [...path, "wordpress"]) }),
    ...(tokenizer !== undefined && { tokenizer }),
    tools: mapEntries(tools, (tool, name) => parseTool(tool, name, [...path, "tools", name], readDefinition)),
  };
}

function parseIdentity(value: JsonValue | undefined, path: Path): ServerIdentity {
  const identity = object(value, path);
  onlyKeys(identity, ["serverInfo", "protocolVersion", "capabilities", "instructions"], path);
  const instructions = optionalString(identity, "instructions", path);
  return {
    serverInfo: object(getOwn(identity, "serverInfo"), [...path, "serverInfo"]),
    protocolVersion: string(identity, "protocolVersion", path),
    capabilities: object(getOwn(identity, "capabilities"), [...path, "capabilities"]),
    ...(instructions !== undefined && { instructions }),
  };
}

function parseListing(value: JsonValue | undefined, path: Path): Listing {
  const listing = object(value, path);
  onlyKeys(listing, ["clientCapabilities", "principal", "locale", "pages"], path);
  const principal = optionalString(listing, "principal", path);
  const locale = optionalString(listing, "locale", path);
  const pages = optionalCount(listing, "pages", path);
  if (pages === undefined) throw invalid([...path, "pages"], "expected a whole number");
  return {
    clientCapabilities: object(getOwn(listing, "clientCapabilities"), [...path, "clientCapabilities"]),
    ...(principal !== undefined && { principal }),
    ...(locale !== undefined && { locale }),
    pages,
  };
}

function parseWordPress(value: JsonValue, path: Path): WordPressListing {
  const wordpress = object(value, path);
  onlyKeys(wordpress, ["profile", "route", "projected"], path);
  const projected = getOwn(wordpress, "projected");
  if (projected !== undefined && projected !== true) throw invalid([...path, "projected"], "expected true");
  return {
    profile: oneOf(ADAPTER_PROFILES, wordpress, "profile", path),
    route: oneOf(ABILITY_ROUTES, wordpress, "route", path),
    ...(projected !== undefined && { projected }),
  };
}

function parseTool<Definition>(
  value: JsonValue,
  name: string,
  path: Path,
  readDefinition: ReadDefinition<Definition>,
): LockedTool<Definition> {
  const tool = object(value, path);
  onlyKeys(tool, ["digest", "tokens", "category", "unusable", "ability", "definition", "repeated"], path);
  const digest = string(tool, "digest", path);
  const tokens = optionalCount(tool, "tokens", path);
  const category = optionalString(tool, "category", path);
  const unusable = optionalString(tool, "unusable", path);
  const ability = getOwn(tool, "ability");
  const repeated = parseRepeated(getOwn(tool, "repeated"), name, [...path, "repeated"]);
  return {
    digest,
    ...(tokens !== undefined && { tokens }),
    ...(category !== undefined && { category }),
    ...(unusable !== undefined && { unusable }),
    ...(ability !== undefined && { ability: parseAbility(ability, [...path, "ability"]) }),
    definition: readDefinition(getOwn(tool, "definition"), name, [...path, "definition"]),
    ...(repeated !== undefined && { repeated }),
  };
}

function parseRepeated(
  value: JsonValue | undefined,
  name: string,
  path: Path,
): readonly ToolSnapshot[] | undefined {
  if (value === undefined) return undefined;
  return list(value, path).map((each, index) => parseDefinition(each, name, [...path, String(index)]));
}

function parseAbility(value: JsonValue, path: Path): LockedAbility {
  const ability = object(value, path);
  onlyKeys(ability, ["file", "definition"], path);
  const file = optionalString(ability, "file", path);
  const definition = getOwn(ability, "definition");
  if (!isAbilitySnapshot(definition)) throw invalid([...path, "definition", "name"], "expected a text");
  return { ...(file !== undefined && { file }), definition };
}

/** Returns the definition of a tool. Its name must be that of the tool. */
function parseDefinition(value: JsonValue | undefined, tool: string, path: Path): ToolSnapshot {
  const definition = object(value, path);
  if (isToolSnapshot(definition) && definition.name === tool) return definition;
  throw invalid([...path, "name"], `expected ${JSON.stringify(tool)}`);
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
    ["listing", formatKeys(listing, ["clientCapabilities", "principal", "locale", "pages"])],
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

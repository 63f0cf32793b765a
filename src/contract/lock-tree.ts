import {
  ABILITY_ROUTES,
  ADAPTER_PROFILES,
  isAbilitySnapshot,
  type LockedAbility,
  type WordPressListing,
} from "./ability.js";
import { isContractVersion } from "./change.js";
import { McpCodegenError } from "./errors.js";
import { formatKeyPath } from "./json-pointer.js";
import { getOwn, isJsonObject, mapEntries, type JsonObject, type JsonValue } from "./json.js";
import {
  LOCKFILE_NAME,
  LOCKFILE_VERSION,
  type LockedServer,
  type LockedTool,
  type Lockfile,
} from "./lockfile.js";
import { isToolSnapshot, type Listing, type ServerIdentity, type ToolSnapshot } from "./snapshot.js";

/** The hint for an invalid lock. */
export const REPAIR = 'Take it from version control, or delete it and run "npx mcp-codegen pull".';

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
  onlyKeys(listing, ["clientCapabilities", "principal", "locale", "cacheScope", "pages"], path);
  const principal = optionalString(listing, "principal", path);
  const locale = optionalString(listing, "locale", path);
  const cacheScope = getOwn(listing, "cacheScope");
  if (cacheScope !== undefined && cacheScope !== "private") {
    throw invalid([...path, "cacheScope"], 'expected "private"');
  }
  const pages = optionalCount(listing, "pages", path);
  if (pages === undefined) throw invalid([...path, "pages"], "expected a whole number");
  return {
    clientCapabilities: object(getOwn(listing, "clientCapabilities"), [...path, "clientCapabilities"]),
    ...(principal !== undefined && { principal }),
    ...(locale !== undefined && { locale }),
    ...(cacheScope !== undefined && { cacheScope }),
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
export function parseDefinition(value: JsonValue | undefined, tool: string, path: Path): ToolSnapshot {
  const definition = object(value, path);
  if (isToolSnapshot(definition) && definition.name === tool) return definition;
  throw invalid([...path, "name"], `expected ${JSON.stringify(tool)}`);
}

/** The path of a value, for messages. */
type Path = readonly string[];

function object(value: JsonValue | undefined, path: Path): JsonObject {
  if (isJsonObject(value)) return value;
  throw invalid(path, "expected an object");
}

/** Returns a list that is not empty. */
function list(value: JsonValue, path: Path): readonly JsonValue[] {
  if (isArray(value) && value.length > 0) return value;
  throw invalid(path, "expected a list that is not empty");
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function string(parent: JsonObject, key: string, path: Path): string {
  const value = getOwn(parent, key);
  if (typeof value === "string") return value;
  throw invalid([...path, key], "expected a text");
}

function optionalString(parent: JsonObject, key: string, path: Path): string | undefined {
  return Object.hasOwn(parent, key) ? string(parent, key, path) : undefined;
}

function optionalCount(parent: JsonObject, key: string, path: Path): number | undefined {
  const value = getOwn(parent, key);
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
  throw invalid([...path, key], "expected a whole number");
}

/** Returns one of the allowed strings. */
function oneOf<T extends string>(values: readonly T[], parent: JsonObject, key: string, path: Path): T {
  const text = string(parent, key, path);
  const value = values.find((known) => known === text);
  if (value !== undefined) return value;
  throw invalid([...path, key], `expected ${values.map((known) => JSON.stringify(known)).join(", ")}`);
}

function onlyKeys(value: JsonObject, known: readonly string[], path: Path): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw invalid([...path, unknown], "not a key of a lockfile");
}

function invalid(path: Path, problem: string): McpCodegenError {
  const where = formatKeyPath(path);
  const at = where === "" ? "" : ` at ${where}`;
  return new McpCodegenError("LOCK_INVALID", `"${LOCKFILE_NAME}" is not valid${at}: ${problem}.`, {
    hint: REPAIR,
  });
}

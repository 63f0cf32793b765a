import {
  ABILITY_ROUTES,
  ADAPTER_PROFILES,
  type AbilitySnapshot,
  type LockedAbility,
  type WordPressListing,
} from "./ability.js";
import { isContractVersion } from "./change.js";
import { ENTRY_LISTS, isEntryList } from "./entries.js";
import { McpCodegenError } from "./errors.js";
import { formatKeyPath } from "./json-pointer.js";
import { getOwn, isJsonObject, isNamedObject, mapEntries, type JsonObject, type JsonValue } from "./json.js";
import {
  LOCKFILE_NAME,
  LOCKFILE_VERSION,
  type LockedEntry,
  type LockedServer,
  type LockedTool,
  type Lockfile,
} from "./lockfile.js";
import type { Listing, ServerIdentity, ToolSnapshot } from "./snapshot.js";

/** The hint for an invalid lock. */
export const REPAIR = 'Take it from version control, or delete it and run "npx mcp-codegen pull".';

/**
 * Returns the lock of a parsed text, with each definition as `readDefinition` returns it. Checks neither
 * digests nor repeated tools.
 *
 * @throws McpCodegenError `LOCK_NEWER` and `LOCK_INVALID`, as `parseLockfile` does
 */
export function parseLockTree<Definition>(
  tree: JsonValue,
  readDefinition: ReadDefinition<Definition>,
  readEntry: ReadDefinition<JsonObject>,
): Lockfile<Definition> {
  const version = getOwn(object(tree, []), "lockfileVersion");
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
  const tool = record<LockedTool<Definition>>({
    digest: string,
    tokens: optional(count),
    category: optional(string),
    views: optional(strings),
    unusable: optional(string),
    ability: optional(ability),
    definition: (value, path) => readDefinition(value, path.at(-2) ?? "", path),
    repeated: optional(repeated),
    differs: optional((value, path) =>
      mapOf((each, at) => parseDefinition(each, at.at(-3) ?? "", at))(value, path),
    ),
  });
  const entries = optional(
    mapOf(
      record<LockedEntry>({
        digest: string,
        definition: (value, path) => readEntry(value, path.at(-2) ?? "", path),
      }),
    ),
  );
  const server = record<LockedServer<Definition>>({
    contract,
    identity,
    listing,
    variants: optional(mapOf(listing)),
    wordpress: optional(wordpress),
    tokenizer: optional(string),
    tools: mapOf(tool),
    prompts: entries,
    resources: entries,
    resourceTemplates: entries,
    skills: entries,
  });
  return record<Lockfile<Definition>>({
    $schema: optional(string),
    lockfileVersion: () => LOCKFILE_VERSION,
    servers: mapOf(server),
  })(tree, []);
}

type ReadDefinition<Definition> = (
  value: JsonValue | undefined,
  id: string,
  path: readonly string[],
) => Definition;

/** Returns the definition of a tool. Its name must be that of the tool. */
export function parseDefinition(value: JsonValue | undefined, tool: string, path: Path): ToolSnapshot {
  const definition = object(value, path);
  if (isNamedObject(definition) && definition.name === tool) return definition;
  throw invalid([...path, "name"], `expected ${JSON.stringify(tool)}`);
}

/** Returns the definition of an entry of another list. The key that identifies it must be that of the entry. */
export function parseEntry(value: JsonValue | undefined, id: string, path: Path): JsonObject {
  const definition = object(value, path);
  const list = path.at(-3);
  const key = isEntryList(list) ? ENTRY_LISTS[list].id : "";
  if (getOwn(definition, key) === id) return definition;
  throw invalid([...path, key], `expected ${JSON.stringify(id)}`);
}

/** The path of a value, for messages. */
type Path = readonly string[];

/** Returns a valid value, or throws `LOCK_INVALID` with its path. */
type Read<T> = (value: JsonValue | undefined, path: Path) => T;

/** Reads an object with these keys and no others. */
function record<T extends object>(fields: { readonly [K in keyof Required<T>]: Read<T[K]> }): Read<T> {
  const readers: readonly (readonly [string, Read<unknown>])[] = Object.entries(fields);
  return (value, path) => {
    const parent = object(value, path);
    const unknown = Object.keys(parent).find((key) => !Object.hasOwn(fields, key));
    if (unknown !== undefined) throw invalid([...path, unknown], "not a key of a lockfile");
    const read: Record<string, unknown> = {};
    for (const [key, readField] of readers) {
      const field = readField(getOwn(parent, key), [...path, key]);
      if (field !== undefined) read[key] = field;
    }
    return read as T;
  };
}

/** Reads an object with any keys. */
function mapOf<T>(read: Read<T>): Read<{ readonly [key: string]: T }> {
  return (value, path) => mapEntries(object(value, path), (item, key) => read(item, [...path, key]));
}

function optional<T>(read: Read<T>): Read<T | undefined> {
  return (value, path) => (value === undefined ? undefined : read(value, path));
}

function oneOf<T extends JsonValue>(...values: readonly T[]): Read<T> {
  return (value, path) => {
    const found = values.find((known) => known === value);
    if (found !== undefined) return found;
    throw invalid(path, `expected ${values.map((known) => JSON.stringify(known)).join(", ")}`);
  };
}

function object(value: JsonValue | undefined, path: Path): JsonObject {
  if (isJsonObject(value)) return value;
  throw invalid(path, "expected an object");
}

function string(value: JsonValue | undefined, path: Path): string {
  if (typeof value === "string") return value;
  throw invalid(path, "expected a text");
}

function count(value: JsonValue | undefined, path: Path): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
  throw invalid(path, "expected a whole number");
}

function strings(value: JsonValue | undefined, path: Path): readonly string[] {
  if (!Array.isArray(value)) throw invalid(path, "expected a list of texts");
  const items: readonly JsonValue[] = value;
  return items.map((item, index) => string(item, [...path, String(index)]));
}

function contract(value: JsonValue | undefined, path: Path): string {
  const version = string(value, path);
  if (isContractVersion(version)) return version;
  throw invalid(path, "expected a version such as 1.0.0");
}

function repeated(value: JsonValue | undefined, path: Path): readonly ToolSnapshot[] {
  const definitions: readonly JsonValue[] = Array.isArray(value) ? value : [];
  if (definitions.length === 0) throw invalid(path, "expected a list that is not empty");
  const tool = path.at(-2) ?? "";
  return definitions.map((each, index) => parseDefinition(each, tool, [...path, String(index)]));
}

function abilityDefinition(value: JsonValue | undefined, path: Path): AbilitySnapshot {
  if (isNamedObject(value)) return value;
  throw invalid([...path, "name"], "expected a text");
}

const identity = record<ServerIdentity>({
  serverInfo: object,
  protocolVersion: string,
  capabilities: object,
  instructions: optional(string),
});
const listing = record<Listing>({
  clientCapabilities: object,
  principal: optional(string),
  scopes: optional(strings),
  locale: optional(string),
  prelude: optional(string),
  cacheScope: optional(oneOf("private")),
  pages: count,
});
const wordpress = record<WordPressListing>({
  profile: oneOf(...ADAPTER_PROFILES),
  route: oneOf(...ABILITY_ROUTES),
  projected: optional(oneOf(true)),
});
const ability = record<LockedAbility>({ file: optional(string), definition: abilityDefinition });

function invalid(path: Path, problem: string): McpCodegenError {
  const where = formatKeyPath(path);
  const at = where === "" ? "" : ` at ${where}`;
  return new McpCodegenError("LOCK_INVALID", `"${LOCKFILE_NAME}" is not valid${at}: ${problem}.`, {
    hint: REPAIR,
  });
}

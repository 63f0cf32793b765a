import {
  ABILITY_ROUTES,
  ADAPTER_PROFILES,
  type AbilitySnapshot,
  type LockedAbility,
  type WordPressListing,
} from "./ability.js";
import { isContractVersion } from "./change.js";
import { ENTRY_LISTS, isEntryList } from "./entries.js";
import {
  type FileFormat,
  custom,
  type ValueFormat,
  FormatError,
  jsonObject,
  list,
  mapOf,
  oneOf,
  optional,
  record,
  anyText,
  textLike,
  wholeNumber,
} from "./format.js";
import { getOwn, isNamedObject, type JsonObject } from "./json.js";
import type { KeyPath } from "./json-pointer.js";
import {
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
 * Returns the format of a lockfile with each definition in a format of its own. It checks neither digests nor repeated
 * tools.
 */
export function createLockFormat<Definition>(
  definition: ValueFormat<Definition>,
  entry: ValueFormat<JsonObject>,
): FileFormat<Lockfile<Definition>> {
  const tool = record<LockedTool<Definition>>({
    digest: anyText,
    tokens: optional(wholeNumber(0)),
    category: optional(anyText),
    views: optional(list(anyText)),
    unusable: optional(anyText),
    ability: optional(ability),
    definition,
    repeated: optional(list(definitionOf(-3), { least: 1 })),
    differs: optional(mapOf(definitionOf(-3))),
  });
  const entries = optional(mapOf(record<LockedEntry>({ digest: anyText, definition: entry })));
  const server = record<LockedServer<Definition>>({
    contract: textLike(
      { pattern: "^(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)$" },
      "expected a version such as 1.0.0",
      isContractVersion,
    ),
    identity,
    listing,
    variants: optional(mapOf(listing)),
    wordpress: optional(wordpress),
    tokenizer: optional(anyText),
    tools: mapOf(tool),
    prompts: entries,
    resources: entries,
    resourceTemplates: entries,
    skills: entries,
  });
  return {
    code: "LOCK_INVALID",
    hint: REPAIR,
    version: ["lockfileVersion", LOCKFILE_VERSION],
    newer: "LOCK_NEWER",
    format: record<Lockfile<Definition>>({
      $schema: optional(anyText),
      lockfileVersion: oneOf(LOCKFILE_VERSION),
      servers: mapOf(server),
    }),
  };
}

const NAMED = { type: "object", properties: { name: { type: "string", minLength: 1 } }, required: ["name"] };

/** The definition of a tool. Its name must be that of the tool, which is a step of the path. */
function definitionOf(step: number): ValueFormat<ToolSnapshot> {
  return custom(NAMED, (value, path) => {
    const tool = path.at(step);
    const definition = jsonObject.read(value, path);
    if (isNamedObject(definition) && definition.name === tool) return definition;
    throw new FormatError([...path, "name"], `expected ${JSON.stringify(tool)}`);
  });
}

/** Returns an entry of a list beside the tools. Throws {@link FormatError} if its key is that of another entry. */
export function checkEntry(definition: JsonObject, path: KeyPath): JsonObject {
  const [name, id] = [path.at(-3), path.at(-2)];
  const key = typeof name === "string" && isEntryList(name) ? ENTRY_LISTS[name].id : "";
  if (getOwn(definition, key) === id) return definition;
  throw new FormatError([...path, key], `expected ${JSON.stringify(id)}`);
}

const identity = record<ServerIdentity>({
  serverInfo: jsonObject,
  protocolVersion: anyText,
  capabilities: jsonObject,
  instructions: optional(anyText),
});
const listing = record<Listing>({
  clientCapabilities: jsonObject,
  principal: optional(anyText),
  scopes: optional(list(anyText)),
  locale: optional(anyText),
  prelude: optional(anyText),
  cacheScope: optional(oneOf("private")),
  pages: wholeNumber(0),
});
const wordpress = record<WordPressListing>({
  profile: oneOf(...ADAPTER_PROFILES),
  route: oneOf(...ABILITY_ROUTES),
  projected: optional(oneOf(true)),
});
const ability = record<LockedAbility>({
  file: optional(anyText),
  definition: custom<AbilitySnapshot>(NAMED, (value, path) => {
    const definition = jsonObject.read(value, path);
    if (isNamedObject(definition)) return definition;
    throw new FormatError([...path, "name"], "expected a text");
  }),
});

/** The format of a lockfile with its definitions. */
export const LOCK_FORMAT: FileFormat<Lockfile> = createLockFormat(
  definitionOf(-2),
  custom({ type: "object" }, (value, path) => checkEntry(jsonObject.read(value, path), path)),
);

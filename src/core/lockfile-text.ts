import { ABILITY_ROUTES, ADAPTER_PROFILES, type LockedAbility, type WordPressListing } from "./ability.js";
import { CONTRACT_VERSION, isContractVersion } from "./contract-version.js";
import { digestOf, digestOfTool } from "./digest.js";
import { ENTRY_LIST_NAMES, ENTRY_LISTS, isEntryList } from "./entries.js";
import { McpCodegenError } from "./errors.js";
import * as f from "./format.js";
import { getOwn, isNamedObject, type JsonObject, type JsonValue } from "./json.js";
import { DEEPEST_LOCKABLE, measureDepth } from "./limits.js";
import {
  type LockedEntry,
  type LockedServer,
  type LockedTool,
  type Lockfile,
  LOCKFILE_NAME,
  LOCKFILE_VERSION,
} from "./lockfile.js";
import { serverName, variantName } from "./connection-settings.js";
import { DEFAULT_VIEW, type Listing, type ServerIdentity, type ToolSnapshot } from "./snapshot.js";

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
export function parseLockfile(
  text: string,
  { locateError, isVerified = false }: ParseLockOptions = {},
): Lockfile {
  const json = text.startsWith("\uFEFF") ? text.slice(1) : text;
  // What is checked below returns the value itself.
  if (isVerified) return JSON.parse(json) as Lockfile;
  const value = parseText(json, locateError);
  // Git merges two branches that took the same tool, and may leave it twice.
  f.refuseRepeatedKeys({ ...LOCK_FORMAT, hint: MERGED }, text, value, LOCKFILE_NAME);
  const lock = f.readFormat(LOCK_FORMAT, value, LOCKFILE_NAME);
  verifyDigests(lock);
  return lock;
}

interface ParseLockOptions {
  readonly locateError?: JsonErrorLocator | undefined;
  /** Whether this version has parsed the same text before, so that its format and its digests are right. */
  readonly isVerified?: boolean | undefined;
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
  const isDeep = parts.some((part) => measureDepth(part, DEEPEST_LOCKABLE) > DEEPEST_LOCKABLE);
  if (!isDeep && hasDigest()) return;
  const problem = isDeep
    ? `is nested too deeply (over ${DEEPEST_LOCKABLE} levels)`
    : "does not match its digest";
  const message = `In "${LOCKFILE_NAME}", the definition of ${whose} ${problem}.`;
  throw new McpCodegenError("LOCK_INVALID", message, { hint: REPAIR });
}

/**
 * Returns the text of a lockfile: servers, tools and other entries sorted by code unit, own keys in a fixed order, keys of
 * definitions in the server's order, two spaces, a final newline. Equal locks have equal bytes.
 */
export function formatLockfile(lock: Lockfile): string {
  return `${LOCK_FORMAT.format.print(lock)}\n`;
}

function parseText(json: string, locateError: JsonErrorLocator | undefined): JsonValue {
  try {
    return JSON.parse(json) as JsonValue;
  } catch (cause) {
    const marker = /^(?:<{7}|\|{7}|={7}|>{7})(?:[ \r\n]|$)/m.exec(json);
    if (marker !== null) {
      const line = json.slice(0, marker.index).split("\n").length;
      throw new McpCodegenError("LOCK_CONFLICTED", `"${LOCKFILE_NAME}" has merge markers (line ${line}).`, {
        hint: MERGED,
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

// "git checkout --theirs" takes nothing from a merge without a conflict.
const MERGED = `Take the lock of either branch ("git checkout <branch> -- ${LOCKFILE_NAME}"), then run "npx mcp-codegen pull".`;
const REPAIR = 'Take it from version control, or delete it and run "npx mcp-codegen pull".';

const NAMED = { type: "object", properties: { name: { type: "string", minLength: 1 } }, required: ["name"] };

/** The definition of a tool. Its name must be that of the tool, which is a step of the path. */
function definitionOf(step: number): f.ValueFormat<ToolSnapshot> {
  const rule: f.ValueRule<JsonObject> = (value, refuse, path) =>
    (isNamedObject(value) && value.name === path.at(step)) ||
    refuse(`expected ${JSON.stringify(path.at(step))}`, "name");
  return f.withRule(f.jsonObject, rule, NAMED);
}

/** The definition of an entry of a list beside the tools. Its key must be that of the entry. */
const entryDefinition = f.withRule(f.jsonObject, (value, refuse, path) => {
  const name = path.at(-3);
  const id = path.at(-2);
  const key = typeof name === "string" && isEntryList(name) ? ENTRY_LISTS[name].id : "";
  return getOwn(value, key) === id || refuse(`expected ${JSON.stringify(id)}`, key);
});

const identity = f.record<ServerIdentity>({
  serverInfo: f.jsonObject,
  protocolVersion: f.anyText,
  capabilities: f.jsonObject,
  instructions: f.optional(f.anyText),
});
const listing = f.record<Listing>({
  clientCapabilities: f.jsonObject,
  principal: f.optional(f.anyText),
  scopes: f.optional(f.list(f.anyText)),
  locale: f.optional(f.anyText),
  prelude: f.optional(f.anyText),
  cacheScope: f.optional(f.oneOf("private")),
  pages: f.wholeNumber(0),
});
const wordpress = f.record<WordPressListing>({
  profile: f.oneOf(...ADAPTER_PROFILES),
  route: f.oneOf(...ABILITY_ROUTES),
  projected: f.optional(f.oneOf(true)),
  answers: f.optional(f.jsonObject),
});
const ability = f.record<LockedAbility>({
  file: f.optional(f.anyText),
  definition: f.withRule(
    f.jsonObject,
    (value, refuse) => isNamedObject(value) || refuse("expected a string", "name"),
    NAMED,
  ),
});
const tool = f.record<LockedTool>({
  digest: f.anyText,
  tokens: f.optional(f.wholeNumber(0)),
  category: f.optional(f.anyText),
  version: f.optional(f.anyText),
  views: f.optional(f.list(f.anyText)),
  unusable: f.optional(f.anyText),
  ability: f.optional(ability),
  definition: definitionOf(-2),
  repeated: f.optional(f.nonEmpty(f.list(definitionOf(-3)), "expected a list that is not empty")),
  differs: f.optional(f.mapOf(definitionOf(-3))),
});
const entries = f.optional(
  f.mapOf(f.record<LockedEntry>({ digest: f.anyText, definition: entryDefinition })),
);
const serverParts = f.record<LockedServer>({
  contract: f.textLike(
    { pattern: CONTRACT_VERSION.source },
    "expected a version such as 1.0.0",
    isContractVersion,
  ),
  identity,
  listing,
  variants: f.optional(f.mapOf(listing, undefined, variantName)),
  wordpress: f.optional(wordpress),
  tokenizer: f.optional(f.anyText),
  tools: f.mapOf(tool),
  prompts: entries,
  resources: entries,
  resourceTemplates: entries,
  skills: entries,
});

/** The views of tools are those of their server. */
const server = f.withRule(serverParts, ({ variants = {}, tools }, refuse) => {
  const text = "expected a variant of the server";
  const isKnown = (view: string): boolean => view === DEFAULT_VIEW || Object.hasOwn(variants, view);
  for (const [name, { views = [], differs = {} }] of Object.entries(tools)) {
    for (const [at, view] of views.entries()) if (!isKnown(view)) refuse(text, "tools", name, "views", at);
    for (const variant of Object.keys(differs))
      if (variant === DEFAULT_VIEW || !isKnown(variant)) refuse(text, "tools", name, "differs", variant);
  }
});

/** The format of a lockfile. It checks neither digests nor repeated keys. */
export const LOCK_FORMAT: f.FileFormat<Lockfile> = {
  code: "LOCK_INVALID",
  hint: REPAIR,
  version: ["lockfileVersion", LOCKFILE_VERSION],
  newer: "LOCK_NEWER",
  format: f.record<Lockfile>({
    $schema: f.optional(f.anyText),
    lockfileVersion: f.oneOf(LOCKFILE_VERSION),
    servers: f.mapOf(server, undefined, serverName),
  }),
};

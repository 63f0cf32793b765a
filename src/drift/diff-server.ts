import { deprecationOf } from "../contract/ability.js";
import type { Change } from "../contract/change.js";
import { isModernVersion } from "../contract/connection.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import { snapshotEntries, snapshotOfLock } from "../contract/lock-server.js";
import type { LockedServer } from "../contract/lockfile.js";
import {
  isUnknownIdentity,
  type EntrySnapshots,
  type Listing,
  type ServerIdentity,
  type ServerSnapshot,
  type ToolSnapshot,
} from "../contract/snapshot.js";
import { diffEntries } from "./diff-entries.js";
import { diffTools, type DiffToolsOptions } from "./diff-tools.js";
import { diffViews } from "./diff-views.js";
import { isSameJson, hasSameWords, keysOfBoth } from "./is-equal.js";
import { joinPointer } from "../contract/json-pointer.js";
import { makeChange, type SchemaReading } from "./finding.js";
import type { RuleName } from "./rules.js";
import { diffEntryPoison, diffIdentityPoison } from "./security/find-poison.js";
import {
  type Abilities,
  addNamedRenames,
  findDeclaredRenames,
  type FoundToolRename,
} from "./renames/find-tool-renames.js";
import { judgeIcons } from "./security/scan-lock.js";
import { NO_OTHER_TOOLS, type ToolNameIndex } from "./security/tool-name-index.js";
import { normalizeWordPressTool, publishTool } from "./normalize-wordpress-tool.js";

export interface DiffServerOptions {
  /** The tools of the other servers that a model sees; none by default. */
  readonly toolNames?: ToolNameIndex | undefined;
  /** How to read the server's schemas; as standard JSON Schema by default. */
  readonly schemas?: SchemaReading | undefined;
  /** As in {@link DiffToolsOptions}; none by default. */
  readonly unchanged?: readonly string[] | undefined;
  /** Renames that a person named, of a removed tool to an added one; others are left out. None by default. */
  readonly renames?: readonly FoundToolRename[] | undefined;
  /** As in {@link DiffToolsOptions}; true by default. */
  readonly counterexamples?: boolean | undefined;
  /**
   * The output schema that callers rely on where a locked tool declares none: learned from its answers, or stated in the
   * configuration.
   */
  readonly outputOf?: ((tool: string) => JsonValue | undefined) | undefined;
}

/**
 * Like {@link diffServer}, and reports locked tools that changed although the server's version did not. WordPress does not
 * count: its version is the adapter's version, not the version of the plugins that register the tools.
 */
export function diffLiveServer(
  server: string,
  locked: LockedServer | undefined,
  after: ServerSnapshot,
  options: DiffServerOptions = {},
): readonly Change[] {
  const changes = diffServer(server, locked, after, options);
  const [old, now] = [locked?.identity, after.identity].map((each) =>
    getOwn(each?.serverInfo ?? {}, "version"),
  );
  const isKept = now !== undefined && isSameJson(old, now) && after.wordpress === undefined;
  if (!isKept || !changes.some((change) => needsVersion(change, locked))) return changes;
  const place = { server, path: "/serverInfo/version" };
  return [makeChange("server-version-kept", place, { before: old, after: now }), ...changes];
}

/**
 * Whether a server should raise its version for a change: a locked tool changed in a way that callers notice, which they do
 * not for texts alone. A tool that was held back is new in every list, although the server did not change.
 */
export function needsVersion(
  { class: judged, impacts, tool }: Change,
  locked: LockedServer | undefined,
): boolean {
  const isNoticed = judged !== "safe" && impacts.some((impact) => impact !== "model");
  return isNoticed && tool !== undefined && Object.hasOwn(locked?.tools ?? {}, tool);
}

/**
 * Returns the changes from a server's lock, or from an earlier snapshot, to its current snapshot: first the changes of the
 * server itself (paths point into `identity`), then the changes of its tools. Without `before`, every tool is new.
 */
export function diffServer(
  server: string,
  before: LockedServer | ServerSnapshot | undefined,
  after: ServerSnapshot,
  {
    toolNames = NO_OTHER_TOOLS,
    schemas = {},
    unchanged = [],
    renames = [],
    counterexamples = true,
    outputOf,
  }: DiffServerOptions = {},
): readonly Change[] {
  const scanContext = {
    server,
    own: new Set([...after.tools.map(({ name }) => name), ...unchanged]),
    others: toolNames.othersOf(server),
  };
  const { dialect, formats, validateOutput } = schemas;
  const reading = { dialect, formats, validateOutput };
  const options: DiffToolsOptions = {
    ...{ server, ...reading, unchanged, counterexamples },
    toolNames: after.abilities === undefined ? toolNames : toolNames.withAbilities(server, after.abilities),
  };
  const entries = before && entriesOf(before);
  const poison = [
    ...diffIdentityPoison(before?.identity, after.identity, scanContext),
    ...diffEntryPoison(entries, after, scanContext),
  ];
  const listed = [...after.tools, ...(after.repeated ?? [])];
  if (before === undefined) return [...poison, ...diffTools([], listed, options)];
  const known =
    "server" in before
      ? [...before.tools, ...(before.repeated ?? [])]
      : Object.values(before.tools).flatMap(({ definition, repeated = [] }) => [definition, ...repeated]);
  const isWordPress = (before.wordpress ?? after.wordpress) !== undefined;
  const [old, now] = isWordPress
    ? asPublished(known.map(normalizeWordPressTool), listed.map(normalizeWordPressTool), before, after)
    : [known, listed];
  const declared = findDeclaredRenames(
    { tools: known, abilities: abilitiesOf(before) },
    { tools: listed, abilities: after.abilities ?? {}, unchanged },
  );
  const all = addNamedRenames(declared, renames, { before: known, after: listed, unchanged });
  const changes = diffTools(old, now, { ...options, renames: all }).flatMap((change) => [
    change,
    ...(outputOf === undefined ? [] : diffExpected(change, outputOf, { server, ...reading })),
  ]);
  return [
    ...diffIdentity(server, before.identity, after.identity).map(judgeIcons),
    ...diffScopes(server, before.listing.scopes, after.listing.scopes),
    ...poison,
    ...diffEntries(server, entries ?? {}, after),
    ...(isTranslated(before.listing, after.listing) ? changes.filter(isMoreThanText) : changes),
    ...(before.variants === undefined ? [] : diffViews(server, snapshotOf(server, before), after, options)),
    ...diffDeprecations(server, abilitiesOf(before), after.abilities ?? {}),
  ];
}

/** Compares a newly declared output schema with the one that callers relied on. */
function diffExpected(
  { rule, tool, after }: Change,
  outputOf: NonNullable<DiffServerOptions["outputOf"]>,
  options: DiffToolsOptions,
): readonly Change[] {
  const expected = rule === "output-schema-added" && tool !== undefined ? outputOf(tool) : undefined;
  if (expected === undefined || tool === undefined || after === undefined) return [];
  const side = (outputSchema: JsonValue): ToolSnapshot => ({ name: tool, inputSchema: {}, outputSchema });
  const reason = "Until now, callers relied on what was learned or stated of its answers.";
  return diffTools([side(expected)], [side(after)], options).map((change) => ({ reason, ...change }));
}

function snapshotOf(server: string, before: LockedServer | ServerSnapshot): ServerSnapshot {
  return "server" in before ? before : snapshotOfLock(server, before);
}

function abilitiesOf(before: LockedServer | ServerSnapshot): Abilities {
  if ("server" in before) return before.abilities ?? {};
  return Object.fromEntries(Object.entries(before.tools).map(([name, { ability }]) => [name, ability]));
}

function entriesOf(before: LockedServer | ServerSnapshot): EntrySnapshots {
  return "server" in before ? before : snapshotEntries(before);
}

/**
 * Returns two lists of normalized tools as WordPress publishes them. PHP code and sites before WordPress 7.1 have
 * keywords that later sites omit: if only one of two tools has such keywords, they are removed.
 */
function asPublished(
  old: readonly ToolSnapshot[],
  now: readonly ToolSnapshot[],
  before: LockedServer | ServerSnapshot,
  after: ServerSnapshot,
): readonly [readonly ToolSnapshot[], readonly ToolSnapshot[]] {
  // PHP code and the tools of the adapter have all keywords.
  const areOfPhp = before.wordpress?.projected === true && after.wordpress?.projected === true;
  if (areOfPhp || [before, after].some(({ wordpress }) => wordpress?.route === "tools")) return [old, now];
  const isPublished = (tool: ToolSnapshot): boolean => isSameJson(tool, publishTool(tool));
  const like = (tools: readonly ToolSnapshot[], others: readonly ToolSnapshot[]): readonly ToolSnapshot[] => {
    const byName = new Map(others.map((tool) => [tool.name, tool]));
    return tools.map((tool) => {
      const other = byName.get(tool.name);
      return other !== undefined && isPublished(other) ? publishTool(tool) : tool;
    });
  };
  return [like(old, now), like(now, old)];
}

/** Returns the deprecations that were added, changed or removed between two lists. */
export function diffDeprecations(server: string, before: Abilities, after: Abilities): readonly Change[] {
  return Object.entries(after).flatMap(([tool, ability]) => {
    const locked = getOwn(before, tool);
    if (locked === undefined || ability === undefined) return [];
    const [old, now] = [deprecationOf(locked.definition), deprecationOf(ability.definition)];
    const isSame = (["since", "replacement", "message"] as const).every((key) =>
      hasSameWords(old?.[key], now?.[key]),
    );
    if ((old === undefined) === (now === undefined) && isSame) return [];
    const rule = now === undefined ? "tool-undeprecated" : "tool-deprecated";
    return [makeChange(rule, { server, tool, path: "/meta/deprecated" }, { before: old, after: now })];
  });
}

/** Compares the scopes of two lists. A list without OAuth says nothing about them. */
function diffScopes(
  server: string,
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): readonly Change[] {
  if (before === undefined || after === undefined) return [];
  const place = { server, path: "/listing/scopes" };
  return [
    ...after
      .filter((scope) => !before.includes(scope))
      .map((scope) => makeChange("server-scope-added", place, { before: undefined, after: scope })),
    ...before
      .filter((scope) => !after.includes(scope))
      .map((scope) => makeChange("server-scope-removed", place, { before: scope, after: undefined })),
  ];
}

/** Whether WordPress made the two lists in different languages. */
function isTranslated(before: Listing, after: Listing): boolean {
  return before.locale !== undefined && after.locale !== undefined && before.locale !== after.locale;
}

/** Whether a change is more than a translated text. Security findings in translated texts always count. */
function isMoreThanText({ rule, security }: Change): boolean {
  return security || !/^(?:tool-(?:description|title)|(?:input|output)-description)-/.test(rule);
}

function diffIdentity(server: string, before: ServerIdentity, after: ServerIdentity): readonly Change[] {
  // Before, the identity was unknown, so it did not change.
  if (isUnknownIdentity(before)) return [];
  const compare = (
    rule: RuleName,
    path: string,
    old: JsonValue | undefined,
    now: JsonValue | undefined,
    isSame = isSameJson,
  ): Change[] => (isSame(old, now) ? [] : [makeChange(rule, { server, path }, { before: old, after: now })]);
  const info = keysOfBoth(before.serverInfo, after.serverInfo).flatMap((key) => {
    const rule =
      key === "name"
        ? "server-name-changed"
        : key === "version"
          ? "server-version-changed"
          : "server-info-changed";
    return compare(
      rule,
      joinPointer("/serverInfo", key),
      getOwn(before.serverInfo, key),
      getOwn(after.serverInfo, key),
      key === "title" || key === "description" ? hasSameWords : isSameJson,
    );
  });
  return [
    ...info,
    ...compare("server-protocol-changed", "/protocolVersion", before.protocolVersion, after.protocolVersion),
    ...diffCapabilities(server, "/capabilities", ...comparableCapabilities(before, after)),
    ...compare(
      "server-instructions-changed",
      "/instructions",
      before.instructions?.trim() ?? "",
      after.instructions?.trim() ?? "",
      hasSameWords,
    ),
  ];
}

/** The capabilities that only one era of the protocol has. */
const OF_ONE_ERA: readonly string[] = ["logging", "tasks", "extensions"];

/** Returns the capabilities of two identities. Between eras, those that only one era has say nothing. */
function comparableCapabilities(
  before: ServerIdentity,
  after: ServerIdentity,
): readonly [JsonObject, JsonObject] {
  if (isModernVersion(before.protocolVersion) === isModernVersion(after.protocolVersion)) {
    return [before.capabilities, after.capabilities];
  }
  const ofBoth = ({ capabilities }: ServerIdentity): JsonObject =>
    Object.fromEntries(Object.entries(capabilities).filter(([key]) => !OF_ONE_ERA.includes(key)));
  return [ofBoth(before), ofBoth(after)];
}

/** Compares capabilities. A switch that is absent equals a switch that is `false`. */
function diffCapabilities(
  server: string,
  path: string,
  before: JsonObject,
  after: JsonObject,
): readonly Change[] {
  return keysOfBoth(before, after).flatMap((key) => {
    const [old, now] = [switchOf(getOwn(before, key)), switchOf(getOwn(after, key))];
    if (isSameJson(old, now)) return [];
    const place = { server, path: joinPointer(path, key) };
    const extensions = place.path === "/capabilities/extensions" ? [old ?? {}, now ?? {}] : [];
    const [declared, declares] = extensions;
    if (isJsonObject(declared) && isJsonObject(declares))
      return diffExtensions(server, place.path, declared, declares);
    if (isJsonObject(old) && isJsonObject(now)) return diffCapabilities(server, place.path, old, now);
    const rule =
      now === undefined
        ? "server-capability-removed"
        : old === undefined
          ? "server-capability-added"
          : "server-capability-changed";
    return [makeChange(rule, place, { before: getOwn(before, key), after: getOwn(after, key) })];
  });
}

/** Compares extensions (specification 2026-07-28, "Extensions"), each as a whole: only the extension defines its settings. */
function diffExtensions(
  server: string,
  path: string,
  before: JsonObject,
  after: JsonObject,
): readonly Change[] {
  return keysOfBoth(before, after).flatMap((id) => {
    const [old, now] = [getOwn(before, id), getOwn(after, id)];
    if (isSameJson(old, now)) return [];
    const rule = now === undefined ? "removed" : old === undefined ? "added" : "changed";
    const place = { server, path: joinPointer(path, id) };
    return [makeChange(`server-extension-${rule}`, place, { before: old, after: now })];
  });
}

function switchOf(value: JsonValue | undefined): JsonValue | undefined {
  return value === false ? undefined : value;
}

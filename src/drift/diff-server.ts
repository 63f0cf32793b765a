import type { Change } from "../core/change.js";
import { isSameJson, joinPointer } from "../core/json-pointer.js";
import { ENTRY_LIST_NAMES, type EntryList } from "../core/entries.js";
import { getOwn, type JsonValue, mapEntries } from "../core/json.js";
import { snapshotEntries, snapshotOfLock } from "../core/lock-server.js";
import type { LockedServer } from "../core/lockfile.js";
import {
  DEFAULT_VIEW,
  type EntrySnapshots,
  type Listing,
  type ServerSnapshot,
  type ToolSnapshot,
} from "../core/snapshot.js";
import { needsVersion } from "./apply-policy.js";
import { diffEntries } from "./diff-entries.js";
import { diffDeprecations, diffIdentity, diffScopes } from "./diff-metadata.js";
import { diffTools, type DiffToolsOptions } from "./diff-tools.js";
import { makeChange, type SchemaReading } from "./unconfirmed-change.js";
import { asPublished, normalizeWordPressTool } from "./normalize-wordpress-tool.js";
import {
  type ListedAbilities,
  addNamedRenames,
  findDeclaredRenames,
  type FoundToolRename,
} from "./renames/find-tool-renames.js";
import { diffEntryPoison, diffIdentityPoison } from "./security/find-poison.js";
import { NO_OTHER_TOOLS, type ToolNameIndex } from "./security/texts.js";

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
  /** Whether the configuration leaves a tool out, so that the server did not remove it. None by default. */
  readonly isLeftOut?: ((tool: string) => boolean) | undefined;
}

const LEFT_OUT = "the configuration leaves it out, with tools.include or tools.exclude";

/**
 * Like {@link diffServer}, and reports locked tools that changed although the server's version did not. WordPress does not
 * count: its version is the adapter's version, not the version of the plugins that register the tools. A list that the lock lacks is
 * compared as an empty one: the configuration did not include it.
 */
export function diffLiveServer(
  server: string,
  locked: LockedServer | undefined,
  after: ServerSnapshot,
  options: DiffServerOptions = {},
): readonly Change[] {
  const isNew = (list: EntryList): boolean => after[list] !== undefined && locked?.[list] === undefined;
  const newLists = Object.fromEntries(ENTRY_LIST_NAMES.filter(isNew).map((list) => [list, {}]));
  const isOwn = ({ rule, tool }: Change): boolean =>
    rule === "tool-removed" && tool !== undefined && options.isLeftOut?.(tool) === true;
  const changes = diffServer(server, locked && { ...locked, ...newLists }, after, options).map((change) =>
    isOwn(change) ? { ...change, reason: LEFT_OUT } : change,
  );
  const versionBefore = getOwn(locked?.identity.serverInfo ?? {}, "version");
  const versionAfter = getOwn(after.identity.serverInfo, "version");
  const isSame = versionAfter !== undefined && isSameJson(versionBefore, versionAfter);
  const isKept = isSame && after.wordpress === undefined;
  if (!isKept || !changes.some((change) => needsVersion(change, locked) && !isOwn(change))) return changes;
  const place = { server, path: "/serverInfo/version" };
  const versions = { before: versionBefore, after: versionAfter };
  return [makeChange("server-version-kept", place, versions), ...changes];
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
    server,
    ...reading,
    unchanged,
    counterexamples,
    toolNames: after.abilities === undefined ? toolNames : toolNames.withAbilities(server, after.abilities),
  };
  const entries = before && entriesOf(before);
  const poison = [
    ...diffIdentityPoison(before?.identity, after.identity, scanContext),
    ...diffEntryPoison(entries, after, scanContext),
  ];
  const listed = [...after.tools, ...(after.repeated ?? [])];
  if (before === undefined) return [...poison, ...diffTools([], listed, options)];
  const earlier =
    "server" in before
      ? [...before.tools, ...(before.repeated ?? [])]
      : Object.values(before.tools).flatMap(({ definition, repeated = [] }) => [definition, ...repeated]);
  const isWordPress = (before.wordpress ?? after.wordpress) !== undefined;
  const [toolsBefore, toolsAfter] = isWordPress
    ? asPublished(earlier.map(normalizeWordPressTool), listed.map(normalizeWordPressTool), before, after)
    : [earlier, listed];
  const declared = findDeclaredRenames(
    { tools: earlier, abilities: abilitiesOf(before) },
    { tools: listed, abilities: after.abilities ?? {}, unchanged },
  );
  const all = addNamedRenames(declared, renames, { before: earlier, after: listed, unchanged });
  const reasons = { before: reasonsOf(before), after: after.unusable };
  const changes = diffTools(toolsBefore, toolsAfter, { ...options, renames: all }).flatMap((change) => [
    isUsable(change, reasons) ? change : withoutWitness(change),
    ...(outputOf === undefined ? [] : diffExpected(change, outputOf, { server, ...reading })),
  ]);
  return [
    ...diffIdentity(server, before.identity, after.identity),
    ...diffScopes(server, before.listing.scopes, after.listing.scopes),
    ...poison,
    ...diffEntries(server, entries ?? {}, after),
    ...diffUsability(server, earlier, after, reasons),
    ...(isTranslated(before.listing, after.listing) ? changes.filter(isMoreThanText) : changes),
    ...(before.variants === undefined ? [] : diffViews(server, snapshotOf(server, before), after, options)),
    ...diffDeprecations(server, abilitiesOf(before), after.abilities ?? {}),
  ];
}

/** Why tools of the old and of the new list cannot be used, by name. */
interface Reasons {
  readonly before: { readonly [tool: string]: string | undefined };
  readonly after: { readonly [tool: string]: string | undefined };
}

function reasonsOf(before: LockedServer | ServerSnapshot): Reasons["before"] {
  return "server" in before ? before.unusable : mapEntries(before.tools, ({ unusable }) => unusable);
}

function isUsable({ tool = "" }: Change, { before, after }: Reasons): boolean {
  return getOwn(before, tool) === undefined && getOwn(after, tool) === undefined;
}

/** A definition that cannot be used may have other values than the server's: numbers that JavaScript cannot hold are texts. */
function withoutWitness(change: Change): Change {
  const shown: { -readonly [Key in keyof Change]: Change[Key] } = { ...change };
  delete shown.witness;
  delete shown.witnessAt;
  return shown;
}

/** Returns which tools of both lists can no longer be used, or can be used now, even if their definitions seem equal. */
function diffUsability(
  server: string,
  earlier: readonly ToolSnapshot[],
  { tools }: ServerSnapshot,
  { before, after }: Reasons,
): readonly Change[] {
  const names = new Set(earlier.map(({ name }) => name));
  return tools.flatMap(({ name: tool }) => {
    const reasonBefore = getOwn(before, tool);
    const reasonAfter = getOwn(after, tool);
    if (!names.has(tool) || (reasonBefore === undefined) === (reasonAfter === undefined)) return [];
    const rule = reasonAfter === undefined ? "tool-usable" : "tool-unusable";
    return [makeChange(rule, { server, tool, path: "" }, { reason: reasonAfter })];
  });
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

function abilitiesOf(before: LockedServer | ServerSnapshot): ListedAbilities {
  if ("server" in before) return before.abilities ?? {};
  return Object.fromEntries(Object.entries(before.tools).map(([name, { ability }]) => [name, ability]));
}

function entriesOf(before: LockedServer | ServerSnapshot): EntrySnapshots {
  return "server" in before ? before : snapshotEntries(before);
}

function isTranslated(before: Listing, after: Listing): boolean {
  return before.locale !== undefined && after.locale !== undefined && before.locale !== after.locale;
}

/** Whether a change is more than a translated text. Security findings in translated texts always count. */
function isMoreThanText({ rule, security }: Change): boolean {
  return security || !/^(?:tool-(?:description|title)|(?:input|output)-description)-/.test(rule);
}

/**
 * Returns what changed between the variants of a server: variants that came and went, tools that a variant lost or gained
 * while another lists them, and definitions that only variants have. Without variants on one side, nothing is compared.
 */
function diffViews(
  server: string,
  before: ServerSnapshot,
  after: ServerSnapshot,
  options: DiffToolsOptions,
): readonly Change[] {
  if (before.variants === undefined || after.variants === undefined) return [];
  const namesBefore = Object.keys(before.variants);
  const namesAfter = Object.keys(after.variants);
  const both = [DEFAULT_VIEW, ...namesBefore.filter((variant) => namesAfter.includes(variant))];
  const at = (variant: string): { readonly server: string; readonly path: string } => ({
    server,
    path: joinPointer("/variants", variant),
  });
  const tools = after.tools.filter(({ name }) => before.tools.some((tool) => tool.name === name));
  const diffView = (tool: string, view: string): readonly Change[] => {
    const toolBefore = definitionIn(before, tool, view);
    const toolAfter = definitionIn(after, tool, view);
    const place = { server, tool, path: "" };
    if (toolBefore === undefined && toolAfter === undefined) return [];
    if (toolAfter === undefined) return [makeChange("variant-tool-removed", place, { before: view })];
    if (toolBefore === undefined) return [makeChange("variant-tool-added", place, { after: view })];
    // A change of the definition that all share is reported once.
    const isShared = [before, after].every(
      ({ differing = {} }) => getOwn(differing, tool)?.[view] === undefined,
    );
    if (isShared) return [];
    const reason = `In variant ${JSON.stringify(view)}.`;
    return diffTools([toolBefore], [toolAfter], options).map((change) => ({ reason, ...change }));
  };
  return [
    ...namesAfter.flatMap((variant) =>
      namesBefore.includes(variant) ? [] : [makeChange("variant-added", at(variant), { after: variant })],
    ),
    ...namesBefore.flatMap((variant) =>
      namesAfter.includes(variant) ? [] : [makeChange("variant-removed", at(variant), { before: variant })],
    ),
    ...both.flatMap((view) => tools.flatMap(({ name }) => diffView(name, view))),
  ];
}

/** The definition of a tool in a view; undefined if the view does not list the tool. */
function definitionIn(
  { tools, viewsOf = {}, differing = {} }: ServerSnapshot,
  tool: string,
  view: string,
): ToolSnapshot | undefined {
  const views = getOwn(viewsOf, tool);
  if (views?.includes(view) === false) return undefined;
  return getOwn(differing, tool)?.[view] ?? tools.find(({ name }) => name === tool);
}

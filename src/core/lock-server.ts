import type { LockedAbility } from "./ability.js";
import type { Change } from "./change.js";
import { groupBy, omitUndefined } from "./collections.js";
import { digestOf, digestOfTool, sha256 } from "./digest.js";
import { type EntryList, findEntry, mapLists } from "./entries.js";
import { byCodeUnit, getOwn, isJsonObject, type JsonObject, mapEntries } from "./json.js";
import { isSameJson } from "./json-pointer.js";
import type { LockedEntries, LockedEntry, LockedServer, LockedTool, Lockfile } from "./lockfile.js";
import {
  DEFAULT_VIEW,
  type EntrySnapshots,
  isOfApps,
  isUnknownIdentity,
  type Listing,
  type ServerIdentity,
  type ServerSnapshot,
  sourceCategory,
  type ToolSnapshot,
} from "./snapshot.js";

interface LockServerOptions {
  /** The contract version to lock. */
  readonly contract: string;
  readonly categoryOf: (tool: string) => string | undefined;
  /** The lists beside the tools to lock. A list that the snapshot does not have keeps its locked entries. */
  readonly lists?: readonly EntryList[];
  /** The changes since the previous lock. By default, every difference is a change. */
  readonly changes?: readonly Change[];
  /** The parts that keep their locked form. */
  readonly held?: HeldParts | undefined;
}

/** Parts of a server that a pull leaves as they are locked. */
export interface HeldParts {
  readonly isHeld: (tool: string) => boolean;
  /** Whether all that is not a tool is left too. */
  readonly isServerHeld?: boolean;
}

/**
 * Returns a server's part of the lock. Differences without a finding keep their locked text, so that they cause no diff. The
 * category comes from the configuration, else from the source; one derived from the name is not locked.
 */
export function lockServer(
  snapshot: ServerSnapshot,
  previous: LockedServer | undefined,
  options: LockServerOptions,
): LockedServer {
  const { contract, categoryOf, changes, lists = [], held } = options;
  const changedTools = new Set(changes?.flatMap(({ tool }) => tool ?? []));
  const isServerChanged =
    changes === undefined ||
    changes.some(({ tool, path }) => tool === undefined && findEntry(path) === undefined);
  const repeated = groupBy(snapshot.repeated ?? [], ({ name }) => name);
  const kept = held?.isServerHeld === true ? previous : undefined;
  const identity =
    kept?.identity ??
    (previous === undefined || isServerChanged || isUnknownIdentity(previous.identity)
      ? snapshot.identity
      : previous.identity);
  const versionOf = (name: string, locked: LockedTool | undefined): string | undefined => {
    const isOld = locked !== undefined && held?.isHeld(name) === true;
    const version = isOld ? (locked.version ?? versionIn(previous?.identity)) : versionIn(snapshot.identity);
    return version === versionIn(identity) ? undefined : version;
  };
  const tools = snapshot.tools.map((definition): [string, LockedTool] => {
    const { name } = definition;
    const locked = getOwn(previous?.tools ?? {}, name);
    const isKept = locked !== undefined && changes !== undefined && !changedTools.has(name);
    const told = getOwn(snapshot.abilities ?? {}, name);
    // In the order of keys in a lock.
    const covered = {
      ability: isKept ? keepAbility(locked.ability, told) : told,
      definition: isKept ? locked.definition : definition,
      repeated: isKept ? keepRepeated(locked.repeated, repeated.get(name)) : repeated.get(name),
      differs: getOwn(snapshot.differing ?? {}, name),
    };
    const digest = digestOfTool(covered);
    const tool = omitUndefined({
      digest,
      // The token count of another definition is not valid.
      tokens: locked?.digest === digest ? locked.tokens : undefined,
      category: categoryOf(name) ?? sourceCategory(covered.definition, covered.ability?.definition),
      version: versionOf(name, locked),
      views: getOwn(snapshot.viewsOf ?? {}, name),
      unusable: getOwn(snapshot.unusable, name),
      ...covered,
    });
    return [name, tool];
  });
  return omitUndefined({
    contract,
    identity,
    listing:
      kept?.listing ??
      (previous !== undefined && isSameListing(previous.listing, snapshot.listing)
        ? previous.listing
        : keepScopes(snapshot.listing, previous?.listing)),
    variants: snapshot.variants,
    wordpress: snapshot.wordpress,
    tokenizer: previous?.tokenizer,
    tools: Object.fromEntries(tools),
    ...lockEntries(snapshot, previous, lists),
  });
}

function versionIn(identity: ServerIdentity | undefined): string | undefined {
  const version = identity?.serverInfo["version"];
  return typeof version === "string" ? version : undefined;
}

function lockEntries(
  snapshot: ServerSnapshot,
  previous: LockedServer | undefined,
  lists: readonly EntryList[],
): LockedEntries {
  const locked = (definition: JsonObject): LockedEntry => ({ digest: digestOf(definition), definition });
  const entries = lists.flatMap((list): readonly [EntryList, LockedEntries[EntryList]][] => {
    const listed = snapshot[list];
    const kept = listed === undefined ? previous?.[list] : mapEntries(listed, locked);
    return kept === undefined ? [] : [[list, kept]];
  });
  return Object.fromEntries<LockedEntries[EntryList]>(entries);
}

/** Returns the repeated definitions: locked text is kept if their number is the same, since there is no finding then. */
function keepRepeated(
  locked: readonly ToolSnapshot[] | undefined,
  listed: readonly ToolSnapshot[] | undefined,
): readonly ToolSnapshot[] | undefined {
  return locked?.length === listed?.length ? locked : listed;
}

/** Returns the ability of a kept tool as locked, with the file that registers it now, which a live site does not tell. */
function keepAbility(
  locked: LockedAbility | undefined,
  told: LockedAbility | undefined,
): LockedAbility | undefined {
  const file = told?.file ?? locked?.file;
  const definition = (locked ?? told)?.definition;
  return definition && omitUndefined({ file, definition });
}

/** Whether two listings are equal but for pages and language: tools that differ only in language keep their text. */
function isSameListing(before: Listing, after: Listing): boolean {
  return (
    before.principal === after.principal &&
    before.cacheScope === after.cacheScope &&
    before.prelude === after.prelude &&
    (before.locale === undefined) === (after.locale === undefined) &&
    isSameJson(after.scopes ?? before.scopes ?? [], before.scopes ?? []) &&
    (before.scopes !== undefined || after.scopes === undefined) &&
    isSameJson(before.clientCapabilities, after.clientCapabilities)
  );
}

/** A server's locked block as the snapshot that it was made from. */
export function snapshotOfLock(server: string, locked: LockedServer): ServerSnapshot {
  const { identity, listing, wordpress, tools } = locked;
  const repeated = Object.values(tools).flatMap((tool) => tool.repeated ?? []);
  const part = <T>(read: (tool: LockedTool) => T | undefined): { readonly [tool: string]: T } =>
    Object.fromEntries(
      Object.entries(tools).flatMap(([name, tool]): readonly (readonly [string, T])[] => {
        const value = read(tool);
        return value === undefined ? [] : [[name, value]];
      }),
    );
  const abilities = part(({ ability }) => ability);
  return omitUndefined({
    server,
    identity,
    listing,
    wordpress,
    abilities: Object.keys(abilities).length > 0 ? abilities : undefined,
    tools: Object.values(tools)
      .map(({ definition }) => definition)
      .sort((a, b) => byCodeUnit(a.name, b.name)),
    repeated: repeated.length > 0 ? repeated : undefined,
    ...snapshotEntries(locked),
    variants: locked.variants,
    viewsOf: locked.variants && part(({ views }) => views),
    differing: locked.variants && part(({ differs }) => differs),
    unusable: part(({ unusable }) => unusable),
    diagnostics: [],
  });
}

/** The lists of a locked server beside its tools, as the snapshot that they were made from. */
export function snapshotEntries(locked: LockedEntries): EntrySnapshots {
  return mapLists(locked, (entries) => mapEntries(entries, ({ definition }) => definition));
}

/** Keeps the locked scopes of a list that was made with other credentials than OAuth. */
function keepScopes(after: Listing, before: Listing | undefined): Listing {
  const scopes = after.scopes ?? before?.scopes;
  return scopes === undefined ? after : { ...after, scopes };
}

/**
 * Merges the lists of a server's variants into its own. A tool that only variants list has the definition of the first of them;
 * definitions that differ are kept by variant. All else comes from the own settings.
 */
export function mergeViews(
  base: ServerSnapshot,
  variants: readonly (readonly [name: string, snapshot: ServerSnapshot])[],
): ServerSnapshot {
  const sorted = [...variants].sort(([a], [b]) => byCodeUnit(a, b));
  const views: readonly (readonly [string, ServerSnapshot])[] = [[DEFAULT_VIEW, base], ...sorted];
  const tools = new Map<string, ToolSnapshot>();
  const viewsOf = new Map<string, readonly string[]>();
  const differing = new Map<string, { readonly [variant: string]: ToolSnapshot }>();
  for (const [view, snapshot] of views) {
    for (const tool of snapshot.tools) {
      const { name } = tool;
      const earlier = tools.get(name);
      if (earlier === undefined) tools.set(name, tool);
      else if (!isSameJson(earlier, tool)) differing.set(name, { ...differing.get(name), [view]: tool });
      viewsOf.set(name, [...(viewsOf.get(name) ?? []), view].sort(byCodeUnit));
    }
  }
  const partly = [...viewsOf].filter(([, names]) => names.length < views.length);
  return omitUndefined({
    ...base,
    tools: [...tools.values()].sort((a, b) => byCodeUnit(a.name, b.name)),
    unusable: Object.assign(
      {},
      ...views.toReversed().map(([, { unusable }]) => unusable),
    ) as ServerSnapshot["unusable"],
    diagnostics: distinct(views.flatMap(([, { diagnostics }]) => diagnostics)),
    variants: Object.fromEntries(sorted.map(([name, { listing }]) => [name, listing])),
    viewsOf: partly.length > 0 ? Object.fromEntries(partly) : undefined,
    differing: differing.size > 0 ? Object.fromEntries(differing) : undefined,
  });
}

function distinct<T>(items: readonly T[]): readonly T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/** Returns a locked server as one of its views lists it. */
export function viewOf(server: LockedServer, view: string): LockedServer {
  const tools = Object.entries(server.tools).flatMap(([name, tool]): readonly [string, LockedTool][] => {
    if (tool.views?.includes(view) === false) return [];
    const definition = getOwn(tool.differs ?? {}, view) ?? tool.definition;
    return [[name, { ...tool, definition }]];
  });
  return { ...server, tools: Object.fromEntries(tools) };
}

/** The parts of a definition that planning needs. */
export interface DefinitionOutline {
  /** Hexadecimal SHA-256 of the definition as JSON, in which the order of keys matters. */
  readonly digest: string;
  readonly hasOutput: boolean;
  /** Whether `readOnlyHint` of its annotations is true. */
  readonly isReadOnly: boolean;
  /** Whether only user interfaces call the tool. */
  readonly isForApps: boolean;
}

/** A lock without the definitions of its tools. Those of prompts and resources are small, and needed. */
export type LockOutline = Lockfile<DefinitionOutline>;

export function outlineOf(lock: Lockfile): LockOutline {
  const servers = mapEntries(lock.servers, (server) => ({
    ...server,
    tools: mapEntries(server.tools, (tool) => ({ ...tool, definition: outlineDefinition(tool.definition) })),
  }));
  return { ...lock, servers };
}

function outlineDefinition(definition: ToolSnapshot): DefinitionOutline {
  const annotations = getOwn(definition, "annotations");
  return {
    digest: sha256(JSON.stringify(definition)),
    hasOutput: isJsonObject(getOwn(definition, "outputSchema")),
    isReadOnly: isJsonObject(annotations) && getOwn(annotations, "readOnlyHint") === true,
    isForApps: isOfApps(definition),
  };
}

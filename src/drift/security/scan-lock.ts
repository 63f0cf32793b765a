import { type Change, currentTool, NAME_TAKEN } from "../../core/change.js";
import { byCodeUnit, findOwn, getOwn, type JsonValue } from "../../core/json.js";
import type { ToolSnapshot } from "../../core/snapshot.js";
import { makeChange } from "../finding.js";
import { isSameJson } from "../../core/json-pointer.js";
import {
  diffEntryPoison,
  diffIdentityPoison,
  diffToolPoison,
  namesOtherTool,
  type ScanContext,
} from "./find-poison.js";
import { indexToolNames, type ToolNameIndex, type ToolOfServer } from "./texts.js";
import { snapshotEntries } from "../../core/lock-server.js";
import type { Lockfile } from "../../core/lockfile.js";
import type { Waiver } from "../../core/findings.js";
import { digestsOf } from "../../core/waivers.js";

/**
 * Adds security findings to the changes between two lists of tools: new misleading texts, names that resemble tools of
 * other servers, and suspicious icons. Keeps the order of tools.
 */
export function judgeSecurity(
  changes: readonly Change[],
  before: ReadonlyMap<string, ToolSnapshot>,
  after: ReadonlyMap<string, ToolSnapshot>,
  {
    server,
    toolNames,
    unchanged,
    repeated,
  }: {
    readonly server: string;
    readonly toolNames: ToolNameIndex;
    readonly unchanged: readonly string[];
    /** Further new definitions, by the name of the tool. */
    readonly repeated: ReadonlyMap<string, readonly ToolSnapshot[]>;
  },
): readonly Change[] {
  const scanContext = {
    server,
    own: new Set([...after.keys(), ...unchanged]),
    others: toolNames.othersOf(server),
  };
  const added = [...after.values()].filter(({ name }) => !before.has(name));
  const taken = added.flatMap((tool): readonly Change[] => {
    const [alike] = toolNames.alike(server, tool);
    return alike === undefined ? [] : [takenName(server, tool.name, alike)];
  });
  const poison = [...after.values()].flatMap((tool) => {
    const earlier = before.get(tool.name);
    const added = [...(isSameJson(earlier, tool) ? [] : [tool]), ...(repeated.get(tool.name) ?? [])];
    return diffToolPoison(earlier, added, scanContext);
  });
  const judged = changes.map(judgeIcons);
  const found = [...taken, ...poison];
  if (found.length === 0) return judged;
  return [...judged, ...found].sort((a, b) => byCodeUnit(currentTool(a) ?? "", currentTool(b) ?? ""));
}

/** Returns the finding for a tool whose name equals or resembles that of another server's tool, which `after` names. */
function takenName(server: string, tool: string, { server: other, tool: alike }: ToolOfServer): Change {
  const after = { shadows: { server: other, tool: alike.name } };
  return makeChange(NAME_TAKEN, { server, tool, path: "" }, { after });
}

/** Returns the change as a security finding if its icons are suspicious, or else unchanged. */
export function judgeIcons(change: Change): Change {
  const isOfIcons =
    change.rule === "icons-changed" ||
    (change.rule === "server-info-changed" && change.path === "/serverInfo/icons");
  if (!isOfIcons || !isIconsChangeSuspicious(change.before, change.after)) return change;
  return { ...change, security: true, reason: "they come from another origin, or may contain a script" };
}

/**
 * Whether a change of icons is suspicious: an icon has a new origin, or one is an SVG and none was before. An SVG can
 * contain a script (specification 2025-11-25, `Icon`).
 */
export function isIconsChangeSuspicious(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): boolean {
  const [old, now] = [iconsOf(before), iconsOf(after)];
  const origins = new Set(old.map(({ origin }) => origin));
  return (
    (now.some(({ isSvg }) => isSvg) && !old.some(({ isSvg }) => isSvg)) ||
    now.some(({ origin }) => !isAllowed(origin) || (old.length > 0 && !origins.has(origin)))
  );
}

interface Icon {
  readonly origin: string;
  readonly isSvg: boolean;
}

/** Whether the specification allows the scheme of an icon; it forbids those that can run code. */
function isAllowed(origin: string): boolean {
  return origin === "" || origin === "data:" || /^https?:/.test(origin);
}

function iconsOf(value: JsonValue | undefined): readonly Icon[] {
  if (!Array.isArray(value)) return [];
  return value.map((icon: JsonValue): Icon => {
    const source = findOwn(icon, "src");
    const type = findOwn(icon, "mimeType");
    const address = typeof source === "string" ? source.trim() : "";
    return {
      origin: originOf(address),
      isSvg:
        (typeof type === "string" && /svg/i.test(type)) ||
        /^data:image\/svg/i.test(address) ||
        /\.svgz?(?:$|[?#])/i.test(address),
    };
  });
}

function originOf(address: string): string {
  const scheme = /^[a-z][a-z\d+.-]*:/i.exec(address)?.[0].toLowerCase() ?? "";
  if (scheme !== "https:" && scheme !== "http:") return scheme;
  return /^https?:[\\/]*([^\\/?#]*)/i.exec(address)?.[0].toLowerCase() ?? scheme;
}

export interface ScanOptions {
  /**
   * Whether the texts of a tool passed an earlier scan by the same rules and are read only if they name a tool of
   * another server, which may be new; none by default.
   */
  readonly hasPassed?: ((server: string, tool: string) => boolean) | undefined;
}

/**
 * Finds misleading texts and similar names of tools in a lock, as if all its tools were new.
 *
 * @param waivers A tool whose similar name was accepted is the copy, so the other tool is not reported.
 */
export function scanLock(
  lock: Lockfile,
  waivers: readonly Waiver[],
  { hasPassed = () => false }: ScanOptions = {},
): readonly Change[] {
  const toolNames = indexLockedTools(lock);
  const contextOf = scanContexts(lock);
  return Object.entries(lock.servers).flatMap(([server, locked]) => {
    const scanContext = contextOf(server);
    return [
      ...scanIdentity(server, lock),
      ...diffEntryPoison(undefined, snapshotEntries(locked), scanContext),
      ...Object.entries(locked.tools).flatMap(([tool, { definition, repeated = [] }]) =>
        hasPassed(server, tool) && repeated.length === 0 && !namesOtherTool(definition, scanContext)
          ? []
          : diffToolPoison(undefined, [definition, ...repeated], scanContext),
      ),
      ...findTakenNames(server, lock, toolNames, waivers),
    ];
  });
}

/**
 * Returns a function that reads the texts of a tool ahead of {@link scanLock}, which then takes no time for it: while
 * something else has to be waited for.
 */
export function createToolScan(lock: Lockfile): (server: string, tool: string) => void {
  const contextOf = scanContexts(lock);
  return (server, tool) => {
    const locked = getOwn(getOwn(lock.servers, server)?.tools ?? {}, tool);
    if (locked === undefined) return;
    diffToolPoison(undefined, [locked.definition, ...(locked.repeated ?? [])], contextOf(server));
  };
}

function scanContexts(lock: Lockfile<unknown>): (server: string) => ScanContext {
  const contexts = new Map<string, ScanContext>();
  return (server) => {
    const context = contexts.get(server) ?? scanContextOf(server, lock);
    contexts.set(server, context);
    return context;
  };
}

/** Finds misleading texts in the metadata of a locked server. Needs only the names of the tools. */
function scanIdentity(server: string, lock: Lockfile<unknown>): readonly Change[] {
  const locked = getOwn(lock.servers, server);
  if (locked === undefined) return [];
  return diffIdentityPoison(undefined, locked.identity, scanContextOf(server, lock));
}

function scanContextOf(server: string, lock: Lockfile<unknown>): ScanContext {
  const namesOf = (isWanted: (name: string) => boolean): ReadonlySet<string> =>
    new Set(
      Object.entries(lock.servers).flatMap(([name, { tools }]) => (isWanted(name) ? Object.keys(tools) : [])),
    );
  return { server, own: namesOf((name) => name === server), others: namesOf((name) => name !== server) };
}

/** Returns the index of the tools of all servers in a lock. */
export function indexLockedTools(lock: Lockfile): ToolNameIndex {
  return indexToolNames(
    Object.entries(lock.servers).map(([server, { tools, wordpress }]) => ({
      server,
      tools: Object.values(tools).map(({ definition }) => definition),
      abilities:
        wordpress &&
        Object.fromEntries(
          Object.entries(tools).flatMap(([name, { ability }]) =>
            ability === undefined ? [] : [[name, ability]],
          ),
        ),
    })),
  );
}

function findTakenNames(
  server: string,
  lock: Lockfile,
  toolNames: ToolNameIndex,
  waivers: readonly Waiver[],
): readonly Change[] {
  return Object.values(lock.servers[server]?.tools ?? {}).flatMap(({ definition }) => {
    const alike = toolNames.alike(server, definition);
    const findings = alike.map((other) => takenName(server, definition.name, other));
    const accepted = findings.filter((finding) => isAccepted(finding, waivers));
    if (accepted.length > 0) return accepted.slice(0, 1);
    // Without a waiver, the first server has the original.
    const [original] = alike.filter(
      (other) =>
        other.server < server &&
        !isAccepted(takenName(other.server, other.tool.name, { server, tool: definition }), waivers),
    );
    return original === undefined ? [] : [takenName(server, definition.name, original)];
  });
}

function isAccepted(finding: Change, waivers: readonly Waiver[]): boolean {
  const { after } = digestsOf(finding);
  return waivers.some(
    ({ rule, server, tool, digests }) =>
      rule === finding.rule && server === finding.server && tool === finding.tool && digests.after === after,
  );
}

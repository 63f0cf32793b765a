import { type Change, NAME_TAKEN } from "../../core/change.js";
import { currentTool } from "../../core/rename.js";
import { byCodeUnit, findOwn, type JsonValue } from "../../core/json.js";
import type { ToolSnapshot } from "../../core/snapshot.js";
import { makeChange } from "../unconfirmed-change.js";
import { isSameJson } from "../../core/json-pointer.js";
import { diffEntryPoison, diffIdentityPoison, diffToolPoison } from "./find-poison.js";
import { indexToolNames, type ToolNameIndex } from "./texts.js";
import { snapshotEntries } from "../../core/lock-server.js";
import type { Lockfile } from "../../core/lockfile.js";

/**
 * Adds findings to the changes between two lists of tools: new misleading texts, names that resemble tools of other
 * servers, and suspicious icons. Keeps the order of tools.
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
  const shadowing = added.flatMap((tool): readonly Change[] => {
    const [alike] = toolNames.alike(server, tool);
    if (alike === undefined) return [];
    const after = { shadows: { server: alike.server, tool: alike.tool.name } };
    return [makeChange(NAME_TAKEN, { server, tool: tool.name, path: "" }, { after })];
  });
  const poison = [...after.values()].flatMap((tool) => {
    const earlier = before.get(tool.name);
    const added = [...(isSameJson(earlier, tool) ? [] : [tool]), ...(repeated.get(tool.name) ?? [])];
    return diffToolPoison(earlier, added, scanContext);
  });
  const judged = changes.map(judgeIcons);
  const findings = [...shadowing, ...poison];
  if (findings.length === 0) return judged;
  return [...judged, ...findings].sort((a, b) => byCodeUnit(currentTool(a) ?? "", currentTool(b) ?? ""));
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
  const iconsBefore = iconsOf(before);
  const iconsAfter = iconsOf(after);
  const origins = new Set(iconsBefore.map(({ origin }) => origin));
  return (
    (iconsAfter.some(({ isSvg }) => isSvg) && !iconsBefore.some(({ isSvg }) => isSvg)) ||
    iconsAfter.some(({ origin }) => !isAllowed(origin) || (iconsBefore.length > 0 && !origins.has(origin)))
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

/** Finds misleading texts in a lock, as if all its tools were new. */
export function scanLock(lock: Lockfile): readonly Change[] {
  const toolNames = indexLockedTools(lock);
  return Object.entries(lock.servers).flatMap(([server, locked]) => {
    const names = new Set(Object.keys(locked.tools));
    const scanContext = { server, own: names, others: toolNames.othersOf(server) };
    return [
      ...diffIdentityPoison(undefined, locked.identity, scanContext),
      ...diffEntryPoison(undefined, snapshotEntries(locked), scanContext),
      ...Object.values(locked.tools).flatMap(({ definition, repeated = [] }) =>
        diffToolPoison(undefined, [definition, ...repeated], scanContext),
      ),
    ];
  });
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

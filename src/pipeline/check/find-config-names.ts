import { relative, sep } from "node:path";
import { locateKeys } from "../../config/locate-keys.js";
import { findTexts, OF_POLICY } from "../../config/match-tools.js";
import { type CallSite, type Change, keyOfTool } from "../../core/change.js";
import { describeRenamed } from "../../core/rename.js";
import type { LockedServers } from "../../core/lockfile.js";
import { mapEntries } from "../../core/json.js";
import type { KeyPath } from "../../core/json-pointer.js";
import { createLocator, type TextPlace } from "../../core/json-text.js";
import { isNamePattern } from "../../core/name-pattern.js";
import type { Project } from "../../project/project.js";

/** A name in the configuration that no locked tool has. */
interface ConfigMention {
  /** The locked servers that it may be meant for. */
  readonly servers: readonly string[];
  readonly tool: string;
  /** The name as the file spells it. */
  readonly text: string;
  readonly verb: "allows" | "denies" | "annotates";
  /** Where the name is in the configuration. */
  readonly key: KeyPath;
}

/**
 * Returns the names in the policy and in annotations that no locked tool has. If a server renames a tool, its name here no
 * longer allows, denies or annotates it. Patterns are left out, since they may be for tools to come: they are notes.
 */
export function findConfigNames(
  { config }: Pick<Project, "config">,
  { servers }: LockedServers<unknown>,
): readonly ConfigMention[] {
  const has = (server: string, tool: string): boolean => Object.hasOwn(servers[server]?.tools ?? {}, tool);
  const annotated = Object.keys(servers).flatMap((server) =>
    findTexts(config, ["servers", server, "tools", "annotations", "{}"])
      .filter(({ text }) => !isNamePattern(text) && !has(server, text))
      .map((name): ConfigMention => ({ ...name, servers: [server], tool: name.text, verb: "annotates" })),
  );
  // A name without a server may be that of the program's own tool.
  const all = (config.serve?.tools ?? []).length > 0 ? [] : Object.keys(servers);
  const selected = OF_POLICY.flatMap((path) => findTexts(config, path));
  const named = selected.flatMap(({ text, key }): readonly ConfigMention[] => {
    const owner = Object.keys(servers).find((server) => text.startsWith(`${server}__`));
    const tool = owner === undefined ? text : text.slice(owner.length + 2);
    const meant = owner !== undefined ? [owner] : text.includes("__") ? [] : all;
    const verb = key[3] === "allow" ? "allows" : "denies";
    return meant.length === 0 || isNamePattern(text) || meant.some((server) => has(server, tool))
      ? []
      : [{ servers: meant, tool, text, verb, key }];
  });
  return [...annotated, ...named];
}

/** Adds the names in the configuration that no tool has after changes, beside the places in the user's code. */
export async function addConfigNames(
  changes: readonly Change[],
  project: Project,
  lock: LockedServers<unknown>,
): Promise<readonly Change[]> {
  const gone = changes.filter(({ rule }) => rule === "tool-removed" || rule === "tool-renamed");
  if (gone.length === 0) return changes;
  const unknown = new Set(findConfigNames(project, lock).map(({ text }) => text));
  const added = findConfigNames(project, withoutTools(lock, gone)).filter(({ text }) => !unknown.has(text));
  if (added.length === 0) return changes;
  const placed = await placeConfigNames(project, added);
  return changes.map((change) => {
    if (!gone.includes(change)) return change;
    const { rule, server, tool, callSites = [] } = change;
    const became = rule === "tool-renamed" ? describeRenamed(change, String) : "removed";
    const sites = placed
      .filter((name) => name.tool === tool && name.servers.includes(server))
      .map(({ text, verb, path, place }): CallSite => {
        const says = `${verb} \`${text}\`, ${became}`;
        return { file: path, ...place, says, effect: "names-it" };
      });
    return sites.length === 0 ? change : { ...change, callSites: [...callSites, ...sites] };
  });
}

function withoutTools({ servers }: LockedServers<unknown>, gone: readonly Change[]): LockedServers<unknown> {
  const names = new Set(gone.map(keyOfTool));
  const kept = mapEntries(servers, (block, server) => {
    const tools = Object.entries(block.tools).filter(([tool]) => !names.has(keyOfTool({ server, tool })));
    return { ...block, tools: Object.fromEntries(tools) };
  });
  return { servers: kept };
}

/** Finds names in the file of the configuration: the only mention of a name, or else the text at its key. */
export async function placeConfigNames(
  project: Project,
  mentions: readonly ConfigMention[],
): Promise<readonly (ConfigMention & { readonly path: string; readonly place: TextPlace })[]> {
  const source = await project.text();
  const path = relative(project.dir, project.path).split(sep).join("/");
  const locate = createLocator(source);
  const isPart = (at: number): boolean => /[\w./-]/.test(source.charAt(at));
  const findAll = (text: string): readonly TextPlace[] => {
    const places: TextPlace[] = [];
    for (let at = source.indexOf(text); at !== -1; at = source.indexOf(text, at + 1))
      if (!isPart(at - 1) && !isPart(at + text.length)) places.push(locate(at));
    return places;
  };
  // Without Prettier, and for a configuration that a function returns, no key has a place.
  const paths = mentions.map(({ key }) => key);
  const keys = await locateKeys(project.path, paths, source);
  return mentions.map((mention, index) => {
    const places = findAll(mention.text);
    const key = keys[index];
    // The place of a key that is written in quotes is that of the quote.
    const atKey = places.find(
      ({ line, column }) => line === key?.line && (column === key.column || column === key.column + 1),
    );
    const place = atKey ?? (places.length === 1 ? places[0] : key) ?? places[0] ?? { line: 1, column: 1 };
    return { ...mention, path, place };
  });
}

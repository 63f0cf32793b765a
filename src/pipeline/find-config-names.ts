import { relative, sep } from "node:path";
import type { LoadedConfig } from "../config/load-config.js";
import { isPattern } from "../config/match-tools.js";
import type { CallSite, Change } from "../contract/change.js";
import type { LockedServer, Lockfile } from "../contract/lockfile.js";
import { findBounded } from "../files/read-bounded.js";

/** A name in the configuration that no locked tool has. */
export interface ConfigMention {
  /** The locked servers that it may be meant for. */
  readonly servers: readonly string[];
  readonly tool: string;
  /** The name as it is written. */
  readonly text: string;
  readonly verb: "allows" | "denies" | "annotates";
}

/**
 * Returns the names in the policy and in annotations that no locked tool has. If a server renames a tool, its name here no
 * longer allows, denies or annotates it. Patterns are left out, since they may be for tools to come.
 */
export function findConfigNames(
  { config }: Pick<LoadedConfig, "config">,
  { servers }: Pick<Lockfile<unknown>, "servers">,
): readonly ConfigMention[] {
  const has = (server: string, tool: string): boolean => Object.hasOwn(servers[server]?.tools ?? {}, tool);
  const annotated = Object.entries(config.servers).flatMap(([server, { tools }]) =>
    Object.keys(servers[server] === undefined ? {} : (tools?.annotations ?? {}))
      .filter((tool) => !isPattern(tool) && !has(server, tool))
      .map((tool): ConfigMention => ({ servers: [server], tool, text: tool, verb: "annotates" })),
  );
  // A name without a server may be that of the program's own tool.
  const all = (config.serve?.tools ?? []).length > 0 ? [] : Object.keys(servers);
  const { focusModes = {}, roles = {} } = config.policy ?? {};
  const selected = [...Object.values(focusModes), ...Object.values(roles)].flatMap(
    ({ allow = [], deny = [] }) => [
      ...allow.flatMap(({ names = [] }) => names.map((name) => ({ name, verb: "allows" as const }))),
      ...deny.flatMap(({ names = [] }) => names.map((name) => ({ name, verb: "denies" as const }))),
    ],
  );
  const named = selected.flatMap(({ name: text, verb }): readonly ConfigMention[] => {
    const owner = Object.keys(servers).find((server) => text.startsWith(`${server}__`));
    const tool = owner === undefined ? text : text.slice(owner.length + 2);
    const meant = owner !== undefined ? [owner] : text.includes("__") ? [] : all;
    return meant.length === 0 || isPattern(text) || meant.some((server) => has(server, tool))
      ? []
      : [{ servers: meant, tool, text, verb }];
  });
  return [...annotated, ...named];
}

/** Adds the names in the configuration that no tool has after changes, beside the places in the user's code. */
export async function addConfigNames(
  changes: readonly Change[],
  loaded: LoadedConfig,
  lock: Pick<Lockfile<unknown>, "servers">,
): Promise<readonly Change[]> {
  const gone = changes.filter(({ rule }) => rule === "tool-removed" || rule === "tool-renamed");
  if (gone.length === 0) return changes;
  const unknown = new Set(findConfigNames(loaded, lock).map(({ text }) => text));
  const added = findConfigNames(loaded, withoutTools(lock, gone)).filter(({ text }) => !unknown.has(text));
  if (added.length === 0) return changes;
  const config = await openConfigFile(loaded);
  return changes.map((change) => {
    if (!gone.includes(change)) return change;
    const { rule, server, tool, after, callSites = [] } = change;
    const became =
      rule === "tool-renamed" && typeof after === "string" ? `renamed to \`${after}\`` : "removed";
    const sites = added
      .filter((one) => one.tool === tool && one.servers.includes(server))
      .map(({ text, verb }): CallSite => {
        const says = `${verb} \`${text}\`, ${became}`;
        return { file: config.path, ...config.find(text, verb), says, effect: "names-it" };
      });
    return sites.length === 0 ? change : { ...change, callSites: [...callSites, ...sites] };
  });
}

function withoutTools(
  { servers }: Pick<Lockfile<unknown>, "servers">,
  gone: readonly Change[],
): Pick<Lockfile<unknown>, "servers"> {
  const names = new Set(gone.map(({ server, tool }) => JSON.stringify([server, tool])));
  const keep = (server: string, tools: LockedServer<unknown>["tools"]): LockedServer<unknown>["tools"] =>
    Object.fromEntries(Object.entries(tools).filter(([tool]) => !names.has(JSON.stringify([server, tool]))));
  return {
    servers: Object.fromEntries(
      Object.entries(servers).map(([name, server]) => [name, { ...server, tools: keep(name, server.tools) }]),
    ),
  };
}

/** The keys below which names have an effect. */
const KEYS = { annotates: "annotations", allows: "allow", denies: "deny" } as const;

/** The file of the configuration, and where it first has a text: below the key that gives it its effect, if there. */
export async function openConfigFile({ path, dir }: LoadedConfig): Promise<{
  readonly path: string;
  readonly find: (
    text: string,
    verb?: ConfigMention["verb"],
  ) => { readonly line: number; readonly column: number };
}> {
  const source = new TextDecoder().decode(await findBounded(path));
  return {
    path: relative(dir, path).split(sep).join("/"),
    find: (text, verb) => {
      const isPart = (at: number): boolean => /[\w./-]/.test(source.charAt(at));
      const findFrom = (start: number): number => {
        let at = source.indexOf(text, start);
        while (at > 0 && (isPart(at - 1) || isPart(at + text.length))) at = source.indexOf(text, at + 1);
        return at;
      };
      const below = verb === undefined ? -1 : findFrom(Math.max(source.indexOf(KEYS[verb]), 0));
      const at = below === -1 ? findFrom(0) : below;
      const before = source.slice(0, Math.max(at, 0)).split("\n");
      return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
    },
  };
}

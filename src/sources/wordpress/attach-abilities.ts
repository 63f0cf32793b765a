import {
  toolNameOf,
  type AbilityRoute,
  type AbilitySnapshot,
  type AdapterProfile,
  type LockedAbility,
} from "../../contract/ability.js";
import type { ServerSnapshot, ToolSnapshot } from "../../contract/snapshot.js";
import type { AbortSignalLike } from "../../transport/abort-signal.js";
import type { Endpoint } from "../../transport/endpoint.js";
import type { Session } from "../../transport/session.js";
import { findProfile } from "./find-profile.js";
import { isLockable, type FoundAbility } from "../../listing/found-ability.js";
import { listAbilities } from "../../listing/list-abilities.js";
import { hasMetaTools } from "../../listing/meta-tools.js";
import { projectAbilities } from "../../listing/project-abilities.js";
import { findLocale, listOverRest, restOptionsOf } from "../../listing/rest-abilities.js";

export interface AttachAbilitiesOptions {
  readonly session: Session;
  readonly endpoint: Endpoint;
  /** Milliseconds for each answer of the REST API. */
  readonly timeout: number;
  readonly signal?: AbortSignalLike | undefined;
  /** As the configuration says; found out otherwise. */
  readonly route?: AbilityRoute | undefined;
  readonly profile?: AdapterProfile | undefined;
  /** Hears how many abilities are known so far. */
  readonly onAbility?: (count: number) => void;
  /** What an earlier reading of the same list found: it is filled, and not asked for again. */
  readonly memory?: AbilityMemory;
}

/** What was read about the abilities of a site. */
export interface AbilityMemory {
  known?: ReadonlyMap<string, FoundAbility>;
  locale?: string | undefined;
}

/**
 * What a server lists, with the abilities behind it where it is a WordPress. The adapter's default server has three
 * meta-tools in place of its abilities: each ability becomes a tool. On another server of the adapter the tools are the
 * abilities, and the REST API tells how they are registered. What is no WordPress comes back as it is.
 */
export async function attachAbilities(
  listed: ServerSnapshot,
  options: AttachAbilitiesOptions,
): Promise<ServerSnapshot> {
  const rest = restOptionsOf(options);
  const route = options.route ?? (hasMetaTools(listed.tools) ? "execute" : "tools");
  if (route === "tools" && rest === undefined) return listed;
  const memory = options.memory ?? {};
  // The REST route has no other list that a second reading could be compared with.
  const isKnown = memory.known !== undefined && route !== "rest";
  if (rest !== undefined && !isKnown) {
    const [told, found] = await Promise.all([
      listOverRest(rest).catch(ignoreOutage),
      findLocale(rest).catch(ignoreOutage),
    ]);
    memory.known = told?.abilities ?? new Map();
    memory.locale = found;
  }
  const { known = new Map<string, FoundAbility>(), locale } = memory;
  const listing = { ...listed.listing, ...(locale !== undefined && { locale }) };
  if (route === "tools") return explainTools({ ...listed, listing }, known, options);
  const found =
    route === "rest"
      ? [...known.values()]
      : await listAbilities(options.session, {
          known,
          signal: options.signal,
          ...(options.onAbility && { onAbility: options.onAbility }),
        });
  memory.known = new Map([...known, ...found.map((one) => [one.ability.name, one] as const)]);
  // Through the execute tool an ability keeps all that it says, as under the profile that leaves nothing out.
  const profile = options.profile ?? "0.4";
  return {
    ...listed,
    listing,
    wordpress: { profile, route },
    ...projectAbilities(listed.server, found, profile),
  };
}

/** The REST API tells more where it is open, and nothing depends on it. */
function ignoreOutage(error: unknown): undefined {
  if (error instanceof Error && "exitCode" in error) return undefined;
  throw error;
}

/** The tools of a server of the adapter, with their abilities where the REST API tells them. */
function explainTools(
  listed: ServerSnapshot,
  known: ReadonlyMap<string, FoundAbility>,
  { profile, route }: AttachAbilitiesOptions,
): ServerSnapshot {
  const byTool = new Map<string, AbilitySnapshot>();
  for (const { ability } of [...known.values()].filter(isLockable))
    byTool.set(toolNameOf(ability.name), ability);
  const abilities = listed.tools.flatMap(({ name }): [string, LockedAbility][] => {
    const definition = byTool.get(name);
    return definition === undefined ? [] : [[name, { definition }]];
  });
  const isAdapter = abilities.length > 0 || profile !== undefined || route !== undefined;
  if (!isAdapter && !isOldAdapter(listed.tools)) return listed;
  return {
    ...listed,
    wordpress: { profile: profile ?? findProfile(listed.tools, byTool), route: "tools" },
    ...(abilities.length > 0 && { abilities: Object.fromEntries(abilities) }),
  };
}

/** Adapter 0.4 gives every tool a `type` that no specification knows. */
function isOldAdapter(tools: readonly ToolSnapshot[]): boolean {
  return tools.length > 0 && tools.every((tool) => tool["type"] === "action");
}

import {
  toolNameOf,
  type AbilityRoute,
  type AbilitySnapshot,
  type AdapterProfile,
  type LockedAbility,
} from "../../contract/ability.js";
import type { Diagnostic } from "../../contract/diagnostic.js";
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
  /** The configured route; detected by default. */
  readonly route?: AbilityRoute | undefined;
  readonly profile?: AdapterProfile | undefined;
  /** Called with the number of abilities read so far. */
  readonly onAbility?: (count: number) => void;
  /** The results of an earlier reading. They are reused, and filled in the first reading. */
  readonly memory?: AbilityMemory;
}

/** The abilities and the locale of a site. */
export interface AbilityMemory {
  known?: ReadonlyMap<string, FoundAbility>;
  locale?: string | undefined;
}

/**
 * Returns a list with the abilities of its WordPress. The adapter's default server has three meta-tools
 * instead of abilities: each ability becomes a tool. On other servers of the adapter, the tools are the
 * abilities, and the REST API returns their registrations. A list of another server is returned unchanged.
 */
export async function attachAbilities(
  listed: ServerSnapshot,
  options: AttachAbilitiesOptions,
): Promise<ServerSnapshot> {
  const rest = restOptionsOf(options);
  const route = options.route ?? (hasMetaTools(listed.tools) ? "execute" : "tools");
  if (route === "tools" && rest === undefined) return listed;
  const memory = options.memory ?? {};
  // The REST route has only this list to confirm, so it reads it again.
  const isKnown = memory.known !== undefined && route !== "rest";
  if (rest !== undefined && !isKnown) {
    const [overRest, siteLocale] = await Promise.all([
      listOverRest(rest).catch(ignoreOutage),
      memory.known === undefined ? findLocale(rest).catch(ignoreOutage) : memory.locale,
    ]);
    memory.known = overRest?.abilities ?? new Map();
    memory.locale = siteLocale;
  }
  const { known = new Map<string, FoundAbility>(), locale } = memory;
  const listing = { ...listed.listing, ...(locale !== undefined && { locale }) };
  if (route === "tools") return attachToTools({ ...listed, listing }, known, options);
  const found =
    route === "rest"
      ? [...known.values()]
      : await listAbilities(options.session, {
          known,
          signal: options.signal,
          ...(options.onAbility && { onAbility: options.onAbility }),
        });
  memory.known = new Map([...known, ...found.map((one) => [one.ability.name, one] as const)]);
  // The execute tool keeps all keys of an ability, like profile 0.4.
  const profile = options.profile ?? "0.4";
  return {
    ...listed,
    listing,
    wordpress: { profile, route },
    ...projectAbilities(listed.server, found, profile),
  };
}

/** The REST API is optional: its errors are ignored. */
function ignoreOutage(error: unknown): undefined {
  if (error instanceof Error && "exitCode" in error) return undefined;
  throw error;
}

/** Returns the tools of an adapter's server, with the abilities that the REST API returns. */
function attachToTools(
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

/** Adapter 0.4 gives every tool a `type`, which is not in the specification. */
function isOldAdapter(tools: readonly ToolSnapshot[]): boolean {
  return tools.length > 0 && tools.every((tool) => tool["type"] === "action");
}

const WOOCOMMERCE = "/woocommerce/mcp";
/** See woocommerce/woocommerce, pull request 64425. */
const DEPRECATED =
  "WooCommerce has deprecated its MCP server at /woocommerce/mcp. Use the MCP adapter's default server, /mcp/mcp-adapter-default-server, with an application password.";

/** Returns a diagnostic when the URL is that of a deprecated MCP server. */
export function findDeprecatedServer(server: string, url: string): readonly Diagnostic[] {
  const { pathname, searchParams } = new URL(url);
  const route = searchParams.get("rest_route") ?? pathname;
  if (!route.replace(/\/$/, "").endsWith(WOOCOMMERCE)) return [];
  return [{ code: "SERVER_DEPRECATED", server, tool: "", path: "", message: DEPRECATED }];
}

import {
  toolNameOf,
  type AbilityRoute,
  type AbilitySnapshot,
  type AdapterProfile,
  type LockedAbility,
} from "../../../core/ability.js";
import { McpCodegenError } from "../../../core/errors.js";
import type { Diagnostic } from "../../../core/diagnostic.js";
import type { ServerSnapshot, ToolSnapshot } from "../../../core/snapshot.js";
import type { AbortSignalLike } from "../../abort-signal.js";
import type { Endpoint } from "../../endpoint.js";
import type { RequestContext } from "../../session.js";
import { findProfile, projectAbilities } from "./project-ability.js";
import {
  type FoundAbility,
  hasMetaTools,
  isLockable,
  listAbilityNames,
  readAbilities,
} from "./read-abilities.js";
import { findLocale, listOverRest, restOptionsOf } from "./rest.js";

/** The configured parts of how a WordPress is listed; the others are detected. */
export interface WordPressSettings {
  readonly route?: AbilityRoute | undefined;
  readonly profile?: AdapterProfile | undefined;
}

interface AttachAbilitiesOptions extends WordPressSettings {
  readonly session: RequestContext;
  /** Absent for a session that the program opened: only its tools are asked. */
  readonly endpoint: Endpoint | undefined;
  /** Milliseconds for each answer of the REST API. */
  readonly timeout: number;
  readonly signal?: AbortSignalLike | undefined;
  /** Called with the number of abilities read so far. */
  readonly onAbility?: ((count: number) => void) | undefined;
  /** The results of an earlier reading. They are reused, and filled in the first reading. */
  readonly memory?: AbilityMemory | undefined;
  /** Whether the ability of a tool is read. Default: all are, with the locale of the site. */
  readonly wants?: ((tool: string) => boolean) | undefined;
}

/** The abilities and the locale of a site. */
export interface AbilityMemory {
  known?: ReadonlyMap<string, FoundAbility>;
  locale?: string | undefined;
}

/** The list of a server in an open session. */
export interface ListedTools {
  readonly snapshot: ServerSnapshot;
  /** The names of all its tools. Tools of abilities that were not wanted are not in the snapshot. */
  readonly names: readonly string[];
  /** Whether the REST API of a WordPress was asked for its abilities and did not list them. */
  readonly lacksRest: boolean;
}

/**
 * Returns a list with the abilities of its WordPress. The adapter's default server has three meta-tools
 * instead of abilities: each ability becomes a tool. On other servers of the adapter, the tools are the
 * abilities, and the REST API returns their registrations. A list of another server is returned unchanged.
 */
export async function attachAbilities(
  listed: ServerSnapshot,
  {
    session,
    endpoint,
    timeout,
    signal,
    onAbility,
    wants,
    memory = {},
    ...configured
  }: AttachAbilitiesOptions,
): Promise<ListedTools> {
  const names = listed.tools.map(({ name }) => name);
  const rest = restOptionsOf({ endpoint, timeout, signal });
  const route = configured.route ?? (hasMetaTools(listed.tools) ? "execute" : "tools");
  if (route === "tools" && rest === undefined) return { snapshot: listed, names, lacksRest: false };
  // The REST route has only this list to confirm, so it reads it again.
  const isKnown = memory.known !== undefined && route !== "rest";
  let lacksRest = false;
  if (rest !== undefined && !isKnown && (wants === undefined || names.some(wants))) {
    const ignoreOutage = (error: unknown): undefined => {
      if (signal?.aborted === true || !(error instanceof McpCodegenError)) throw error;
    };
    const [overRest, siteLocale] = await Promise.all([
      listOverRest(rest).catch(ignoreOutage),
      memory.known === undefined && wants === undefined
        ? findLocale(rest).catch(ignoreOutage)
        : memory.locale,
    ]);
    lacksRest = overRest === undefined;
    memory.known = overRest?.abilities ?? new Map();
    memory.locale = siteLocale;
  }
  const { known = new Map<string, FoundAbility>(), locale } = memory;
  const notes = rest === undefined ? [] : findDeprecatedServer(listed.server, rest.endpoint.url);
  const snapshot: ServerSnapshot = {
    ...listed,
    listing: { ...listed.listing, ...(locale !== undefined && { locale }) },
    diagnostics: [...listed.diagnostics, ...notes],
  };
  if (route === "tools") return { snapshot: attachToTools(snapshot, known, configured), names, lacksRest };
  const abilities =
    route === "rest" ? [...known.keys()] : await listAbilityNames(session, signal, [...known.keys()]);
  const wanted = abilities.filter((name) => wants?.(toolNameOf(name)) ?? true);
  const found = await readAbilities(session, wanted, { known, signal, onAbility });
  memory.known = new Map([...known, ...found.map((one) => [one.ability.name, one] as const)]);
  // The execute tool keeps all keys of an ability, like profile 0.4.
  const profile = configured.profile ?? "0.4";
  const projected = projectAbilities(listed.server, found, profile);
  const diagnostics = [...projected.diagnostics, ...notes];
  return {
    snapshot: { ...snapshot, wordpress: { profile, route }, ...projected, diagnostics },
    names: abilities.map(toolNameOf),
    lacksRest,
  };
}

/** Returns the tools of an adapter's server, with the abilities that the REST API returns. */
function attachToTools(
  listed: ServerSnapshot,
  known: ReadonlyMap<string, FoundAbility>,
  { profile, route }: WordPressSettings,
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

function findDeprecatedServer(server: string, url: string): readonly Diagnostic[] {
  const { pathname, searchParams } = new URL(url);
  const route = searchParams.get("rest_route") ?? pathname;
  if (!route.replace(/\/$/, "").endsWith(WOOCOMMERCE)) return [];
  return [{ code: "SERVER_DEPRECATED", server, tool: "", path: "", message: DEPRECATED }];
}

import type { PhpConfig, ServerConfig } from "../../config/config.js";
import { isIncluded } from "../../config/match-tools.js";
import {
  toolNameOf,
  type AbilityRoute,
  type AbilitySnapshot,
  type AdapterProfile,
  type LockedAbility,
  type WordPressListing,
} from "../../core/ability.js";
import { McpCodegenError } from "../../core/errors.js";
import { byCodeUnit, getOwn, isJsonObject } from "../../core/json.js";
import type { LockedServer, LockedTool } from "../../core/lockfile.js";
import type { ServerSnapshot } from "../../core/snapshot.js";
import {
  findProfile,
  projectAbilities,
  projectAbility,
} from "../../client/listing/wordpress/project-ability.js";
import { isPublicTool } from "../../client/listing/wordpress/read-abilities.js";
import type { PhpNotes } from "../../core/php-notes.js";
import type { PhpFailure, PhpReading, ReadPhpOptions } from "./php-reading.js";
import { readPhp } from "./read-php.js";

interface PhpSnapshot {
  readonly snapshot: ServerSnapshot;
  /**
   * Locked tools that this PHP code does not register, and that belong to other plugins. The snapshot has
   * their locked definitions.
   */
  readonly others: readonly string[];
  /**
   * See {@link PhpNotes.hidden}. Absent for a custom server: PHP code does not show which abilities it lists.
   */
  readonly hidden?: PhpNotes["hidden"] | undefined;
  /** Why a tool or its definition is not known, by tool. The snapshot has its locked definition. */
  readonly unresolved: ReadonlyMap<string, string>;
  /** The locked tools of each plugin that failed. The snapshot has their locked definitions too. */
  readonly failed: ReadonlyMap<PhpFailure, readonly string[]>;
  /** Registered abilities of which it is not known whether a server with its own list has them. */
  readonly unlisted: readonly string[];
  /** The locked tools that were not found because code did not run. The snapshot has their locked definitions too. */
  readonly lost: ReadonlyMap<PhpFailure, readonly string[]>;
}

/**
 * Returns the list of a server from its PHP code, without a lock.
 *
 * @throws McpCodegenError the errors of `readPhp`; `LIST_INCOMPLETE` when some abilities could not be read
 */
export async function snapshotPhp(
  server: string,
  php: PhpConfig,
  config: ServerConfig,
  options: ReadPhpOptions,
): Promise<ServerSnapshot> {
  const reading = await readPhp(server, php, options);
  assertRegistered(server, reading);
  const [failure] = reading.failures;
  if (failure !== undefined) {
    const hint = failure.hint === undefined ? {} : { hint: failure.hint };
    throw new McpCodegenError("PHP_FAILED", failure.reason, hint);
  }
  const [gap] = reading.gaps;
  if (gap !== undefined) {
    throw new McpCodegenError("LIST_INCOMPLETE", gap.reason, { hint: gap.hint ?? reading.hint });
  }
  return snapshotOfPhp(server, reading, undefined, config).snapshot;
}

/** Says that a callback is on a hook that WordPress does not fire. */
export function describeOld({ hook, file, line }: PhpReading["old"][number]): string {
  return `${file}:${line} is on the hook "${hook}", which WordPress does not fire: use "wp_${hook}"`;
}

/** @throws McpCodegenError `PHP_FAILED` if WordPress registers nothing of what the PHP wants to register */
export function assertRegistered(server: string, { abilities, refused, old }: PhpReading): void {
  const [first] = refused;
  const [why] =
    first === undefined
      ? old.map(describeOld)
      : [`${first.file}:${first.line} ${JSON.stringify(first.name)}: ${first.reason}`];
  if (abilities.length > 0 || why === undefined) return;
  const more = refused.length > 1 ? ` and ${refused.length - 1} more` : "";
  throw new McpCodegenError(
    "PHP_FAILED",
    `WordPress registers no ability of the PHP of ${JSON.stringify(server)}: ${why.replace(/\.$/, "")}${more}.`,
    { hint: "Correct the registration: a site does not register it either." },
  );
}

/**
 * Returns the list of a server from its PHP code: the locked tools, with the definitions that PHP registers.
 * A locked tool that PHP does not register is removed if the file that registered it was read; otherwise it
 * belongs to another plugin.
 */
export function snapshotOfPhp(
  server: string,
  reading: PhpReading,
  locked: LockedServer | undefined,
  config: ServerConfig,
): PhpSnapshot {
  const tools = new Map(Object.entries(locked?.tools ?? {}));
  const named = new Map(
    reading.abilities.map((phpAbility) => [toolNameOf(phpAbility.ability.name), phpAbility]),
  );
  const wordpress = listingOf(named, locked, config);
  const exposure = findExposure(wordpress, locked, config);
  const list = wordpress.route === "tools" ? listIn(reading, config) : undefined;
  // The list of a server names what is gone, in the namespaces that this PHP registers.
  const namespaces = new Set(
    list === undefined
      ? []
      : reading.abilities.flatMap(({ ability, file }) =>
          reading.covers(file) ? namespaceOf(ability.name) : [],
        ),
  );
  const isOwn = (ability: LockedAbility | undefined): boolean =>
    ability !== undefined && namespaces.has(namespaceOf(ability.definition.name));
  const undecided = [...reading.undecided].map(([name, why]) => [toolNameOf(name), why] as const);
  const missed = [...tools].flatMap(([name, { ability }]) => {
    if (named.has(name)) return [];
    const why = isOwn(ability) ? undefined : whyNotFound(ability, reading);
    return why === undefined ? [] : [[name, why] as const];
  });
  // The registrations of a plugin that failed halfway are not reliable.
  const failed = new Map(
    reading.failures.map((failure) => {
      const isOf = (file: string | undefined): boolean => file !== undefined && failure.covers(file);
      const names = [...tools].filter(([name, { ability }]) => isOf(named.get(name)?.file ?? ability?.file));
      return [failure, names.map(([name]) => name)] as const;
    }),
  );
  const doubts = new Map([...missed, ...undecided]);
  const lost = new Map<PhpFailure, string[]>(reading.gaps.map((gap) => [gap, []]));
  for (const [name, { ability }] of tools) {
    const file = ability?.file;
    if (named.has(name) || doubts.has(name) || file === undefined) continue;
    const gap = reading.gaps.find(({ covers }) => covers(file));
    if (gap !== undefined) lost.get(gap)?.push(name);
  }
  const unjudged = new Set([...failed.values(), ...lost.values()].flat());
  const unresolved = new Map([...doubts].filter(([name]) => !unjudged.has(name)));
  const isKept = (name: string): boolean => unresolved.has(name) || unjudged.has(name);
  const lockedAbilities = [...named].filter(
    ([name, { file }]) => !isKept(name) && !reading.failures.some(({ covers }) => covers(file)),
  );
  const listed = lockedAbilities.filter(([name, { ability }]) =>
    isServed(ability, { route: wordpress.route, exposure, isListed: list?.has(name) ?? tools.has(name) }),
  );
  const served = listed.filter(([name]) => isIncluded(config, name));
  const hidden = lockedAbilities
    .filter((entry) => !listed.includes(entry))
    .map(([, { ability }]) => ability.name);
  const key = wordpress.route === "rest" ? "meta.show_in_rest" : "meta.mcp.public";
  const abilities = served.map(([, { ability, file, fault }]) => ({ ability, file, fault }));
  const projected = projectAbilities(server, abilities, wordpress.profile);
  const others = [...tools].filter(
    ([name, { ability }]) =>
      isKept(name) || (!named.has(name) && !isOwn(ability) && !isCovered(ability, reading)),
  );
  return {
    others: others.map(([name]) => name).filter((name) => !isKept(name)),
    failed,
    lost,
    hidden: wordpress.route !== "tools" && hidden.length > 0 ? { abilities: hidden, key } : undefined,
    unresolved,
    unlisted:
      wordpress.route === "tools" && list === undefined
        ? lockedAbilities
            .filter(
              ([name, { file }]) => !tools.has(name) && reading.covers(file) && isIncluded(config, name),
            )
            // The adapter omits what it cannot project.
            .filter(([, { ability }]) => "tool" in projectAbility(ability, wordpress.profile))
            .map(([, { ability }]) => ability.name)
        : [],
    snapshot: {
      server,
      identity: locked?.identity ?? { serverInfo: {}, protocolVersion: "", capabilities: {} },
      listing: listingInSource(locked),
      wordpress,
      ...projected,
      tools: [...projected.tools, ...others.map(([, { definition }]) => definition)].sort((a, b) =>
        byCodeUnit(a.name, b.name),
      ),
      abilities: { ...projected.abilities, ...pick(others, ({ ability }) => ability) },
      unusable: { ...projected.unusable, ...pick(others, ({ unusable }) => unusable) },
    },
  };
}

function listingOf(
  named: ReadonlyMap<string, { readonly ability: AbilitySnapshot }>,
  locked: LockedServer | undefined,
  { wordpress: configured }: ServerConfig,
): WordPressListing {
  const listing = locked?.wordpress;
  const route = configured?.route ?? listing?.route ?? (locked === undefined ? "execute" : "tools");
  const definitions = Object.values(locked?.tools ?? {}).map(({ definition }) => definition);
  const abilities = new Map([...named].map(([name, { ability }]) => [name, ability]));
  // The execute tool keeps all keys of an ability, like profile 0.4.
  const fitting = (): WordPressListing["profile"] =>
    route === "tools" && locked !== undefined ? findProfile(definitions, abilities) : "0.4";
  return { profile: configured?.profile ?? listing?.profile ?? fitting(), route, projected: true };
}

/**
 * Returns the adapter version whose rule decides which abilities are listed. Without a configured profile it
 * is 0.4 for the execute tool, unless the lock has an ability that only 0.6 lists.
 */
function findExposure(
  { profile }: WordPressListing,
  locked: LockedServer | undefined,
  { wordpress: configured }: ServerConfig,
): AdapterProfile {
  if (configured?.profile !== undefined) return configured.profile;
  const listsAs06 = Object.values(locked?.tools ?? {}).some(
    ({ ability }) =>
      ability !== undefined &&
      isPublicTool(ability.definition, "0.6") &&
      !isPublicTool(ability.definition, "0.5"),
  );
  return listsAs06 ? "0.6" : profile;
}

/** Returns the tools that the PHP lists for a custom server; undefined if it makes no server with the configured address. */
function listIn({ servers }: PhpReading, { url = "" }: ServerConfig): ReadonlySet<string> | undefined {
  const [path = "", query = ""] = url.split(/[?#]/);
  const address = new URLSearchParams(query).get("rest_route") ?? path;
  const entry = [...servers].find(([route]) => address.replace(/\/$/, "").endsWith(`/${route}`));
  return entry && new Set(entry[1]);
}

function namespaceOf(ability: string): string {
  return ability.slice(0, ability.indexOf("/"));
}

interface ServingRules {
  readonly route: AbilityRoute;
  readonly exposure: AdapterProfile;
  /** Whether the list of a custom server has it, or else the lock. */
  readonly isListed: boolean;
}

/** Whether the server lists an ability. */
function isServed(ability: AbilitySnapshot, { route, exposure, isListed }: ServingRules): boolean {
  switch (route) {
    case "execute":
      return isPublicTool(ability, exposure);
    case "rest": {
      const meta = getOwn(ability, "meta");
      return isJsonObject(meta) && getOwn(meta, "show_in_rest") === true;
    }
    case "tools":
      return isListed;
    default:
      return route satisfies never;
  }
}

/**
 * Returns why a missing locked ability may still exist; undefined when it was removed, or belongs to other
 * PHP code.
 */
function whyNotFound(ability: LockedAbility | undefined, reading: PhpReading): string | undefined {
  if (ability === undefined) return undefined;
  const { file, definition } = ability;
  return file === undefined && reading.mentioned.has(definition.name)
    ? "This PHP code has its namespace but did not register it"
    : undefined;
}

function isCovered(ability: LockedAbility | undefined, { covers, isWhole }: PhpReading): boolean {
  if (ability === undefined) return false;
  return isWhole || (ability.file !== undefined && covers(ability.file));
}

/** Returns the locked listing. PHP code is in its source language. */
function listingInSource(locked: LockedServer | undefined): ServerSnapshot["listing"] {
  if (locked === undefined) return { clientCapabilities: {}, locale: SOURCE_LOCALE, pages: 0 };
  const { listing } = locked;
  return listing.locale === undefined ? listing : { ...listing, locale: SOURCE_LOCALE };
}

const SOURCE_LOCALE = "en_US";

function pick<T>(
  tools: readonly (readonly [string, LockedTool])[],
  read: (tool: LockedTool) => T | undefined,
): { readonly [tool: string]: T } {
  return Object.fromEntries(
    tools.flatMap(([name, tool]) => {
      const value = read(tool);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

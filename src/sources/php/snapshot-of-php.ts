import type { PhpConfig, ServerConfig } from "../../config/config.js";
import { isIncluded } from "../../config/match-tools.js";
import {
  toolNameOf,
  type AbilityRoute,
  type AbilitySnapshot,
  type AdapterProfile,
  type WordPressListing,
} from "../../core/ability.js";
import { omitUndefined } from "../../core/collections.js";
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
import type { PhpNotes } from "../../core/finding.js";
import type { PhpFailure, PhpReading, ReadPhpOptions } from "./php-answer.js";
import { listQuestions } from "./describe-dependence.js";
import { readPhp } from "./read-php.js";

interface PhpSnapshot {
  /** With the locked definitions of tools that are not known or not read. */
  readonly snapshot: ServerSnapshot;
  /** Locked tools that this PHP code does not register, and that belong to other plugins. */
  readonly others: readonly string[];
  /**
   * See {@link PhpNotes.hidden}. Absent for a custom server: PHP code does not show which abilities it lists.
   */
  readonly hidden?: PhpNotes["hidden"] | undefined;
  /** Why a tool or its definition is not known, by tool. */
  readonly unresolved: ReadonlyMap<string, string>;
  /** The locked tools that are not known since code failed or did not run. */
  readonly unread: ReadonlyMap<PhpFailure, readonly string[]>;
  /** Registered abilities of which it is not known whether a server with its own list has them. */
  readonly unlisted: readonly string[];
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
    throw new McpCodegenError("PHP_FAILED", failure.reason, { hint: failure.hint });
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

/** @throws McpCodegenError `PHP_FAILED` if the PHP runs, and registers nothing */
export function assertRegistered(server: string, reading: PhpReading): void {
  const { abilities, refused, old: hooks, elsewhere } = reading;
  const asked = [...reading.queries, ...reading.asked];
  if (abilities.length > 0 || reading.failures.length > 0 || reading.gaps.length > 0) return;
  const [first] = refused;
  const [why] =
    first === undefined
      ? hooks.map(describeOld)
      : [`${first.file}:${first.line} ${JSON.stringify(first.name)}: ${first.reason}`];
  const more = refused.length > 1 ? ` and ${refused.length - 1} more` : "";
  const perhaps = asked.length > 0 ? `, perhaps because of ${listQuestions(asked)}` : "";
  const unless =
    elsewhere === undefined || elsewhere.answers === ""
      ? perhaps
      : ` unless ${elsewhere.answers} (${elsewhere.place.file}:${elsewhere.place.line})`;
  const cause = why === undefined ? unless : `: ${why.replace(/\.$/, "")}${more}`;
  const dependsOnSite = why === undefined && asked.length > 0;
  const message = `WordPress registers no ability of the PHP of ${JSON.stringify(server)}${cause}.`;
  throw new McpCodegenError("PHP_FAILED", message, {
    hint: dependsOnSite ? reading.hint : "Correct the registration: a site does not register it either.",
  });
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
  const tools = Object.entries(locked?.tools ?? {});
  const named = new Map(reading.abilities.map((each) => [toolNameOf(each.ability.name), each]));
  const wordpress = listingOf(named, locked, config);
  const exposure = findExposure(wordpress, locked, config);
  const list = wordpress.route === "tools" ? listIn(reading, config) : undefined;
  // The list of a server names what is gone, in the namespaces that this PHP registers.
  const ours = list === undefined ? [] : reading.abilities.filter(({ file }) => reading.covers(file));
  const namespaces = new Set(ours.map(({ ability }) => namespaceOf(ability.name)));

  const unresolved = new Map<string, string>();
  const unread = new Map([...reading.failures, ...reading.gaps].map((code) => [code, [] as string[]]));
  const others: string[] = [];
  const kept: (readonly [string, LockedTool])[] = [];
  for (const entry of tools) {
    const [name, { ability }] = entry;
    const { file, definition } = ability ?? {};
    const registered = named.get(name);
    const isMissing = registered === undefined;
    const isGone =
      isMissing &&
      definition !== undefined &&
      (reading.isWhole ||
        namespaces.has(namespaceOf(definition.name)) ||
        (file !== undefined && reading.covers(file)));
    const isIn = ({ covers }: PhpFailure): boolean => file !== undefined && covers(file);
    // The registrations of a plugin that failed halfway are not reliable.
    const failure = reading.failures.find(
      (code) => isIn(code) || (registered && code.covers(registered.file)),
    );
    const isMentioned =
      isMissing && !isGone && file === undefined && reading.mentioned.has(definition?.name ?? "");
    const doubt = reading.undecided.get(definition?.name ?? "") ?? (isMentioned ? MENTIONED : undefined);
    const code = failure ?? (isMissing && doubt === undefined ? reading.gaps.find(isIn) : undefined);
    if (code !== undefined) unread.get(code)?.push(name);
    else if (doubt !== undefined) unresolved.set(name, doubt);
    else if (isMissing && !isGone) others.push(name);
    else continue;
    kept.push(entry);
  }

  const keptNames = new Set(kept.map(([name]) => name));
  const compared = [...named].filter(
    ([name, { file }]) => !keptNames.has(name) && !reading.failures.some(({ covers }) => covers(file)),
  );
  const isLocked = (name: string): boolean => getOwn(locked?.tools ?? {}, name) !== undefined;
  const listed = compared.filter(([name, { ability }]) =>
    isServed(ability, { route: wordpress.route, exposure, isListed: list?.has(name) ?? isLocked(name) }),
  );
  const abilities = listed.filter(([name]) => isIncluded(config, name)).map(([, each]) => each);
  const hidden = compared.filter((entry) => !listed.includes(entry)).map(([, { ability }]) => ability.name);
  const pick = <K extends "ability" | "unusable">(
    key: K,
  ): Readonly<Record<string, NonNullable<LockedTool[K]>>> =>
    omitUndefined(Object.fromEntries(kept.map(([name, tool]) => [name, tool[key]])));
  const projected = projectAbilities(server, abilities, wordpress.profile);
  const unlisted =
    wordpress.route === "tools" && list === undefined
      ? compared.filter(
          ([name, { ability, file }]) =>
            !isLocked(name) &&
            reading.covers(file) &&
            isIncluded(config, name) &&
            // The adapter omits what it cannot project.
            "tool" in projectAbility(ability, wordpress.profile),
        )
      : [];
  return {
    others,
    unread,
    hidden:
      wordpress.route === "tools" || hidden.length === 0
        ? undefined
        : { abilities: hidden, key: wordpress.route === "rest" ? "meta.show_in_rest" : "meta.mcp.public" },
    unresolved,
    unlisted: unlisted.map(([, { ability }]) => ability.name),
    snapshot: {
      server,
      identity: locked?.identity ?? { serverInfo: {}, protocolVersion: "", capabilities: {} },
      listing: listingInSource(locked),
      wordpress: omitUndefined({ ...wordpress, answers: reading.answers ?? locked?.wordpress?.answers }),
      ...projected,
      tools: [...projected.tools, ...kept.map(([, { definition }]) => definition)].sort((a, b) =>
        byCodeUnit(a.name, b.name),
      ),
      abilities: { ...projected.abilities, ...pick("ability") },
      unusable: { ...projected.unusable, ...pick("unusable") },
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
  const made = servers.find(({ route }) => address.replace(/\/$/, "").endsWith(`/${route}`));
  return made && new Set(made.tools);
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

/** Returns the locked listing. PHP code is in its source language. */
function listingInSource(locked: LockedServer | undefined): ServerSnapshot["listing"] {
  if (locked === undefined) return { clientCapabilities: {}, locale: SOURCE_LOCALE, pages: 0 };
  const { listing } = locked;
  return listing.locale === undefined ? listing : { ...listing, locale: SOURCE_LOCALE };
}

const MENTIONED = "This PHP code has its namespace but did not register it";

const SOURCE_LOCALE = "en_US";

import type { PhpConfig, ServerConfig } from "../../config/config.js";
import { isIncluded } from "../../config/is-included.js";
import {
  toolNameOf,
  type AbilityRoute,
  type AbilitySnapshot,
  type AdapterProfile,
  type LockedAbility,
  type WordPressListing,
} from "../../contract/ability.js";
import { McpCodegenError } from "../../contract/errors.js";
import { byCodeUnit, getOwn, isJsonObject } from "../../contract/json.js";
import type { LockedServer, LockedTool } from "../../contract/lockfile.js";
import type { ServerSnapshot } from "../../contract/snapshot.js";
import { findProfile } from "../wordpress/find-profile.js";
import { projectAbilities } from "../../listing/project-abilities.js";
import { isPublicTool } from "../../listing/read-ability.js";
import type { StubComparison } from "./compare-abilities.js";
import type { PhpFailure, PhpReading, ReadPhpOptions } from "./php-reading.js";

export interface PhpSnapshot {
  readonly snapshot: ServerSnapshot;
  /** Locked tools that this PHP says nothing of: they stand in the snapshot as they are locked. */
  readonly others: readonly string[];
  /** See {@link PhpNotes.hidden}. Which abilities a server of its own lists, PHP does not say. */
  readonly hidden?: NonNullable<PhpNotes["hidden"]>;
  /** By tool, why it is not known what it is, or whether it is: what is locked of it stands in the snapshot. */
  readonly unresolved: ReadonlyMap<string, string>;
  /** The locked tools of each plugin that failed: what is locked of them stays in the snapshot too. */
  readonly failed: ReadonlyMap<PhpFailure, readonly string[]>;
}

/**
 * What a server would list by its PHP, without a lock to compare it with.
 *
 * @throws McpCodegenError what `readPhp` throws; `LIST_INCOMPLETE` where some abilities could not be read
 */
export async function snapshotPhp(
  server: string,
  php: PhpConfig,
  config: ServerConfig,
  options: ReadPhpOptions,
): Promise<ServerSnapshot> {
  const { readPhp } = await import("./read-php.js");
  const reading = await readPhp(server, php, options);
  const { snapshot, unresolved } = snapshotOfPhp(server, reading, undefined, config);
  const [failure] = reading.failures;
  if (failure !== undefined) {
    const hint = failure.hint === undefined ? {} : { hint: failure.hint };
    throw new McpCodegenError("PHP_FAILED", failure.reason, hint);
  }
  const unread = unresolved.size + reading.nameless.length;
  if (unread === 0) return snapshot;
  const [first] = unresolved;
  const example = first === undefined ? "" : ` "${first[0]}": ${first[1]}.`;
  throw new McpCodegenError(
    "LIST_INCOMPLETE",
    `${unread} of the abilities that this PHP registers could not be read.${example}`,
    { hint: reading.mend },
  );
}

/**
 * What a server would list by its PHP: the locked tools, with what PHP registers in their places. A locked tool that
 * PHP does not register is gone when the file that registered it is one of those that were read, and another plugin's
 * otherwise.
 */
export function snapshotOfPhp(
  server: string,
  reading: PhpReading,
  locked: LockedServer | undefined,
  config: ServerConfig,
): PhpSnapshot {
  const tools = new Map(Object.entries(locked?.tools ?? {}));
  const named = new Map(reading.abilities.map((found) => [toolNameOf(found.ability.name), found]));
  const wordpress = listingOf(named, locked, config);
  const exposure = findExposure(wordpress, locked, config);
  const doubted = [...named].flatMap(([name, { doubt }]) =>
    doubt === undefined ? [] : [[name, doubt] as const],
  );
  const missed = [...tools].flatMap(([name, { ability }]) => {
    if (named.has(name)) return [];
    const why = whyRefused(name, reading) ?? whyNotFound(ability, reading);
    return why === undefined ? [] : [[name, why] as const];
  });
  // An ability that may be there is not known either, locked or not.
  const possible = [...reading.possible].flatMap(([name, why]) => {
    const tool = toolNameOf(name);
    return named.has(tool) || !isIncluded(config, tool) ? [] : [[tool, why] as const];
  });
  // What a plugin registered that failed half-way may be anything.
  const failed = new Map(
    reading.failures.map((failure) => {
      const isOf = (file: string | undefined): boolean => file !== undefined && failure.covers(file);
      const names = [...tools].filter(([name, { ability }]) => isOf(named.get(name)?.file ?? ability?.file));
      return [failure, names.map(([name]) => name)] as const;
    }),
  );
  const unjudged = new Set([...failed.values()].flat());
  const doubts = new Map([...missed, ...possible, ...doubted]);
  const unresolved = new Map([...doubts].filter(([name]) => !unjudged.has(name)));
  const isKept = (name: string): boolean => unresolved.has(name) || unjudged.has(name);
  const known = [...named].filter(
    ([name, { file }]) => !isKept(name) && !reading.failures.some(({ covers }) => covers(file)),
  );
  const listed = known.filter(([name, { ability }]) =>
    isServed(ability, { route: wordpress.route, exposure, isLocked: tools.has(name) }),
  );
  const served = listed.filter(([name]) => isIncluded(config, name));
  const hidden = known.filter((one) => !listed.includes(one)).map(([, { ability }]) => ability.name);
  const key = wordpress.route === "rest" ? "meta.show_in_rest" : "meta.mcp.public";
  const found = served.map(([, { ability, file, fault }]) => ({
    ability,
    file,
    ...(fault !== undefined && { fault }),
  }));
  const projected = projectAbilities(server, found, wordpress.profile);
  const others = [...tools].filter(
    ([name, { ability }]) => isKept(name) || (!named.has(name) && !isCovered(ability, reading)),
  );
  return {
    others: others.map(([name]) => name).filter((name) => !isKept(name)),
    failed,
    ...(wordpress.route !== "tools" && hidden.length > 0 && { hidden: { abilities: hidden, key } }),
    unresolved,
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
  const known = locked?.wordpress;
  const route = configured?.route ?? known?.route ?? (locked === undefined ? "execute" : "tools");
  const definitions = Object.values(locked?.tools ?? {}).map(({ definition }) => definition);
  const abilities = new Map([...named].map(([name, { ability }]) => [name, ability]));
  // Through the execute tool an ability keeps all that it says, as under the profile that leaves nothing out.
  const fitting = (): WordPressListing["profile"] =>
    route === "tools" && locked !== undefined ? findProfile(definitions, abilities) : "0.4";
  return { profile: configured?.profile ?? known?.profile ?? fitting(), route, projected: true };
}

/**
 * The version of the adapter whose rule decides which abilities are listed. A profile that was not configured does not say
 * which version the site has: through the execute tool it is always 0.4. But a locked ability that only 0.6 lists does.
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

interface ServingRules {
  readonly route: AbilityRoute;
  readonly exposure: AdapterProfile;
  readonly isLocked: boolean;
}

/** Whether the server would list an ability. Which ones a server of its own lists, PHP does not say: those it listed. */
function isServed(ability: AbilitySnapshot, { route, exposure, isLocked }: ServingRules): boolean {
  switch (route) {
    case "execute":
      return isPublicTool(ability, exposure);
    case "rest": {
      const meta = getOwn(ability, "meta");
      return isJsonObject(meta) && getOwn(meta, "show_in_rest") === true;
    }
    case "tools":
      return isLocked;
    default:
      return route satisfies never;
  }
}

/** Of a refused tool, what may be the reason here and nowhere else: a value that was made up. */
function whyRefused(tool: string, { refused, madeUp }: PhpReading): string | undefined {
  if (madeUp.length === 0) return undefined;
  const refusal = refused.find(({ kind, name }) => kind === "ability" && toolNameOf(name) === tool);
  return (
    refusal &&
    `WordPress would not register it, perhaps only because this PHP does not have ${madeUp.join(", ")}`
  );
}

/**
 * Why it is not known whether a locked ability that was not found is gone; undefined where it is gone, or is not of this PHP.
 * What came from this PHP and was not found is never passed over.
 */
function whyNotFound(ability: LockedAbility | undefined, reading: PhpReading): string | undefined {
  if (ability === undefined) return undefined;
  const { file, definition } = ability;
  if (file === undefined) {
    return reading.mentioned.has(definition.name)
      ? "This PHP has its namespace, and did not register it"
      : undefined;
  }
  // One of the registrations that cannot be read may be that of a tool that is not found.
  return reading.nameless.length > 0 && reading.covers(file)
    ? "Its registration was not found, and some could not be read"
    : undefined;
}

function isCovered(ability: LockedAbility | undefined, { covers, isWhole }: PhpReading): boolean {
  if (ability === undefined) return false;
  return isWhole || (ability.file !== undefined && covers(ability.file));
}

/** As it was locked; but PHP is read in the language of its source. */
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

/** What reading a server's PHP had to say beside its abilities. */
export interface PhpNotes {
  readonly server: string;
  /** What read it, such as `php 8.3.1`. */
  readonly by: string;
  /** How many abilities it registers. */
  readonly abilities: number;
  /** Abilities that it registers and the server does not list as tools; absent where it lists all of them. */
  readonly hidden?: {
    readonly abilities: readonly string[];
    /** What is not true of them. */
    readonly key: "meta.mcp.public" | "meta.show_in_rest";
  };
  /** Locked tools that this PHP says nothing of: of other plugins. */
  readonly others: readonly string[];
  /** How the stub compares with the WordPress that was read; present with `--compare`. */
  readonly stub?: StubComparison;
  /** What WordPress would not register, and why. */
  readonly refused: readonly PhpRefusal[];
  /** Functions, constants and classes that nobody has, and that were made up. */
  readonly madeUp: readonly string[];
}

/** An ability, or a category of abilities, that WordPress would not register. */
export interface PhpRefusal {
  readonly kind: "ability" | "category";
  readonly name: string;
  readonly reason: string;
  /** Posix, relative to the configuration's folder. */
  readonly file: string;
  /** From 1; 0 where it is not known. */
  readonly line: number;
}

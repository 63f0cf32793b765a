import * as f from "../../core/format.js";
import { parsePhpAbility } from "../../client/listing/wordpress/read-abilities.js";
import type { AbilitySnapshot, LockedAbility } from "../../core/ability.js";
import { type JsonObject, tryParseJson } from "../../core/json.js";
import { isSecretValue } from "../../core/secret-shapes.js";
import type { VariableLookup } from "../../core/connection.js";
import type { Answers } from "./site-state.js";

const place = { file: f.anyText, line: f.anyNumber };
const hooked = { ...place, hook: f.anyText };

/** A place in the user's PHP code. The line is 0 if unknown. */
export interface PhpPlace {
  readonly file: string;
  readonly line: number;
}

/** The places of the parts of abilities, by name and by JSON Pointer into the definition. */
export type PhpLines = ReadonlyMap<string, PhpAbility["lines"]>;

const failure = f.record(
  {
    ...hooked,
    kind: f.oneOf(
      "no-config",
      "no-api",
      "requirements",
      "database",
      "not-installed",
      "old-php",
      "parse",
      "thrown",
      "fatal",
      "exit",
      "died",
      "redirect",
      // Of the process.
      "not-found",
      "timed-out",
      "too-long",
      "silent",
    ),
    message: f.anyText,
    /** The function, class or constant that is not defined; empty for another failure. */
    missing: f.anyText,
  },
  { isOpen: true },
);

/** Why a WordPress returned no abilities. The hook is the one whose callbacks ran; empty if none did. */
export type SiteFailure = f.SettingsOf<typeof failure>;

const question = f.record({
  ...place,
  question: f.anyText,
  /** The answer of a new site: of an option that is not set, the default of the plugin. */
  value: f.anyJson,
});

/** A question of a plugin about the site, such as `get_option("acme_mode")`. */
export type Question = f.SettingsOf<typeof question>;

const answer = f.record({
  /** The version of PHP. */
  php: f.anyText,
  /** The version of WordPress. */
  wordpress: f.anyText,
  /** Definitions as JSON text, with the places of their parts if they were traced. */
  abilities: f.list(f.record({ ...place, json: f.anyText, lines: f.mapOf(f.record(place)) })),
  refused: f.list(
    f.record({ ...place, kind: f.oneOf("ability", "category"), name: f.anyText, reason: f.anyText }),
  ),
  /** Callbacks on hooks of before WordPress 6.9, which this WordPress does not fire. */
  old: f.list(f.record(hooked)),
  /** The servers of the MCP adapter: the route below `/wp-json/`, and the names of the tools. */
  servers: f.list(f.record({ route: f.anyText, tools: f.strings })),
  /** Callbacks that make servers of the MCP adapter, if none is there to call them. */
  uncalled: f.list(f.record(place)),
  /** The loaded PHP files, without those of WordPress itself. */
  included: f.strings,
  /** The questions of the plugins about the site. Only the core without a site returns these and the members below. */
  asked: f.list(question),
  /** Queries and requests of plugins, what they ask for, and the ability that was registered before; "" for none. */
  queries: f.list(f.record({ ...place, question: f.anyText, after: f.anyText })),
  /** Text that plugins print while they register abilities, which breaks the JSON of a site. */
  outputs: f.list(f.record({ ...hooked, text: f.anyText })),
});

export interface PhpAbility extends PhpPlace {
  readonly ability: AbilitySnapshot;
  /** Why no code can be generated for it. */
  readonly fault?: string | undefined;
  /** The places of its parts, if they were traced. */
  readonly lines: ReadonlyMap<string, PhpPlace>;
}

/** The abilities that plugins register, and what was seen meanwhile. Files have their names in reports: see {@link NameOf}. */
export interface PhpAnswer extends Omit<f.SettingsOf<typeof answer>, "abilities"> {
  readonly abilities: readonly PhpAbility[];
}

/** Names a file that PHP reports: a posix path relative to the configuration, if it can be. */
export type NameOf = (file: string) => string;

/** The line before an answer, see `collect.php`. */
const MARKER = "=== mcp-codegen: abilities ===";

/** Returns the answer that PHP printed; undefined without one. Plugins and WP-CLI may print before and after it. */
export function readPhpAnswer(stdout: string, nameOf: NameOf): PhpAnswer | SiteFailure | undefined {
  const lines = stdout.split(/\r?\n/);
  const json = lines.includes(MARKER) ? lines[lines.lastIndexOf(MARKER) + 1] : undefined;
  const value = tryParseJson(json ?? "");
  const named = <T extends PhpPlace>(part: T): T => ({ ...part, file: nameOf(part.file) });
  if (f.matchesFormat(failure, value)) return { ...named(value), message: redact(value.message) };
  if (!f.matchesFormat(answer, value)) return undefined;
  return {
    ...value,
    abilities: value.abilities.flatMap(({ json: text, lines: places, ...at }) => {
      const ability = parsePhpAbility(text);
      const parts = Object.entries(places).map(([pointer, part]) => [pointer, named(part)] as const);
      return ability === undefined ? [] : [{ ...ability, ...named(at), lines: new Map(parts) }];
    }),
    refused: value.refused.map(({ reason, ...at }) => ({
      ...named(at),
      reason: withoutAdvice(reason, at.name),
    })),
    old: value.old.map(named),
    uncalled: value.uncalled.map(named),
    included: value.included.map(nameOf),
    asked: value.asked.map(named),
    queries: value.queries.map(named),
    outputs: value.outputs.map(named),
  };
}

/** Drops the last of several sentences if it names the ability: it says what to do, and differs for each. */
function withoutAdvice(reason: string, name: string): string {
  const start = reason.lastIndexOf(". ") + 1;
  return start > 0 && reason.slice(start).includes(`"${name}"`) ? reason.slice(0, start) : reason;
}

/** Removes what looks like a password from the output of a plugin or a command. */
export function redact(text: string): string {
  return text
    .slice(0, 300)
    .replace(/:\/\/[^\s/@]+@/g, "://…@")
    .replace(/(pass(?:word)?|secret|token|key)(["']?\s*[=:]\s*)\S+/gi, "$1$2…")
    .split(" ")
    .map((word) => (isSecretValue(word) ? "…" : word))
    .join(" ");
}

/** Names a place in a message. */
export function describePlace({ file, line }: PhpPlace): string {
  return line > 0 ? `${JSON.stringify(file)}, line ${line}` : JSON.stringify(file);
}

/** The answer of a WordPress, with the abilities of the plugins that are read, and what else is known about them. */
export interface PhpReading extends PhpAnswer {
  /** The reader, such as `php 8.3.1 in WordPress 7.1.1`. */
  readonly by: string;
  /** Whether a file was read. */
  readonly covers: (file: string) => boolean;
  /**
   * Whether all abilities of a WordPress were read. A locked ability that is missing is then removed,
   * whatever its file.
   */
  readonly isWhole: boolean;
  /** Plugins that failed while others did not. */
  readonly failures: readonly PhpFailure[];
  /**
   * Code that did not run as on a site. Its abilities that were found are compared, and the others may exist.
   */
  readonly gaps: readonly PhpFailure[];
  /** The answers of the site that is compared; absent in a real WordPress. */
  readonly answers?: Answers | undefined;
  /** The tools that another site has as locked, its answers, how to set them, and where the PHP asks for one. */
  readonly elsewhere?:
    | {
        readonly tools: ReadonlySet<string>;
        readonly answers: string;
        readonly how: string;
        readonly place: PhpPlace;
      }
    | undefined;
  /** Abilities that depend on what only a site knows, and differ from the lock, with the reason. */
  readonly undecided: ReadonlyMap<string, string>;
  /** How to decide them. */
  readonly hint: string;
  /** Facts that are good to know, and fail nothing. */
  readonly notes: readonly string[];
  /** The locked abilities without a file that were not registered, but whose names or namespaces occur in the PHP files. */
  readonly mentioned: ReadonlyMap<string, PhpPlace>;
  /**
   * Runs once more and returns the places of abilities, by name. An ability that differs in that run has no places.
   *
   * @throws McpCodegenError `PHP_FAILED` when that run fails
   */
  readonly trace: (abilities: readonly string[]) => Promise<PhpLines>;
}

/** Code that was not read. */
export interface PhpFailure {
  /** Whether a file belongs to it. */
  readonly covers: (file: string) => boolean;
  readonly reason: string;
  readonly hint?: string | undefined;
  readonly place?: PhpPlace | undefined;
}

export interface ReadPhpOptions {
  /** The folder that paths of the configuration are relative to. */
  readonly dir: string;
  /** All locked abilities; undefined without a lock. In a real WordPress they are read from any plugin. */
  readonly locked?: readonly LockedAbility[] | undefined;
  /**
   * Returns the tools that differ from the lock in a reading; all without a lock. Their dependence on the site is examined; by
   * default, that of none.
   */
  readonly differing?: ((reading: PhpReading) => ReadonlySet<string>) | undefined;
  /** The answers of the site that was locked, see `WordPressListing`. */
  readonly answers?: JsonObject | undefined;
  /** Whether the server has no other source, so that a locked ability that is missing is removed, whatever its file. */
  readonly isOnlySource?: boolean | undefined;
  /** Whether the locked abilities are of a site that may have other answers by now. */
  readonly isOtherSite?: boolean | undefined;
  /** Returns the value of a variable, such as `WP_CORE_DIR`. */
  readonly lookup: VariableLookup;
  readonly signal?: AbortSignal | undefined;
}

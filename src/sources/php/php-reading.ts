import type { AbilitySnapshot, LockedAbility } from "../../core/ability.js";
import type { VariableLookup } from "../../core/connection.js";
import { parsePhpAbility } from "../../client/listing/wordpress/read-abilities.js";
import type { RefusedRegistration } from "../../core/php-notes.js";
import type { HookedPlace, PhpAnswer, PhpOutput, PhpPlace } from "./php-answer.js";
import type { NameOf } from "./plugin-files.js";

interface Registrations {
  readonly abilities: readonly PhpAbility[];
  readonly refused: readonly RefusedRegistration[];
  /** Callbacks on hooks of before WordPress 6.9, which WordPress does not fire. */
  readonly old: readonly HookedPlace[];
  /** Text that the plugins print while they register abilities. */
  readonly outputs: readonly PhpOutput[];
  /** The tools of the servers of the MCP adapter, by route; empty if the adapter is not loaded. */
  readonly servers: ReadonlyMap<string, readonly string[]>;
  /** Where the PHP makes such servers, if the adapter is not loaded. */
  readonly uncalled: readonly PhpPlace[];
}

/**
 * The abilities that the PHP code of a server registers. Files are posix paths relative to the configuration.
 */
export interface PhpReading extends Registrations {
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
  /** Abilities that depend on what only a site knows, and differ from the lock, with the reason. */
  readonly undecided: ReadonlyMap<string, string>;
  /** How to decide them. */
  readonly hint: string;
  /** Facts that are good to know, and fail nothing. */
  readonly notes: readonly string[];
  /** The locked abilities without a file that were not registered, but whose names or namespaces occur in the PHP files. */
  readonly mentioned: ReadonlySet<string>;
  /**
   * Runs once more and returns the places of abilities, by name and by JSON Pointer into the definition. An ability that
   * differs in that run has no places.
   *
   * @throws McpCodegenError `PHP_FAILED` when that run fails
   */
  readonly trace: (abilities: readonly string[]) => Promise<PhpLines>;
}

export type PhpLines = ReadonlyMap<string, ReadonlyMap<string, PhpPlace>>;

export interface PhpFailure {
  /** Whether a file belongs to the plugin. */
  readonly covers: (file: string) => boolean;
  readonly reason: string;
  readonly hint?: string | undefined;
}

export interface PhpAbility extends PhpPlace {
  readonly ability: AbilitySnapshot;
  /** Why no code can be generated for it. */
  readonly fault?: string | undefined;
}

/** Returns what an answer registers, with the names that files have in reports. */
export function registrationsOf(
  answer: PhpAnswer,
  nameOf: NameOf,
  isRead: (ability: PhpAbility) => boolean = () => true,
): Registrations {
  const named = <T extends PhpPlace>(places: readonly T[]): readonly T[] =>
    places.map((place) => ({ ...place, file: nameOf(place.file) }));
  return {
    abilities: answer.abilities
      .flatMap(({ json, file, line }) => {
        const ability = parsePhpAbility(json);
        return ability === undefined ? [] : [{ ...ability, file: nameOf(file), line }];
      })
      .filter(isRead),
    refused: named(answer.refused),
    old: named(answer.old),
    outputs: named(answer.outputs),
    servers: new Map(answer.servers.map(({ route, tools }) => [route, tools])),
    uncalled: named(answer.uncalled),
  };
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
  /** Returns the value of a variable, such as `WP_CORE_DIR`. */
  readonly lookup: VariableLookup;
  readonly signal?: AbortSignal | undefined;
}

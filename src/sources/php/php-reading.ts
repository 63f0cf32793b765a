import type { LockedAbility } from "../../core/ability.js";
import type { VariableLookup } from "../../core/connection.js";
import type { PhpAnswer, PhpLines } from "./php-answer.js";

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
  /** Abilities that depend on what only a site knows, and differ from the lock, with the reason. */
  readonly undecided: ReadonlyMap<string, string>;
  /** How to decide them. */
  readonly hint: string;
  /** Facts that are good to know, and fail nothing. */
  readonly notes: readonly string[];
  /** The locked abilities without a file that were not registered, but whose names or namespaces occur in the PHP files. */
  readonly mentioned: ReadonlySet<string>;
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

import type { AbilitySnapshot } from "../../core/ability.js";
import type { PhpConfig } from "../../config/config.js";
import type { PhpOutput, PhpPlace, RefusedRegistration } from "./harness-answer.js";

interface Registrations {
  readonly abilities: readonly PhpAbility[];
  readonly refused: readonly RefusedRegistration[];
}

/**
 * The abilities that the PHP code of a server registers. Files are posix paths relative to the configuration.
 */
export interface PhpReading extends Registrations {
  /** The reader, such as `php 8.3.1 in the stub of WordPress`. */
  readonly by: string;
  /** The hint for abilities that could not be determined. */
  readonly hint: string;
  /** The undefined functions, constants and classes that were made up. */
  readonly madeUp: readonly string[];
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
  readonly gaps: readonly PhpGap[];
  /** Text that the plugins print while they register abilities. */
  readonly outputs: readonly PhpOutput[];
  /** Abilities that were not found but may exist, with the reason. */
  readonly possible: ReadonlyMap<string, string>;
  /** The `wanted` abilities that were not registered but whose names or namespaces occur in the PHP files. */
  readonly mentioned: ReadonlySet<string>;
  /**
   * Runs once more and returns the places of abilities, by name and by JSON Pointer into the definition. An
   * ability that differs in that run has no places.
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

/** Code of a plugin that did not run as on a site. */
export interface PhpGap extends PhpFailure {
  /** The undefined name that is the cause, if an ability may depend on it too. */
  readonly name?: string | undefined;
}

export interface PhpAbility extends PhpPlace {
  readonly ability: AbilitySnapshot;
  /** Why its definition is not known. Only its name is reliable then. */
  readonly doubt?: string | undefined;
  /** Why no code can be generated for it. */
  readonly fault?: string | undefined;
}

export interface ReadPhpOptions {
  /** The folder that paths of the configuration are relative to. */
  readonly dir: string;
  /** All locked abilities. In a real WordPress they are read from any plugin. */
  readonly locked?: readonly string[] | undefined;
  /** The files that registered the locked abilities. */
  readonly lockedFiles?: readonly string[] | undefined;
  /**
   * Abilities that are locked without a file. Those that PHP does not register are searched for in its text.
   */
  readonly wanted?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the abilities that the PHP code of a server registers, in the configured WordPress or else in the
 * stub of WordPress.
 *
 * @throws McpCodegenError `PHP_FAILED` when PHP, WordPress or a plugin fails; `CONFIG_INVALID` for paths
 *   without a plugin or a WordPress
 */
export async function readPhp(server: string, php: PhpConfig, options: ReadPhpOptions): Promise<PhpReading> {
  if (php.wordpress === undefined && php.command === undefined) {
    return (await import("./read-stub.js")).readStub(server, php, options);
  }
  return (await import("./read-site.js")).readSite(server, php, options);
}

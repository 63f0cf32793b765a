import type { AbilitySnapshot } from "../../contract/ability.js";
import type { StubComparison } from "./compare-abilities.js";
import type { PhpPlace, Refusal } from "./harness-answer.js";

/** What the PHP of a server registers. Files are posix and relative to the configuration. */
export interface PhpReading {
  /** What read it, such as `php 8.3.1 in the stub of WordPress`. */
  readonly by: string;
  readonly abilities: readonly PhpAbility[];
  readonly refused: readonly Refusal[];
  /** Registrations of which not even the name is known, and why. */
  readonly nameless: readonly (PhpPlace & { readonly reason: string })[];
  /** What settles doubts. */
  readonly mend: string;
  /** What nobody has, and was made up: functions, constants, classes. */
  readonly madeUp: readonly string[];
  /** Whether a file is one of those that were read. */
  readonly covers: (file: string) => boolean;
  /** Whether all abilities of a WordPress were read: a locked ability that is not among them is gone, whatever its file. */
  readonly isWhole: boolean;
  /** Plugins that failed beside others that did not. */
  readonly failures: readonly PhpFailure[];
  /** Abilities that were not found and may be there, and why that is not known. */
  readonly possible: ReadonlyMap<string, string>;
  /** Those of the wanted abilities whose names or namespaces are written in the PHP files, though none was registered. */
  readonly mentioned: ReadonlySet<string>;
  /**
   * Runs once more and returns where abilities are written: by name, and by JSON Pointer into the definition. An ability that
   * is another one in that run has no lines.
   */
  readonly trace: (abilities: readonly string[]) => Promise<PhpLines>;
  /** Runs the plugins in the stub too. Present for a real WordPress. Throws what `readStub` throws, and `CONFIG_INVALID` without paths. */
  readonly compareWithStub?: () => Promise<StubComparison>;
}

export type PhpLines = ReadonlyMap<string, ReadonlyMap<string, PhpPlace>>;

export interface PhpFailure {
  /** Where the plugin's files are. */
  readonly covers: (file: string) => boolean;
  readonly reason: string;
  readonly hint?: string;
}

export interface PhpAbility extends PhpPlace {
  readonly ability: AbilitySnapshot;
  /** Why it is not known what it is: then nothing but its name is to be believed. */
  readonly doubt?: string;
  /** Why no code can be made of it. */
  readonly fault?: string;
}

export interface ReadPhpOptions {
  /** The folder that the configuration's paths are relative to. */
  readonly dir: string;
  /** All locked abilities. In a real WordPress they are read whatever plugin registers them. */
  readonly locked?: readonly string[];
  /** Abilities that are locked without a file: those that PHP does not register are looked for in its text. */
  readonly wanted?: readonly string[];
  readonly signal?: AbortSignal;
}

import type { AppliedWaiver, Finding } from "./finding.js";
import type { JsonValue } from "./json.js";

/**
 * How bad a change is: a right caller is now wrong (`breaking`), the same call may behave or be routed otherwise
 * (`dangerous`), neither (`safe`), or not provable (`unknown`, never treated as safe).
 */
export type ChangeClass = "breaking" | "dangerous" | "safe" | "unknown";

export type Impact = "wire" | "types" | "behaviour" | "model" | "trust";

/** A part of a text: code units, the end left out. */
export type Span = readonly [from: number, to: number];

/** One difference between what was locked and what a source says now. */
export interface Change extends Finding {
  readonly class: ChangeClass;
  readonly security: boolean;
  readonly server: string;
  readonly environment?: string;
  readonly tool?: string;
  /** Empty for the tool or server itself. */
  readonly path: string;
  /** The name of the list item that the path leads to: an argument of a prompt, or a file of a skill. */
  readonly item?: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  /** Where in `after`, a text, the rule matched. */
  readonly marks?: readonly Span[];
  /** How sure a rule is that guesses, such as `tool-renamed`: from 0 to 1. Absent where the server declared the rename. */
  readonly confidence?: number;
  /** A JSON instance that one side accepts and the other rejects. */
  readonly witness?: JsonValue;
  /** JSON Pointer into the witness: to the value that is rejected, or to the property that is missing or not allowed. */
  readonly witnessAt?: string;
  readonly impacts: readonly Impact[];
  /** Why the class is what it is, where the rule alone does not say: for `unknown`, what could not be proved. */
  readonly reason?: string;
  readonly waiver?: AppliedWaiver;
  /** Where the user's PHP says so; absent for what a server says. */
  readonly php?: PhpSpot;
  /** Where the user's own code is hit, by file and line; absent unless it was looked for. */
  readonly callSites?: readonly CallSite[];
  /** Whether it fails the check, by the threshold of its server. In reports, as what follows. */
  readonly fails?: boolean;
  /** The class that was found, where the policy gave the rule another. */
  readonly foundClass?: ChangeClass;
  /** Twelve hexadecimal digits that the changes of one cause share: people read them as one finding. */
  readonly cause?: string;
  /** Of `before` and `after`: what a waiver of this change is bound to. */
  readonly digests?: { readonly before?: string; readonly after?: string };
  /** Of a security finding: its name, for `pull --accept`. */
  readonly finding?: string;
  /** The meaning of the change, in one sentence. */
  readonly explanation?: string;
}

/** The environment of changes that PHP leads to, where it is compared beside servers. */
export const PHP_ENVIRONMENT = "php";

/** A place in the user's PHP. */
export interface PhpSpot {
  /** Posix, relative to the configuration's folder. */
  readonly file: string;
  /** From 1; absent where only the file is known. */
  readonly line?: number;
  /** The line is that of the registration: which line makes the change is not certain. */
  readonly isRegistration?: true;
}

/** A place in the user's own code that a change hits. */
export interface CallSite {
  /** Posix, relative to the configuration's folder. */
  readonly file: string;
  /** From 1, as is `column`. */
  readonly line: number;
  readonly column: number;
  /** The code there and why it is wrong now: "passes `limit`, removed". May hold text that a server sent. */
  readonly says: string;
  /**
   * `stops-compiling`: against the code that the new definition gives. `unchecked`: it would, and is JavaScript that no
   * compiler looks at. `rejected`: it compiles, and the server no longer takes what is written there.
   * `may-be-rejected`: what is passed there is not known, or the server may ignore it. `names-it`: a file that agents read
   * names it, and no compiler looks at that.
   */
  readonly effect: "stops-compiling" | "unchecked" | "rejected" | "may-be-rejected" | "names-it";
}

/** The rule for an input schema that no longer accepts additional properties. */
export const CLOSED_INPUT = "input-additional-properties-closed";

/** The rule about a tool whose name another server's tool has. */
export const NAME_TAKEN = "tool-name-taken";

/** A text that identifies a tool among all servers. */
export function keyOfTool({ server, tool }: { readonly server: string; readonly tool?: string }): string {
  return JSON.stringify([server, tool]);
}

/** The result of the search for call sites; the call sites themselves are in their changes. */
export interface ImpactSummary {
  /** The TypeScript projects that were searched: posix, relative to the configuration's folder. */
  readonly projects: readonly string[];
  /** The number of their files that import generated code, directly or indirectly. */
  readonly files: number;
  /** Changed tools that no file of these projects uses. */
  readonly unused: readonly { readonly server: string; readonly tool: string }[];
  /** The reason why call sites could not be found; then nothing is known about them. */
  readonly problem?: string;
}

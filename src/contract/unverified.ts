/** Why a list proves nothing, although the server answered; or PHP, although it ran. */
export type ListRule =
  | "list-nondeterministic"
  | "list-truncated"
  | "list-principal-mismatch"
  | "php-unresolved"
  | "php-stub-differs";

/** What could not be checked, and why. Never the same as "nothing found". */
export interface Unverified {
  readonly server: string;
  /** Which environment of the server; absent for its own settings. */
  readonly environment?: string;
  /** The rule that says why a list that was read proves nothing, such as `list-truncated`. */
  readonly rule?: ListRule;
  readonly reason: string;
  readonly hint?: string;
  /** The last lines that a started server wrote to stderr; absent without any. */
  readonly stderr?: readonly string[];
}

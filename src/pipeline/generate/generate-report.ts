import type { Diagnostic } from "../../core/diagnostic.js";

export interface GenerateReport {
  /** Posix paths relative to the output folder, as are `removed`. */
  readonly written: readonly string[];
  /** Relative to the output folder. */
  readonly removed: readonly string[];
  readonly unchanged: number;
  readonly diagnostics: readonly Diagnostic[];
  /** The contracts that were raised in the lock after a merge; absent without any. */
  readonly raised?: readonly RaisedContract[] | undefined;
}

/** A server whose lock has other tools than a commit with the same contract version. */
export interface RaisedContract {
  readonly server: string;
  readonly before: string;
  readonly after: string;
}

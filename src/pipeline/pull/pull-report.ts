import type { Finding, PhpNotes } from "../../core/finding.js";
import type { Change, ImpactSummary } from "../../core/change.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import type { EntryList } from "../../core/entries.js";
import type { McpCodegenError } from "../../core/errors.js";
import type { StaleFile } from "../../core/findings.js";
import type { LockedServer } from "../../core/lockfile.js";
import type { GenerateReport } from "../generate/generate-report.js";

/** A prompt, resource, template of resources or skill that is held back. */
export interface HeldEntry {
  readonly list: EntryList;
  /** Its name, URI or URI template. */
  readonly id: string;
}

/** Numbers of prompts, resources, templates of resources and skills. */
type EntryCounts = { readonly [List in EntryList]?: number };

/** The plan of `pull` for one server's block of the lock. */
export interface ServerPlan {
  readonly server: string;
  /**
   * `new`: not locked yet. `changed`: the block will be rewritten. `unchanged`: the block stays byte for byte.
   * `removed`: locked, but no longer configured. `leftover`: the same, or it lists no tools any more, but its block and
   * files stay for now; `leftover` has the reason. `failed`: could not be listed; block and files stay. `held`: the findings in
   * `unaccepted` were not accepted; block and files stay.
   */
  readonly status: "new" | "changed" | "unchanged" | "removed" | "leftover" | "failed" | "held";
  /** Contract version in the lock; absent for a new server. */
  readonly before?: string | undefined;
  /** Contract version to write; absent when the block is removed or the server could not be listed. */
  readonly after?: string | undefined;
  readonly changes: readonly Change[];
  /** The security findings that were not accepted; present when the server or some of its tools are held back. */
  readonly unaccepted?: readonly Change[] | undefined;
  /**
   * The tools held back for `unaccepted`: each keeps its locked form, or stays unlocked. Absent when no tool or the
   * whole server is held back.
   */
  readonly heldTools?: readonly string[] | undefined;
  /** As `heldTools`, for prompts, resources and skills. */
  readonly heldEntries?: readonly HeldEntry[] | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The block of a server that is new; absent for others. */
  readonly block?: LockedServer | undefined;
  /** Whether only some tools were asked for: all else stays as it is locked. */
  readonly isPartial?: boolean | undefined;
  /** The number of listed tools. */
  readonly tools: number;
  /** The number of listed entries by list; absent where the configuration includes only tools. */
  readonly entries?: EntryCounts | undefined;
  /** Present when the server marks its list as one of the account, and the lock does not record that yet. */
  readonly isPrivate?: boolean | undefined;
  /** Present when the lock has tools of a configured server that lists none any more. */
  readonly isEmptied?: boolean | undefined;
  /** The number of generated files removed with a server that is no longer configured, or that lists no tools any more. */
  readonly files?: number | undefined;
  /**
   * The probable new key of a server that is no longer configured: a new server with the same tools, or with the same
   * name and at least half of the tools.
   */
  readonly renamedTo?: string | undefined;
  /** `unconfirmed`: its removal was not confirmed. `unreplaced`: a new server that may replace it was not locked. */
  readonly leftover?: "unconfirmed" | "unreplaced" | undefined;
  /** Present when `failed`. */
  readonly error?: McpCodegenError | undefined;
}

export interface PullReport {
  readonly servers: readonly ServerPlan[];
  /** False for `--dry-run` and `--frozen`. */
  readonly wrote: boolean;
  /** The written files; absent when nothing was written. */
  readonly files?: GenerateReport | undefined;
  /** Files that would be written to the output folder; empty when they were written. */
  readonly stale: readonly StaleFile[];
  /** Generated files that were edited by hand; when `wrote`, they were overwritten on request. */
  readonly edited: readonly string[];
  /** Diagnostics of files that were not written; `files` has those of written files. */
  readonly diagnostics: readonly Diagnostic[];
  readonly unverified: readonly Finding[];
  /** How the changes affect the user's code, where it was looked for. */
  readonly impact?: ImpactSummary | undefined;
  /** PHP that was read instead of asking a server; absent otherwise. */
  readonly php?: readonly PhpNotes[] | undefined;
}

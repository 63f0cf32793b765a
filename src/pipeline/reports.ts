import type { Change } from "../contract/change.js";
import type { Diagnostic } from "../contract/diagnostic.js";
import type { McpCodegenError } from "../contract/errors.js";
import type { WaiverNotice } from "../contract/waivers.js";
import type { Unverified } from "../contract/unverified.js";
import type { ImpactSummary } from "../impact/find-impact.js";
import type { PhpNotes } from "../sources/php/snapshot-of-php.js";
export type { Fidelity } from "../emit/measure-fidelity.js";
export type { ImpactSummary } from "../impact/find-impact.js";
export type { PhpNotes, PhpRefusal } from "../sources/php/snapshot-of-php.js";
export type { Progress } from "../sources/snapshot-servers.js";

/** What `pull` is about to do to one server's block of the lock. */
export interface ServerPlan {
  readonly server: string;
  /**
   * `new`: not locked yet. `changed`: the lock will be written. `unchanged`: the block stays byte for byte.
   * `removed`: locked, and no longer configured. `leftover`: the same, but its block and files stay for now; `leftover`
   * gives the reason. `failed`: could not be listed; block and files stay as they are.
   * `held`: the findings in `unaccepted` were not accepted; block and files stay as they are.
   */
  readonly status: "new" | "changed" | "unchanged" | "removed" | "leftover" | "failed" | "held";
  /** Contract version in the lock; absent when there is none. */
  readonly before?: string;
  /** Contract version to be written; absent when the block goes or could not be listed. */
  readonly after?: string;
  readonly changes: readonly Change[];
  /** The security findings that were not accepted; present when the server or some of its tools are held back. */
  readonly unaccepted?: readonly Change[];
  /**
   * The tools that are held back for `unaccepted`: each keeps its locked form, or stays unlocked. Absent when none is,
   * or the whole server is.
   */
  readonly heldTools?: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** How many tools the server listed. */
  readonly tools: number;
  /** How many generated files go with a server that is no longer configured. */
  readonly files?: number;
  /** The probable new key of a server that is no longer configured: a new server has the same tools, or the same name and at least half of the tools. */
  readonly renamedTo?: string;
  /** `unconfirmed`: its removal was not confirmed. `unreplaced`: a new server that may replace it was not locked. */
  readonly leftover?: "unconfirmed" | "unreplaced";
  /** Present when `failed`. */
  readonly error?: McpCodegenError;
}

/**
 * How a tool that a server has now differs from the lock. `unlocked`: the lock does not have it. `different`: its
 * definition has changed. `gone`: it is locked, and the server does not list it any more.
 */
export type ToolState = "unlocked" | "different" | "gone";

export interface StaleFile {
  /** Posix, relative to the output folder; the name of the lockfile when it is out of date. */
  readonly path: string;
  /**
   * `missing`: to be written. `stale`: its inputs have changed. `orphaned`: its tool is gone. `in-the-way`: not generated,
   * and `generate` needs its place. `cut-off`: the marker of a write that was cut off; replaces the list of files that it
   * left out of date.
   */
  readonly state: "missing" | "stale" | "orphaned" | "in-the-way" | "cut-off";
  readonly reason?: string;
  /** How to fix it, where no command does. */
  readonly hint?: string;
}

export interface PullReport {
  readonly servers: readonly ServerPlan[];
  /** False for `--dry-run` and `--frozen`. */
  readonly wrote: boolean;
  /** What became of the files; absent when nothing was written. */
  readonly files?: GenerateReport;
  /** What would be written to the output folder; empty when it was written. */
  readonly stale: readonly StaleFile[];
  /** Generated files that somebody edited; when `wrote`, they were overwritten on request. */
  readonly edited: readonly string[];
  /** What rendering them would have to say; when they were written, `files` says it. */
  readonly diagnostics: readonly Diagnostic[];
  readonly unverified: readonly Unverified[];
  /** What was read from PHP in place of a server; absent unless something was. */
  readonly php?: readonly PhpNotes[];
}

export interface GenerateReport {
  /** Posix paths relative to the output folder, as are `removed`. */
  readonly written: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** A server whose tools cost more than `check.tokenBudget` allows. */
export interface BudgetExcess {
  readonly server: string;
  /** The environment whose tools these are; absent for those that are locked, or that the server's own settings list. */
  readonly environment?: string;
  readonly budget: number;
  readonly tokens: number;
  /** Whether some of them are estimated: nobody counted. */
  readonly isEstimate: boolean;
  /** Whether these are the locked tools, or the ones that the server has now. */
  readonly of: "lock" | "server";
  /** The tools that cost most, most first. */
  readonly largest: readonly { readonly tool: string; readonly tokens: number }[];
}

export interface CheckReport {
  readonly changes: readonly Change[];
  /** Servers whose tools cost more tokens than they may. */
  readonly overBudget: readonly BudgetExcess[];
  /** Waivers that waive nothing. */
  readonly waivers: readonly WaiverNotice[];
  readonly stale: readonly StaleFile[];
  readonly edited: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  readonly unverified: readonly Unverified[];
  readonly checked: {
    readonly servers: readonly string[];
    /** How many generated files were compared, whether or not they differ. */
    readonly files: number;
    /** The environments that were asked, with `environments`; one without a name is the server's own settings. */
    readonly environments?: readonly { readonly server: string; readonly environment?: string }[];
  };
  /** The git ref whose lock the present one was compared with; absent when servers were asked. */
  readonly against?: string;
  /** What was read from PHP in place of a server; absent unless something was. */
  readonly php?: readonly PhpNotes[];
  /** What the changes mean for the user's own code; absent unless it was asked for. */
  readonly impact?: ImpactSummary;
}

/** How two contracts differ. */
export interface DiffReport {
  /** What was compared, as it was named. */
  readonly before: string;
  readonly after: string;
  readonly changes: readonly Change[];
  readonly compared: { readonly servers: readonly string[]; readonly tools: number };
}

/** A server's contract through time. */
export interface LogReport {
  readonly server: string;
  /** Newest first. */
  readonly versions: readonly ContractVersion[];
  /** Whether the last one is the first that ever was; false where the clone is shallow, or fewer were asked for. */
  readonly isComplete: boolean;
  /** Commits whose lock does not parse, newest first. */
  readonly unreadable: readonly string[];
}

export interface ContractVersion {
  /** Null where the server was taken out of the lock. */
  readonly contract: string | null;
  /** How many it has. */
  readonly tools: number;
  readonly commit: string;
  /** When it was committed, ISO 8601. */
  readonly date: string;
  /** The first line of the commit's message. */
  readonly subject: string;
  /** Against the version before; empty for the first one. */
  readonly changes: readonly Change[];
}

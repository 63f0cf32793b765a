import type { JudgedChange } from "../contract/change.js";
import type { Diagnostic, Unverified } from "../contract/diagnostic.js";
import type { WaiverNotice } from "../contract/waivers.js";
import type { EnvironmentTable } from "./environment-table.js";
import type { BudgetExcess, ImpactSummary, PhpNotes, StaleFile } from "../pipeline/reports.js";

/** A change with the sentence that `explain` of `drift/` gives. */
export interface ReportedChange extends JudgedChange {
  readonly explanation: string;
}

/** A command that fixes something, and what it does, as in `To accept`. */
export interface Repair {
  readonly command: string;
  readonly does: string;
}

/** The input of every report format: a check, or a comparison of two contracts. */
export interface Findings {
  readonly changes: readonly ReportedChange[];
  readonly stale: readonly StaleFile[];
  readonly edited: readonly string[];
  /** Whether stale and edited files fail. They have no class, so they fail unless `failOn` is `never`. */
  readonly doFilesFail: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly unverified: readonly Unverified[];
  /** Servers whose tools exceed their token budget. They always fail. */
  readonly overBudget?: readonly BudgetExcess[];
  /** The servers whose tools were compared. */
  readonly verified: readonly string[];
  /** How many generated files were compared. */
  readonly files: number;
  /** Waivers without effect. */
  readonly waivers?: readonly WaiverNotice[];
  /** What was done, as in `checked 1 server and 14 files against the lock`. */
  readonly work: string;
  /** The text when nothing was found, as in `Up to date`. */
  readonly clean: string;
  /** The commands that fix the findings, in the order to run them. */
  readonly repairs: readonly Repair[];
  /** A note about changes that no command accepts. */
  readonly note?: string;
  /** Environments side by side, where several were checked. */
  readonly environments?: readonly EnvironmentTable[];
  /** How the changes affect the user's code, where that was requested. */
  readonly impact?: ImpactSummary;
  /** PHP that was read instead of asking a server. */
  readonly php?: readonly PhpNotes[];
}

/** Whether nothing was found and everything was verified. Diagnostics of tools do not count. */
export function isClean({ changes, stale, edited, unverified, overBudget = [] }: Findings): boolean {
  return changes.length + stale.length + edited.length + unverified.length + overBudget.length === 0;
}

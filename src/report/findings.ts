import type { JudgedChange } from "../contract/change.js";
import type { Diagnostic } from "../contract/diagnostic.js";
import type { WaiverNotice } from "../contract/waivers.js";
import type { EnvironmentTable } from "./environment-table.js";
import type { BudgetExcess, StaleFile } from "../pipeline/reports.js";
import type { Unverified } from "../contract/unverified.js";
import type { ImpactSummary } from "../pipeline/reports.js";
import type { PhpNotes } from "../pipeline/reports.js";

/** A change with the sentence that `explain` of the drift room has for it. */
export interface ReportedChange extends JudgedChange {
  readonly explanation: string;
}

/** A command that mends something, and what it does, as in `To accept`. */
export interface Repair {
  readonly command: string;
  readonly does: string;
}

/** What every format of a report renders: a check, or how two contracts differ. */
export interface Findings {
  readonly changes: readonly ReportedChange[];
  readonly stale: readonly StaleFile[];
  readonly edited: readonly string[];
  /** Whether files that are stale or edited fail: they have no class, so they do unless nothing may. */
  readonly doFilesFail: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly unverified: readonly Unverified[];
  /** Servers whose tools cost more tokens than they may. They fail: somebody set a limit. */
  readonly overBudget?: readonly BudgetExcess[];
  /** The servers whose tools were compared. */
  readonly verified: readonly string[];
  /** How many generated files were compared, whether or not they differ. */
  readonly files: number;
  /** Waivers that waive nothing. */
  readonly waivers?: readonly WaiverNotice[];
  /** What was done, as in `checked 1 server and 14 files against the lock`. */
  readonly work: string;
  /** What to say when nothing was found, as in `Up to date`. */
  readonly clean: string;
  /** The commands that mend what was found, in the order to run them. */
  readonly repairs: readonly Repair[];
  /** What is to be known of changes that no command accepts. */
  readonly note?: string;
  /** Environments side by side, where several were asked. */
  readonly environments?: readonly EnvironmentTable[];
  /** What the changes mean for the user's own code, where that was asked for. */
  readonly impact?: ImpactSummary;
  /** What was read from PHP in place of a server, where something was. */
  readonly php?: readonly PhpNotes[];
}

/** Whether nothing was found and nothing was left unverified. Notes about tools are no findings. */
export function isClean({ changes, stale, edited, unverified, overBudget = [] }: Findings): boolean {
  return changes.length + stale.length + edited.length + unverified.length + overBudget.length === 0;
}

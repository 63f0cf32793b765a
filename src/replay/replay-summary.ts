/** What replaying changes takes, and what became of it. */
export interface ReplaySummary {
  readonly environment: string;
  /**
   * `planned`, where nothing was to be done yet; `complete`; `refused`, because of conflicts; `stopped` at a step that failed;
   * `undecided`, since it is not known what became of a step.
   */
  readonly status: "planned" | "complete" | "refused" | "stopped" | "undecided";
  readonly steps: readonly ReplayedStep[];
  readonly conflicts: readonly ReplayConflict[];
  /** Lines of the file that hold no change. */
  readonly damaged: readonly { readonly line: number; readonly problem: string }[];
  /** The step where it ended, and why. */
  readonly at?: number;
  readonly reason?: string;
  /** The code of the error that a call failed with. */
  readonly code?: string;
}

export interface ReplayedStep {
  /** From 1. */
  readonly number: number;
  readonly server: string;
  readonly tool: string;
  readonly state: "done" | "skipped" | "failed" | "unknown" | "pending";
  /** Ids among the arguments that are others in the target. */
  readonly references: readonly {
    readonly argument: string;
    /** As recorded. */
    readonly value: string | number;
    /** The step whose result has the one of the target, and where. */
    readonly from: number;
    readonly source: string;
    readonly how: "declared" | "inferred";
  }[];
}

export interface ReplayConflict {
  readonly kind: string;
  readonly step: number;
  readonly message: string;
  readonly argument?: string;
  readonly blocks: boolean;
}

import type { Change, ImpactSummary } from "../../core/change.js";
import type { Findings } from "../../core/findings.js";

export interface ComparedServers {
  readonly servers: readonly string[];
  /** Those that list no tool, and of which the lock has some: `pull` asks before it removes these. */
  readonly emptied?: readonly string[] | undefined;
  /** The environments that were listed, with `environments`; one without a name is the server's own settings. */
  readonly environments?:
    | readonly { readonly server: string; readonly environment?: string | undefined }[]
    | undefined;
}

export interface CheckReport extends Findings {
  /** Findings in the lock that a waiver covers. They are not changes. */
  readonly accepted: readonly Change[];
  readonly checked: ComparedServers & {
    /** The number of compared generated files. */
    readonly files: number;
    /** The number of recorded calls that were compared with the lock; absent without cassettes. */
    readonly calls?: number | undefined;
    /** The number of type-checked scripts; absent without any. */
    readonly scripts?: number | undefined;
  };
  /** The git ref whose lock was compared with the current one; absent when servers were asked. */
  readonly against?: string | undefined;
  /** How the changes affect the user's code; absent unless requested. */
  readonly impact?: ImpactSummary | undefined;
}

import type { LoadedConfig } from "../config/load-config.js";
import type { Change, FailOn } from "../contract/change.js";
import { getOwn } from "../contract/json.js";

export interface Judge {
  readonly explain: (change: Change) => string;
  /** Whether a change is at or above the threshold: the command line's, its server's, the configuration's, or `any`. */
  readonly fails: (change: Change) => boolean;
}

/** The rules are loaded where there is something to judge: a check that finds nothing should cost nothing. */
export async function loadJudge(
  changes: readonly Change[],
  {
    failOn,
    config,
  }: { readonly failOn?: FailOn | undefined; readonly config?: LoadedConfig["config"] | undefined },
): Promise<Judge> {
  if (changes.length === 0) return { explain: () => "", fails: () => false };
  const [{ explain }, { isDrift }] = await Promise.all([
    import("../drift/explain.js"),
    import("../drift/is-drift.js"),
  ]);
  const thresholdOf = (server: string): FailOn =>
    failOn ?? getOwn(config?.servers ?? {}, server)?.check?.failOn ?? config?.check?.failOn ?? "any";
  return { explain, fails: (change) => isDrift(change, thresholdOf(change.server)) };
}

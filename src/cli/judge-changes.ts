import type { Config } from "../config/config.js";
import { policyOf } from "../config/policy-of.js";
import type { Change, FailOn } from "../contract/change.js";
import type { ReportedChange } from "../report/findings.js";

/**
 * The changes, judged by the policies of their servers and explained. The rules are loaded where there is something to
 * judge: a check that finds nothing should cost nothing.
 */
export async function judgeChanges(
  changes: readonly Change[],
  config: Config | undefined,
  given: { readonly failOn?: FailOn },
): Promise<readonly ReportedChange[]> {
  if (changes.length === 0) return [];
  const [{ explain }, { applyPolicy }, { digestsOf }, { findingId }, { withCauses }] = await Promise.all([
    import("../drift/explain.js"),
    import("../drift/apply-policy.js"),
    import("../drift/apply-waivers.js"),
    import("../contract/finding-id.js"),
    import("../report/fold-changes.js"),
  ]);
  const judged = applyPolicy(changes, (server) => policyOf(config ?? { servers: {} }, server, given));
  return withCauses(judged).map((change) => ({
    ...change,
    digests: digestsOf(change),
    ...(change.security && { finding: findingId(change) }),
    explanation: explain(change),
  }));
}

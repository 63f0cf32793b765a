import type { Config } from "../config/config.js";
import { policyOf } from "../config/policy-of.js";
import type { Change, FailOn } from "../contract/change.js";
import type { ReportedChange } from "../report/findings.js";

/**
 * Returns the changes with the class of their server's policy and an explanation. Loads the rules only if there are
 * changes.
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
    import("../drift/apply-policy.js"),
    import("../contract/change.js"),
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

import type { Config } from "../config/config.js";
import type { Change, FailOn, CheckPolicy, RuleClass } from "../core/change.js";
import { getOwn } from "../core/json.js";
import type { ReportedChange } from "./findings.js";

/**
 * Returns the changes with the class of their server's policy and an explanation. Loads the rules only if there are
 * changes.
 */
export async function judgeChanges(
  changes: readonly Change[],
  config: Config | undefined,
  given: { readonly failOn?: FailOn | undefined },
): Promise<readonly ReportedChange[]> {
  if (changes.length === 0) return [];
  const [{ explain }, { applyPolicy }, { digestsOf }, { findingId }, { withCauses }] = await Promise.all([
    import("../drift/rules.js"),
    import("../drift/apply-policy.js"),
    import("../drift/apply-policy.js"),
    import("../core/change.js"),
    import("./fold-changes.js"),
  ]);
  const judged = applyPolicy(changes, (server) => policyOf(config ?? { servers: {} }, server, given));
  return withCauses(judged).map((change) => ({
    ...change,
    digests: digestsOf(change),
    ...(change.security && { finding: findingId(change) }),
    explanation: explain(change),
  }));
}

/**
 * Returns the check policy of a server: options of the command line, then `servers.<name>.check`, then `check`, then
 * the defaults. Classes of rules are merged; a server's own win.
 */
export function policyOf(
  config: Config,
  server: string,
  given: { readonly failOn?: FailOn | undefined } = {},
): CheckPolicy {
  const own = getOwn(config.servers, server)?.check;
  const common = config.check;
  return {
    failOn: given.failOn ?? own?.failOn ?? common?.failOn ?? "any",
    preset: own?.preset ?? common?.preset ?? "strict",
    rules: Object.fromEntries<RuleClass>([
      ...Object.entries(common?.rules ?? {}),
      ...Object.entries(own?.rules ?? {}),
    ]),
  };
}

import type { Change, Impact, JudgedChange, Policy, Preset } from "../contract/change.js";
import { getOwn } from "../contract/json.js";
import { isDrift } from "./is-drift.js";

/** Which impacts a preset counts. */
const COUNTED: Readonly<Record<Preset, readonly Impact[]>> = {
  wire: ["wire"],
  types: ["wire", "types"],
  model: ["wire", "types", "behaviour", "model"],
  strict: ["wire", "types", "behaviour", "model", "trust"],
};

/** The changes with the classes that the policy of their server gives, and whether each fails a check. */
export function applyPolicy(
  changes: readonly Change[],
  policyOf: (server: string) => Policy,
): readonly JudgedChange[] {
  return changes.map((change) => judge(change, policyOf(change.server)));
}

function judge(change: Change, policy: Policy): JudgedChange {
  const wanted = getOwn(policy.rules, change.rule) ?? change.class;
  // A team may call a verdict mild. What has none yet could be anything, so it is not theirs to call safe.
  const judged = change.class === "unknown" && wanted === "safe" ? change.class : wanted;
  return {
    ...change,
    class: judged,
    ...(judged !== change.class && { foundClass: change.class }),
    fails: isCounted(change, policy.preset) && isDrift({ ...change, class: judged }, policy.failOn),
  };
}

/**
 * Whether a preset counts a change. Three kinds always count: a security finding, what could not be proved (its impacts
 * are guesses too), and a break of trust: whether this is still the same server is not a question of policy.
 */
function isCounted(change: Change, preset: Preset): boolean {
  return (
    change.security ||
    change.class === "unknown" ||
    (change.class === "breaking" && change.impacts.includes("trust")) ||
    change.impacts.some((impact) => COUNTED[preset].includes(impact))
  );
}

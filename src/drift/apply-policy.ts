import type { Change, FailOn, Impact, JudgedChange, Policy, Preset } from "../contract/change.js";
import { getOwn } from "../contract/json.js";

/** Which impacts a preset counts. */
const COUNTED: Readonly<Record<Preset, readonly Impact[]>> = {
  wire: ["wire"],
  types: ["wire", "types"],
  model: ["wire", "types", "behaviour", "model"],
  strict: ["wire", "types", "behaviour", "model", "trust"],
};

/** Returns the changes with the classes from their server's policy, and whether each change fails a check. */
export function applyPolicy(
  changes: readonly Change[],
  policyOf: (server: string) => Policy,
): readonly JudgedChange[] {
  return changes.map((change) => judge(change, policyOf(change.server)));
}

function judge(change: Change, policy: Policy): JudgedChange {
  const wanted = getOwn(policy.rules, change.rule) ?? change.class;
  // A policy may lower the class of a verified change. An unknown change may break callers, so a policy cannot make it safe.
  const judged = change.class === "unknown" && wanted === "safe" ? change.class : wanted;
  return {
    ...change,
    class: judged,
    ...(judged !== change.class && { foundClass: change.class }),
    fails: isCounted(change, policy.preset) && isDrift({ ...change, class: judged }, policy.failOn),
  };
}

/**
 * Whether a preset counts a change. Three kinds always count: security findings, unknown changes (their impacts are
 * unproved too) and breaks of trust, because no policy can decide whether this is still the same server.
 */
function isCounted(change: Change, preset: Preset): boolean {
  return (
    change.security ||
    change.class === "unknown" ||
    (change.class === "breaking" && change.impacts.includes("trust")) ||
    change.impacts.some((impact) => COUNTED[preset].includes(impact))
  );
}

/**
 * Whether a change fails a check. Security findings fail at every level except `never`. Waived changes and changes without
 * an impact, such as a server's version number, are reported and never fail. `unknown` counts as dangerous.
 */
export function isDrift(change: Change, failOn: FailOn): boolean {
  if (failOn === "never" || change.impacts.length === 0 || change.waiver !== undefined) return false;
  if (change.security) return true;
  switch (failOn) {
    case "any":
      return true;
    case "dangerous":
      return change.class !== "safe";
    case "breaking":
      return change.class === "breaking";
    default:
      return failOn satisfies never;
  }
}

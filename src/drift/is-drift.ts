import type { Change, FailOn } from "../contract/change.js";

/**
 * Whether a change fails a check. Security fails at every level but `never`; what has no impact, such as a server's
 * own version number, is reported and never fails, and so is what somebody waived. `unknown` counts as dangerous.
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

import { type CallSite, type Change, CLOSED_INPUT, type Impact } from "../core/change.js";
import type { CheckPolicy, FailOn, Preset } from "../core/check-policy.js";
import { getOwn } from "../core/json.js";
import type { LockedServer } from "../core/lockfile.js";

const COUNTED: Readonly<Record<Preset, readonly Impact[]>> = {
  wire: ["wire"],
  types: ["wire", "types"],
  model: ["wire", "types", "behaviour", "model"],
  strict: ["wire", "types", "behaviour", "model", "trust"],
};

/**
 * Returns the changes with the classes from their server's policy, and whether each change fails a check. A change that breaks
 * the user's own code is breaking.
 */
export function applyPolicy(
  changes: readonly Change[],
  policyOf: (server: string) => CheckPolicy,
): readonly Change[] {
  return changes.map((change) => judge(change, policyOf(change.server)));
}

function judge(unjudged: Change, policy: CheckPolicy): Change {
  const reason = findBreak(unjudged, policy.preset);
  const change: Change = reason === undefined ? unjudged : { ...unjudged, class: "breaking", reason };
  const wanted = getOwn(policy.rules, change.rule) ?? change.class;
  // A policy may lower the class of a verified change. An unknown change may break callers, and a security finding fails at every
  // threshold, so a policy cannot make them safe.
  const isFixed = change.class === "unknown" || change.security;
  const judged = isFixed && wanted === "safe" ? change.class : wanted;
  return {
    ...change,
    class: judged,
    ...(judged !== change.class && { foundClass: change.class }),
    fails: isCounted(change, policy.preset) && isDrift({ ...change, class: judged }, policy.failOn),
  };
}

/** How a change that breaks no caller in general breaks the user's own code; undefined if it does not. */
function findBreak({ rule, class: changeClass, callSites = [] }: Change, preset: Preset): string | undefined {
  if (changeClass !== "safe" && changeClass !== "dangerous") return undefined;
  const has = (...effects: readonly CallSite["effect"][]): boolean =>
    callSites.some(({ effect }) => effects.includes(effect));
  // What the types of a closed input no longer allow, the server rejects.
  if (rule === CLOSED_INPUT && has("rejected", "stops-compiling", "unchecked"))
    return "Your code passes a property that the input schema does not declare.";
  if (has("rejected")) return "Your code passes a value that is now rejected.";
  const isCompiled = has("stops-compiling") && COUNTED[preset].includes("types");
  return isCompiled ? "Your code no longer compiles." : undefined;
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
 * an impact, such as a server's version number, are reported and never fail. A change of class `unknown` may break callers, so it fails like a breaking one.
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
      return change.class === "breaking" || change.class === "unknown";
    default:
      return failOn satisfies never;
  }
}

/**
 * Whether a server should raise its version for a change: a locked tool changed in a way that callers notice, which they do
 * not for texts alone. A tool that was held back is new in every list, or is locked as an earlier version had it.
 */
export function needsVersion(
  { class: judged, impacts, tool }: Change,
  locked: LockedServer | undefined,
): boolean {
  const isNoticed = judged !== "safe" && impacts.some((impact) => impact !== "model");
  const lockedTool = tool === undefined ? undefined : getOwn(locked?.tools ?? {}, tool);
  return isNoticed && lockedTool !== undefined && lockedTool.version === undefined;
}

import {
  type CallSite,
  type Change,
  CLOSED_INPUT,
  type FailOn,
  type Impact,
  type JudgedChange,
  type CheckPolicy,
  type Preset,
  hitsConsumer,
} from "../core/change.js";
import { digestOf } from "../core/digest.js";
import { getOwn, type JsonValue } from "../core/json.js";
import type { LockedServer } from "../core/lockfile.js";
import {
  type AppliedWaiver,
  isForSame,
  type Waivable,
  type Waiver,
  type WaiverNotice,
} from "../core/findings.js";
import { splitPointer } from "../core/json-pointer.js";
import { compileNamePattern, isNamePattern } from "../core/name-pattern.js";

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
): readonly JudgedChange[] {
  return changes.map((change) => judge(change, policyOf(change.server)));
}

function judge(found: Change, policy: CheckPolicy): JudgedChange {
  const reason = findBreak(found, policy.preset);
  const change: Change = reason === undefined ? found : { ...found, class: "breaking", reason };
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

/** How a change that breaks no caller in general breaks the user's own code; undefined if it does not. */
function findBreak({ rule, class: found, callSites = [] }: Change, preset: Preset): string | undefined {
  if (found !== "safe" && found !== "dangerous") return undefined;
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
 * Whether a change fails a check. Security findings fail at every level except `consumer` and `never`. Waived changes and changes without
 * an impact, such as a server's version number, are reported and never fail. A change of class `unknown` may break callers, so it fails like a breaking one.
 */
export function isDrift(change: Change, failOn: FailOn): boolean {
  if (failOn === "never" || change.impacts.length === 0 || change.waiver !== undefined) return false;
  if (failOn === "consumer") return hitsConsumer(change);
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
 * not for texts alone. A tool that was held back is new in every list, although the server did not change.
 */
export function needsVersion(
  { class: judged, impacts, tool }: Change,
  locked: LockedServer | undefined,
): boolean {
  const isNoticed = judged !== "safe" && impacts.some((impact) => impact !== "model");
  return isNoticed && tool !== undefined && Object.hasOwn(locked?.tools ?? {}, tool);
}

interface ApplyWaiversOptions {
  /** The current day, as `2026-12-31`. Without it, a waiver with an expiry date does not apply. */
  readonly today?: string | undefined;
  /** Whether everything that a waiver could cover was compared. Otherwise a waiver without a change is not reported. */
  readonly isJudged: (waiver: Waiver) => boolean;
}

/** Returns the changes, each with the waiver that covers it, and the waivers that cover no change or have expired. */
export function applyWaivers<T extends Waivable>(
  changes: readonly T[],
  waivers: readonly Waiver[],
  { today, isJudged }: ApplyWaiversOptions,
): {
  readonly changes: readonly (T & { readonly waiver?: AppliedWaiver })[];
  readonly notices: readonly WaiverNotice[];
} {
  const used = new Set<Waiver>();
  const near = new Set<Waiver>();
  // A path that a person copied from a report is meant as it is.
  const patterns = waivers.filter(
    (waiver) => hasPattern(waiver) && !changes.some((change) => isForSame(waiver, change)),
  );
  const applied = changes.map((change) => {
    const candidates = waivers.filter(
      (waiver) => isForSame(waiver, change) || (patterns.includes(waiver) && isForPlace(waiver, change)),
    );
    for (const waiver of candidates) near.add(waiver);
    const fitting = candidates.filter((waiver) => hasDigests(waiver, change));
    for (const waiver of fitting) used.add(waiver);
    const waiver = fitting.find((each) => !isExpired(each, today));
    if (waiver === undefined) return change;
    const { reason, expires } = waiver;
    return { ...change, waiver: { reason, ...(expires !== undefined && { expires }) } };
  });
  const notices = waivers.flatMap((waiver): readonly WaiverNotice[] => {
    if (used.has(waiver)) return isExpired(waiver, today) ? [{ state: "expired", waiver }] : [];
    if (near.has(waiver)) return [{ state: "void", waiver }];
    return isJudged(waiver) ? [{ state: "unused", waiver }] : [];
  });
  return { changes: applied, notices };
}

/** Returns a waiver for exactly this change. */
export function waiverFor(change: Waivable, reason: string): Waiver {
  const { rule, server, tool, path } = change;
  return {
    ...{ rule, server, ...(tool !== undefined && { tool }), path },
    ...(hasPattern({ path }) && { literal: true as const }),
    ...{ digests: digestsOf(change), reason },
  };
}

interface DigestedValues {
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
}

/** Returns the digests that bind a waiver to a change. */
export function digestsOf({ before, after }: DigestedValues): Waiver["digests"] {
  return {
    ...(before !== undefined && { before: digestOf(before) }),
    ...(after !== undefined && { after: digestOf(after) }),
  };
}

/** Whether the path of a waiver may match several places. */
export function hasPattern({ path, literal }: Pick<Waiver, "path" | "literal">): boolean {
  return literal !== true && splitPointer(path).some(isNamePattern);
}

function isForPlace({ rule, server, tool, path }: Waiver, change: Waivable): boolean {
  if (rule !== change.rule || server !== change.server || tool !== change.tool) return false;
  return !change.security && fitsPath(path, change.path);
}

function hasDigests({ digests }: Waiver, change: Waivable): boolean {
  const { before, after } = digestsOf(change);
  return digests.before === before && digests.after === after;
}

function isExpired({ expires }: Waiver, today: string | undefined): boolean {
  return expires !== undefined && (today === undefined || today > expires);
}

/**
 * Whether a JSON Pointer matches a pattern: names match within one step, `**` any number of steps. Takes at most n × m steps.
 */
function fitsPath(pattern: string, path: string): boolean {
  const parts = splitPointer(pattern);
  const steps = splitPointer(path);
  let [at, step, back, from] = [0, 0, -1, 0];
  while (step < steps.length) {
    const part = parts[at];
    if (part === "**") {
      [back, from] = [at, step];
      at += 1;
    } else if (part !== undefined && compileNamePattern(part)(steps[step] ?? "")) {
      at += 1;
      step += 1;
    } else if (back === -1) return false;
    else {
      from += 1;
      [at, step] = [back + 1, from];
    }
  }
  return parts.slice(at).every((part) => part === "**");
}

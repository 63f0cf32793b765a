import { digestOf } from "./digest.js";
import { type AppliedWaiver, isForSame, type Waivable, type Waiver, type WaiverNotice } from "./findings.js";
import type { JsonValue } from "./json.js";
import { splitPointer } from "./json-pointer.js";
import { compileNamePattern, isNamePattern } from "./name-pattern.js";

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

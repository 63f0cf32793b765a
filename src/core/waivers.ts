import * as f from "./format.js";
import type { Change } from "./change.js";
import { digestOf, sha256 } from "./digest.js";
import type { Finding, WaiverState } from "./finding.js";
import { joinPointer, splitPointer } from "./json-pointer.js";
import { canonicalJson, type JsonValue } from "./json.js";
import { compileNamePattern, isNamePattern } from "./name-pattern.js";

/** The file of waivers: committed, next to the configuration. */
export const WAIVERS_NAME = "mcp-codegen.waivers.json";

const digest = f.matching(
  f.anyText,
  /^sha256-[0-9a-f]{64}$/,
  "expected a digest such as sha256-…, from check --json",
);

const waiver = f.record({
  /** The rule that finds the change. */
  rule: f.anyText,
  server: f.anyText,
  /** Absent for a change of the server. */
  tool: f.optional(f.anyText),
  /**
   * JSON Pointer; of a name in a file, the file as one step. Where no finding has this very path, `*`, `?` and `{a,b}` match
   * within one step, and `**` matches any steps. A waiver with these never covers a security finding.
   */
  path: f.matching(f.anyText, /^(?:\/|$)/, "expected a JSON Pointer, or nothing"),
  /** Set where `path` has such characters and is not a pattern. */
  literal: f.optional(f.oneOf(true)),
  /**
   * The digests of `before` and `after` of the change, as `digestOf` returns them; absent if the change does
   * not have the value.
   */
  digests: f.record({ before: f.optional(digest), after: f.optional(digest) }),
  /** The reason for accepting it. */
  reason: f.textLike({ minLength: 1 }, "expected a reason", (value) => value.trim() !== ""),
  /** The options of the check that it was written for, such as `--against v1.2.0`: only that check reports it as unused. */
  check: f.optional(f.anyText),
  /** The last valid day, such as `2026-12-31`. */
  expires: f.optional(
    f.textLike({ pattern: "^\\d{4}-\\d\\d-\\d\\d$" }, "expected a date such as 2026-12-31", isDay),
  ),
});

/** An accepted change: its rule, its place, and its values before and after. */
export type Waiver = f.SettingsOf<typeof waiver>;

function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

const waivers = f.record({ $schema: f.optional(f.anyText), waivers: f.list<Waiver>(waiver) });

/** The accepted findings of a team. */
export type WaiversFile = f.SettingsOf<typeof waivers>;
export const WAIVERS_FORMAT: f.FileFormat<WaiversFile> = {
  code: "WAIVERS_INVALID",
  hint: "Correct it; its schema is node_modules/mcp-codegen/docs/schemas/waivers.schema.json.",
  format: waivers,
};

/** What a waiver of a finding is bound to. */
interface WaivedPlace {
  readonly rule: string;
  readonly server: string;
  readonly tool?: string | undefined;
  readonly path: string;
  readonly security?: boolean | undefined;
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
}

/** A name is waived at all its places in the file; what a host refuses, for the places in the tool where the rule applies. */
function placeOf(finding: Finding | Change): WaivedPlace {
  const { rule, server = "", tool, path = "", file, facts } = finding;
  if (file !== undefined) return { rule, server, tool, path: joinPointer("", file) };
  if (facts?.paths !== undefined) return { rule, server, tool, path: "", after: facts.paths };
  return { ...finding, server, path };
}

interface ApplyWaiversOptions {
  /** The current day, as `2026-12-31`. Without it, a waiver with an expiry date does not apply. */
  readonly today?: string | undefined;
  /** The options of this check. Only its own waivers are reported, or all if it is undefined. */
  readonly check?: string | undefined;
  /** Whether everything that a waiver could cover was compared. Otherwise a waiver without a change is not reported. */
  readonly isJudged: (waiver: Waiver) => boolean;
}

/** Returns the findings, each with the waiver that covers it, and the waivers that cover none or have expired. */
export function applyWaivers<T extends Finding>(
  findings: readonly T[],
  waivers: readonly Waiver[],
  { today, check, isJudged }: ApplyWaiversOptions,
): {
  readonly findings: readonly T[];
  readonly notices: readonly Finding[];
} {
  const places = findings.map(placeOf);
  const used = new Set<Waiver>();
  const near = new Set<Waiver>();
  // A path that a person copied from a report is meant as it is.
  const patterns = waivers.filter(
    (waiver) => hasPattern(waiver) && !places.some((place) => isForSame(waiver, place)),
  );
  const applied = findings.map((finding, index) => {
    const place = places[index] ?? placeOf(finding);
    const candidates = waivers.filter(
      (waiver) => isForSame(waiver, place) || (patterns.includes(waiver) && isForPlace(waiver, place)),
    );
    const fitting = candidates.filter((waiver) => hasDigests(waiver, place));
    for (const waiver of candidates) if (!fitting.includes(waiver)) near.add(waiver);
    const valid = fitting.filter((each) => !isExpired(each, today));
    for (const waiver of valid.length > 0 ? valid : fitting) used.add(waiver);
    const [waiver] = valid;
    if (waiver === undefined) return finding;
    const { reason, expires } = waiver;
    return { ...finding, waiver: { reason, ...(expires !== undefined && { expires }) } };
  });
  const stateOf = (waiver: Waiver): WaiverState | undefined => {
    if (used.has(waiver)) return isExpired(waiver, today) ? "expired" : undefined;
    if (check !== undefined && check !== (waiver.check ?? "")) return undefined;
    if (near.has(waiver)) return "void";
    return isJudged(waiver) ? "unused" : undefined;
  };
  // A merge may leave the same waiver twice.
  const unique = new Map(waivers.map((waiver) => [JSON.stringify(waiver), waiver])).values();
  const notices = [...unique].flatMap((waiver): readonly Finding[] => {
    const { rule, server, tool, path, reason, expires } = waiver;
    const state = stateOf(waiver);
    if (state === undefined) return [];
    return [
      {
        rule,
        server,
        tool,
        path,
        waiver: { reason, ...(expires !== undefined && { expires }) },
        facts: { state },
      },
    ];
  });
  return { findings: applied, notices };
}

/** Returns a waiver for exactly this finding. */
export function waiverFor(finding: Finding, reason: string): Waiver {
  const place = placeOf(finding);
  const { rule, server, tool, path } = place;
  return {
    rule,
    server,
    ...(tool !== undefined && { tool }),
    path,
    ...(hasPattern({ path }) && { literal: true as const }),
    digests: digestsOf(place),
    reason,
  };
}

/** Returns the digests that bind a waiver to a change. */
export function digestsOf({ before, after }: Pick<WaivedPlace, "before" | "after">): Waiver["digests"] {
  return {
    ...(before !== undefined && { before: digestOf(before) }),
    ...(after !== undefined && { after: digestOf(after) }),
  };
}

/** Whether the path of a waiver may match several places. */
export function hasPattern({ path, literal }: Pick<Waiver, "path" | "literal">): boolean {
  return literal !== true && splitPointer(path).some(isNamePattern);
}

function isForPlace({ rule, server, tool, path }: Waiver, place: WaivedPlace): boolean {
  if (rule !== place.rule || server !== place.server || tool !== place.tool) return false;
  return place.security !== true && fitsPath(path, place.path);
}

function hasDigests({ digests }: Waiver, place: WaivedPlace): boolean {
  const { before, after } = digestsOf(place);
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
  let at = 0;
  let step = 0;
  let back = -1;
  let from = 0;
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

/** Adds waivers. A new waiver replaces one with the same rule and place. */
export function replaceWaivers(waivers: readonly Waiver[], added: readonly Waiver[]): readonly Waiver[] {
  return [...waivers.filter((waiver) => !added.some((other) => isSamePlace(waiver, other))), ...added];
}

/** Whether a waiver names this very rule and place. */
export function isForSame(
  waiver: Waiver,
  { rule, server, tool, path }: Pick<Finding, "rule" | "server" | "tool" | "path">,
): boolean {
  return waiver.rule === rule && waiver.server === server && waiver.tool === tool && waiver.path === path;
}

function isSamePlace(a: Waiver, b: Waiver): boolean {
  return isForSame(a, b) && a.literal === b.literal;
}

/** Twelve hexadecimal digits that name one finding: its rule, its place and its values before and after. */
export function findingId({ rule, server, tool, path, before, after }: Change): string {
  const digest = (value: JsonValue | undefined): string => (value === undefined ? "" : digestOf(value));
  const identity = [rule, server, tool ?? "", path, digest(before), digest(after)];
  return sha256(canonicalJson(identity)).slice(0, 12);
}

/** Whether a text can be the name of a finding. No rule has such a name. */
export function isFindingId(text: string): boolean {
  return /^[0-9a-f]{12}$/.test(text);
}

/** With more findings than this a command would be too long to read. */
const MOST_NAMED = 8;

/** The options of `pull` that accept these findings alone; of many, their rules. The reason is left open. */
export function acceptOptions(findings: readonly Change[]): readonly string[] {
  if (findings.length === 0) return [];
  const ids = [...new Set(findings.map(findingId))];
  const names = ids.length > MOST_NAMED ? [...new Set(findings.map(({ rule }) => rule))] : ids;
  return [...names.map((name) => `--accept ${name}`), '--reason "…"'];
}

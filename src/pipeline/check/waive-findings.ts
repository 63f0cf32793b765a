import { digestOf } from "../../core/digest.js";
import { getOwn, type JsonValue } from "../../core/json.js";
import { findAt, splitPointer } from "../../core/json-pointer.js";
import { snapshotEntries } from "../../core/lock-server.js";
import {
  acceptOptions,
  applyWaivers,
  hasPattern,
  isForSame,
  type Waiver,
  WAIVERS_NAME,
} from "../../core/waivers.js";
import type { Change } from "../../core/change.js";
import { McpCodegenError } from "../../core/errors.js";
import type { Lockfile } from "../../core/lockfile.js";
import type { Finding } from "../../core/finding.js";
import { MENTION_RULE } from "../../core/findings.js";
import { needsVersion } from "../../drift/apply-policy.js";
import { holdsFor } from "../../core/hosts/find-host-findings.js";
import type { HostId } from "../../core/hosts/host.js";
import { findHostRule } from "../../core/hosts/host-rules.js";
import { adviseOnRule, findRule } from "../../drift/rules.js";
import { isPoisonRule } from "../../drift/rules/named-rules.js";

// The other judges, which `check` loads with these: only for a lock that it does not know, or for findings.
export { findHostFindings } from "../../core/hosts/find-host-findings.js";
export { scanLock } from "../../drift/security/scan-lock.js";

export interface WaiveOptions {
  readonly waivers: readonly Waiver[];
  readonly today?: string | undefined;
  /** The options of the check, see `CheckOptions`. */
  readonly check?: string | undefined;
  /** The servers that were compared with the lock. */
  readonly compared?: readonly string[] | undefined;
}

/**
 * Applies waivers to changes and to the suspicious parts of the lock, which `scanLock` returned. `changes` are those, with waived
 * ones marked, and the findings in the lock that no waiver covers. `accepted` are those that one covers: nothing changed, and nothing
 * is left to decide.
 */
export function waiveFindings(
  lock: Lockfile,
  suspicious: readonly Change[],
  changes: readonly Change[],
  { waivers, today, check = "", compared = [] }: WaiveOptions,
) {
  refuseWrongRules(
    waivers,
    (waiver) =>
      [...suspicious, ...changes].some((change) => isForSame(waiver, change)) || isRecord(waiver, lock),
  );
  const keyOf = ({ rule, server, tool, path, after }: Change): string =>
    JSON.stringify([rule, server, tool, path, after]);
  const keys = new Set(changes.map(keyOf));
  const locked = suspicious.filter((finding) => !keys.has(keyOf(finding)));
  const ofChanges = waivers.filter((waiver) => !isOfOther(waiver));
  const { notices, findings: all } = applyWaivers([...locked, ...changes], ofChanges, {
    today,
    check,
    isJudged: (waiver) =>
      (isPoisonRule(waiver.rule) || compared.includes(waiver.server)) && !isRecord(waiver, lock),
  });
  const ofLock = all.slice(0, locked.length);
  const others = all.slice(locked.length);
  return {
    changes: [...ofLock.filter(({ waiver }) => waiver === undefined), ...withoutKeptVersions(lock, others)],
    accepted: ofLock.filter(({ waiver }) => waiver !== undefined),
    waivers: notices,
  };
}

/** Removes the finding that a server kept its version where every change that asks for another is waived. */
export function withoutKeptVersions(lock: Lockfile, changes: readonly Change[]): readonly Change[] {
  const open = changes.filter(({ waiver }) => waiver === undefined);
  return changes.filter(({ rule, server }) => {
    const locked = getOwn(lock.servers, server);
    return (
      rule !== "server-version-kept" ||
      open.some((change) => change.server === server && needsVersion(change, locked))
    );
  });
}

/** Returns names in files that agents read and what these hosts refuse or change, with waived findings marked. */
export function waiveOthers(
  findings: readonly Finding[],
  hosts: readonly HostId[],
  { waivers, today }: WaiveOptions,
): ReturnType<typeof applyWaivers<Finding>> {
  const ofNames = waivers.filter(({ rule }) => rule === MENTION_RULE);
  const ofHosts = waivers.filter(({ rule }) => findHostRule(rule) !== undefined);
  // All files are always searched. The waiver of a host that was not asked about may be needed by another check.
  const isJudged = ({ rule }: Waiver): boolean => {
    const hostRule = findHostRule(rule);
    return hostRule === undefined || hosts.some((host) => holdsFor(hostRule, host));
  };
  return applyWaivers(findings, [...ofNames, ...ofHosts], { today, isJudged });
}

function isOfOther({ rule }: Waiver): boolean {
  return rule === MENTION_RULE || findHostRule(rule) !== undefined;
}

/** The findings that were not accepted, among these changes and the suspicious parts of a lock. */
export function findUnaccepted(
  lock: Lockfile,
  suspicious: readonly Change[],
  changes: readonly Change[],
  options: WaiveOptions,
): readonly Change[] {
  const findings = waiveFindings(lock, suspicious, changes, options);
  return findings.changes.filter(({ waiver }) => waiver === undefined);
}

/** Throws `FINDING_UNACCEPTED` for an unaccepted finding among the suspicious parts of a lock. */
export function refuseUnaccepted(lock: Lockfile, suspicious: readonly Change[], options: WaiveOptions): void {
  const [first, ...more] = findUnaccepted(lock, suspicious, [], options);
  if (first === undefined) return;
  const whose = first.tool === undefined ? "" : ` tool ${JSON.stringify(first.tool)} of`;
  const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
  const servers = new Set([first, ...more].map(({ server }) => server));
  const accept = ["npx mcp-codegen pull", ...servers, ...acceptOptions([first, ...more])].join(" ");
  throw new McpCodegenError(
    "FINDING_UNACCEPTED",
    `In the lock,${whose} server ${JSON.stringify(first.server)} has a finding of "${first.rule}" that was not accepted${others}.`,
    { hint: `Run 'npx mcp-codegen check --offline' to see it, '${accept}' to accept it.` },
  );
}

/**
 * Whether a waiver records an accepted security finding whose value is in the lock. Only a comparison with the previous
 * lock would find it again.
 */
function isRecord({ rule, server, tool, path, digests }: Waiver, lock: Lockfile): boolean {
  const locked = getOwn(lock.servers, server);
  const owner: JsonValue | undefined =
    tool === undefined
      ? locked && { ...locked.identity, ...snapshotEntries(locked) }
      : getOwn<{ readonly definition: JsonValue }>(locked?.tools ?? {}, tool)?.definition;
  if (owner === undefined || (findRule(rule)?.security !== true && rule !== "icons-changed")) return false;
  const value = findAt(owner, path);
  const held = [value, value === undefined ? undefined : splitPointer(path).at(-1)];
  return held.some((each) => (each === undefined ? undefined : digestOf(each)) === digests.after);
}

/**
 * A misspelt rule would waive nothing and a wildcard too much, so both are refused before anything is judged. A path that a
 * report prints may have the characters of a wildcard: then it is a place.
 */
function refuseWrongRules(waivers: readonly Waiver[], isPlace: (waiver: Waiver) => boolean): void {
  waivers.forEach((waiver, index) => {
    if (isOfOther(waiver)) return;
    const rule = findRule(waiver.rule);
    const isWide = rule?.security === true && hasPattern(waiver) && !isPlace(waiver);
    if (rule !== undefined && !isWide) return;
    const problem =
      rule === undefined
        ? `there is no rule ${JSON.stringify(waiver.rule)}${adviseOnRule(waiver.rule)}`
        : "a security finding must be accepted at one place, not with a wildcard";
    const message = `"${WAIVERS_NAME}" is not valid at waivers[${index}]: ${problem}.`;
    throw new McpCodegenError("WAIVERS_INVALID", message, { hint: "Take the entry from check --json." });
  });
}

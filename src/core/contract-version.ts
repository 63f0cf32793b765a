import type { Change } from "./change.js";

/** The contract of a server that is locked for the first time. */
export const FIRST_CONTRACT = "1.0.0";

/** Whether a text is a contract version: three numbers, nothing else. */
export function isContractVersion(text: string): boolean {
  return CONTRACT_VERSION.test(text);
}

/** Numbers with more digits could not be counted up. */
export const CONTRACT_VERSION = /^(?:(?:0|[1-9]\d{0,14})\.){2}(?:0|[1-9]\d{0,14})$/;

/**
 * The version of a contract after these changes: major when one is breaking or cannot be proved harmless, minor when
 * callers can do or rely on more than before (safe with an impact on the wire or on types, or keys that a closed output gets
 * and clients keep), patch for everything else that has an impact. Without an impact (a server's own version number) it stays.
 */
export function bumpContract(version: string, changes: readonly Change[]): string {
  const [major = 1, minor = 0, patch = 0] = version.split(".").map(Number);
  if (changes.some((change) => change.class === "breaking" || change.class === "unknown")) {
    return `${major + 1}.0.0`;
  }
  if (changes.some(isAdditive)) return `${major}.${minor + 1}.0`;
  return changes.some((change) => change.impacts.length > 0) ? `${major}.${minor}.${patch + 1}` : version;
}

function isAdditive(change: Change): boolean {
  if (isTolerated(change)) return true;
  return change.class === "safe" && (change.impacts.includes("wire") || change.impacts.includes("types"));
}

/** Rules of drift about keys that a closed output gets. Clients that read outputs as they do by default keep such keys. */
const RULES: ReadonlySet<string> = new Set([
  "output-property-added-to-closed",
  "output-additional-properties-opened",
]);

/** Whether a change only adds keys to answers, and the clients of its server keep them. */
export function isTolerated(change: Pick<Change, "rule" | "class">): boolean {
  return RULES.has(change.rule) && change.class === "dangerous";
}

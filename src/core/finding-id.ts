import type { Change } from "./change.js";
import { digestOf, sha256 } from "./digest.js";
import { canonicalJson, type JsonValue } from "./json.js";

const LENGTH = 12;
const PATTERN = /^[0-9a-f]{12}$/;

/** Twelve hexadecimal digits that name one finding: its rule, its place and its values before and after. */
export function findingId({ rule, server, tool, path, before, after }: Change): string {
  const digest = (value: JsonValue | undefined): string => (value === undefined ? "" : digestOf(value));
  const identity = [rule, server, tool ?? "", path, digest(before), digest(after)];
  return sha256(canonicalJson(identity)).slice(0, LENGTH);
}

/** Whether a text can be the name of a finding. No rule has such a name. */
export function isFindingId(text: string): boolean {
  return PATTERN.test(text);
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

import type { JsonValue } from "../../contract/json.js";
import { findSites } from "./rename-sites.js";
import { partsOfName } from "./similarity.js";
import { areOpposed } from "./verbs.js";

/** The evidence from the tools of a server that one property name replaces another, from 0 (none) to 1. */
export type RenameEvidence = (was: string, is: string) => number;

export const NO_EVIDENCE: RenameEvidence = () => 0;

/** The least share of the tools that lose a word and get the same other word. */
const LEAST_SHARE = 0.75;

/** The schemas of one tool, before and after. */
export type SchemaPair = readonly [before: JsonValue, after: JsonValue];

/** The words in the names of a server's tools and properties. */
export interface UsedWords {
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
}

/**
 * Collects evidence from words that many tools replace in the same way: if many tools lose `ref` and get `target`, then
 * `startRef` is probably now `startTarget`. One tool alone is not evidence. Neither is a lost word that the server still
 * uses, or a new word that it used before: `card_id` and `dashboard_id` differ if the server has cards and dashboards.
 */
export function gatherEvidence(tools: readonly (readonly SchemaPair[])[], used: UsedWords): RenameEvidence {
  const [together, lost] = [new Map<string, number>(), new Map<string, number>()];
  for (const pairs of tools) {
    const sites = pairs.flatMap(([before, after]) => findSites(before, after));
    const candidates = sites.flatMap(({ removed, added }) =>
      removed.flatMap(([was]) => added.map(([is]) => replacedWords(was, is))),
    );
    const own = new Map(candidates.map(([was, is]) => [keyOf(was, is), was.join(" ")]));
    for (const key of own.keys()) count(together, key);
    for (const word of new Set(own.values())) count(lost, word);
  }
  return (was, is) => {
    const [removed, added] = replacedWords(was, is);
    const tools = together.get(keyOf(removed, added)) ?? 0;
    const share = tools / (lost.get(removed.join(" ")) ?? 1);
    const isUsed =
      removed.some((word) => used.after.has(word)) || added.some((word) => used.before.has(word));
    if (tools < 2 || share < LEAST_SHARE || isUsed || areOpposed(removed, added)) return 0;
    return share * (1 - 1 / tools);
  };
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function keyOf(removed: readonly string[], added: readonly string[]): string {
  return JSON.stringify([removed, added]);
}

type Words = readonly string[];

/** Returns the words in which two names differ; all words if one name contains all words of the other. */
function replacedWords(was: string, is: string): readonly [removed: Words, added: Words] {
  const [old, now] = [partsOfName(was), partsOfName(is)];
  const [removed, added] = [
    old.filter((word) => !now.includes(word)),
    now.filter((word) => !old.includes(word)),
  ];
  return removed.length === 0 || added.length === 0 ? [old, now] : [removed, added];
}

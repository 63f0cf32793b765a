import type { Postings } from "./postings.js";
import type { Intent } from "./read-query.js";
import { createWordReader } from "./read-word.js";
import type { SearchableTool } from "./postings.js";
import { WEIGHTS } from "./weights.js";

export interface Ranked<T> {
  readonly tool: T;
  readonly score: number;
}

export interface RankOptions<T> {
  readonly most: number;
  readonly accepts: (tool: T) => boolean;
  /** How near each tool's meaning is to the intent's, from -1 to 1; absent without an embedder. */
  readonly nearness?: Float32Array | undefined;
}

/** The best tools for an intent, best first. */
export type Ranker<T> = (intent: Intent, options: RankOptions<T>) => readonly Ranked<T>[];

export function createRanker<T extends SearchableTool>(tools: readonly T[], postings: Postings): Ranker<T> {
  const readWord = createWordReader(postings);
  const { byStem, actions, names, reads } = postings;
  const count = tools.length;

  /** What one word adds to each tool: the most that any stem it stands for does. */
  function scoresOf(word: string): { readonly scores: ReadonlyMap<number, number>; readonly most: number } {
    const scores = new Map<number, number>();
    let most = 0;
    for (const [key, share] of readWord(word)) {
      const posting = byStem.get(key);
      if (posting === undefined) continue;
      const found = posting.tools.length;
      const rarity = share * Math.log(1 + (count - found + 0.5) / (found + 0.5));
      most = Math.max(most, rarity);
      posting.tools.forEach((tool, i) => {
        const amount = posting.amounts[i] ?? 0;
        const score = (rarity * amount) / (WEIGHTS.saturation + amount);
        if (score > (scores.get(tool) ?? 0)) scores.set(tool, score);
      });
    }
    return { scores, most };
  }

  return (intent, { most, accepts, nearness }) => {
    const totals = new Float64Array(count);
    const covered = new Float64Array(count);
    let whole = 0;
    for (const { word, weight } of intent.words) {
      const { scores, most: mostOfWord } = scoresOf(word);
      whole += weight * mostOfWord;
      for (const [tool, score] of scores) {
        totals[tool] = (totals[tool] ?? 0) + weight * score;
        covered[tool] = (covered[tool] ?? 0) + weight * Math.min(mostOfWord, 2 * score);
      }
    }
    const best = keepBest<T>(most);
    tools.forEach((tool, index) => {
      const found = whole === 0 ? 0 : (totals[index] ?? 0) / whole;
      const meaning = WEIGHTS.meaning * Math.max(0, (nearness?.[index] ?? 0) - WEIGHTS.chance);
      const highest = (found + meaning) * (1 + WEIGHTS.exactForm + WEIGHTS.reads);
      if (highest < WEIGHTS.leastScore || best.isBeyond(highest) || !accepts(tool)) return;
      const share = (covered[index] ?? 0) / whole;
      const action = actions[index];
      const isOther = intent.action !== undefined && action !== undefined && action !== intent.action;
      const factor = WEIGHTS.uncovered + (1 - WEIGHTS.uncovered) * share;
      const score = (found === 0 ? 0 : found * factor) + meaning;
      best.add({
        tool,
        score: score * (isOther ? WEIGHTS.otherAction : 1) * (1 + preferenceFor(index, intent)),
      });
    });
    const sorted = best.sorted();
    const least = Math.max(WEIGHTS.leastScore, WEIGHTS.leastShare * (sorted[0]?.score ?? 0));
    return sorted.filter(({ score }) => score >= least);
  };

  /** What moves a tool before others that fit as well. */
  function preferenceFor(index: number, { words, action, hasVerb }: Intent): number {
    const name = names[index];
    const exact = words.filter(({ word }) => name?.has(word)).length / words.length;
    const isAsked = action === "read" || !hasVerb;
    return WEIGHTS.exactForm * exact + (isAsked && reads[index] === true ? WEIGHTS.reads : 0);
  }
}

/** Keeps the best of many without sorting them all. */
function keepBest<T extends SearchableTool>(
  most: number,
): {
  /** Whether nothing with this score is among the best any more. */
  isBeyond(score: number): boolean;
  add(entry: Ranked<T>): void;
  sorted(): readonly Ranked<T>[];
} {
  let kept: Ranked<T>[] = [];
  let least = 0;
  const trim = (): void => {
    kept = kept.sort(byScoreAndName).slice(0, most);
  };
  return {
    isBeyond: (score) => score < least,
    add: (entry) => {
      kept.push(entry);
      if (kept.length < 4 * most) return;
      trim();
      least = kept.at(-1)?.score ?? 0;
    },
    sorted: () => {
      trim();
      return kept;
    },
  };
}

function byScoreAndName<T extends SearchableTool>(a: Ranked<T>, b: Ranked<T>): number {
  return b.score - a.score || (a.tool.name < b.tool.name ? -1 : a.tool.name > b.tool.name ? 1 : 0);
}

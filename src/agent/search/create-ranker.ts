import type { Postings, SearchableTool } from "./postings.js";
import type { Intent } from "./read-query.js";
import { WEIGHTS } from "./weights.js";
import { groupBy } from "../../core/collections.js";
import { byCodeUnit } from "../../core/json.js";
import { editDistance } from "../../core/nearest-name.js";
import type { SearchHit } from "./create-tool-search.js";
import { stem } from "./stem.js";
import { ABBREVIATIONS, PHRASES, WORD_GROUPS } from "./vocabulary.js";

type Scored<T> = Omit<SearchHit<T>, "fit">;

interface RankOptions<T> {
  readonly most: number;
  readonly accepts: (tool: T) => boolean;
  /** The similarity of each tool's meaning to the intent's, from -1 to 1; absent without an embedder. */
  readonly nearness?: Float32Array | undefined;
}

/** Returns a function that returns the best tools for an intent, best first. */
export function createRanker<T extends SearchableTool>(tools: readonly T[], postings: Postings) {
  const readWord = createWordReader(postings);
  const { byStem, actions, names, effects } = postings;
  const count = tools.length;

  function rarityOf(key: string): number | undefined {
    const frequency = byStem.get(key)?.tools.length;
    return frequency === undefined ? undefined : Math.log(1 + (count - frequency + 0.5) / (frequency + 0.5));
  }

  /** Returns the score of one word for each tool: the highest among the stems that it matches. */
  function scoresOf(word: string): { readonly scores: ReadonlyMap<number, number>; readonly most: number } {
    const scores = new Map<number, number>();
    let most = 0;
    // Another word is not rarer than the word itself, or a tool with both would seem to lack something.
    const wordRarity = rarityOf(stem(word)) ?? Infinity;
    for (const [key, share] of readWord(word)) {
      const posting = byStem.get(key);
      if (posting === undefined) continue;
      const rarity = share * Math.min(wordRarity, rarityOf(key) ?? 0);
      most = Math.max(most, rarity);
      for (let i = 0; i < posting.tools.length; i += 1) {
        const tool = posting.tools[i] ?? 0;
        const amount = posting.amounts[i] ?? 0;
        const score = (rarity * amount) / (WEIGHTS.saturation + amount);
        if (score > (scores.get(tool) ?? 0)) scores.set(tool, score);
      }
    }
    return { scores, most };
  }

  return (intent: Intent, { most, accepts, nearness }: RankOptions<T>): readonly SearchHit<T>[] => {
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
    let best: Scored<T>[] = [];
    /** Entries with a lower score are not kept. */
    let least = 0;
    const keepBest = (): void => {
      best = best.sort(byScoreAndName).slice(0, most);
      least = best.at(-1)?.score ?? 0;
    };
    tools.forEach((tool, index) => {
      const ratio = whole === 0 ? 0 : (totals[index] ?? 0) / whole;
      const meaning = WEIGHTS.meaning * Math.max(0, (nearness?.[index] ?? 0) - WEIGHTS.chance);
      const highest = (ratio + meaning) * (1 + WEIGHTS.exactForm + WEIGHTS.reads + WEIGHTS.asked);
      if (highest < WEIGHTS.leastScore || highest < least || !accepts(tool)) return;
      const share = (covered[index] ?? 0) / whole;
      const action = actions[index];
      const isOther =
        intent.action !== undefined &&
        ((action !== undefined && action !== intent.action) || (intent.asks && effects[index] === "writes"));
      const factor = WEIGHTS.uncovered + (1 - WEIGHTS.uncovered) * share;
      const score = (ratio === 0 ? 0 : ratio * factor) + meaning;
      const other = isOther ? (intent.asks ? WEIGHTS.writesIfAsked : WEIGHTS.otherAction) : 1;
      best.push({ tool, score: score * other * (1 + preferenceFor(index, intent)) });
      // Without sorting them all.
      if (best.length >= 4 * most) keepBest();
    });
    keepBest();
    const highest = best[0]?.score ?? 0;
    const lowest = Math.max(WEIGHTS.leastScore, WEIGHTS.leastShare * highest);
    // The better the best tool fits, the less likely another one is meant.
    const near = highest * Math.max(WEIGHTS.nearShare, WEIGHTS.certain * Math.min(1, highest));
    return best.flatMap((hit, at) =>
      hit.score < lowest ? [] : [{ ...hit, fit: at === 0 ? "best" : hit.score < near ? "far" : "near" }],
    );
  };

  /** Breaks ties between tools that match equally well. A question prefers tools that read by more. */
  function preferenceFor(index: number, { words, action, hasVerb, asks }: Intent): number {
    const name = names[index];
    const exact = words.filter(({ word }) => name?.has(word)).length / words.length;
    const isAsked = action === "read" || !hasVerb;
    const reads = isAsked && effects[index] === "reads" ? WEIGHTS.reads + (asks ? WEIGHTS.asked : 0) : 0;
    return WEIGHTS.exactForm * exact + reads;
  }
}

function byScoreAndName(a: Scored<SearchableTool>, b: Scored<SearchableTool>): number {
  return b.score - a.score || byCodeUnit(a.tool.name, b.tool.name);
}

/** Returns a function that returns the stems that a word of a query matches, with their weights: 1 for its own, less for others. */
function createWordReader({ byStem, words }: Postings): (word: string) => ReadonlyMap<string, number> {
  const vocabulary = [...words].sort();
  const groups = (wordGroups ??= readGroups());
  let near: ReturnType<typeof createNearWords> | undefined;

  /** A word of any tool is not a typo. */
  const isKnown = (word: string): boolean => {
    const key = stem(word);
    return byStem.has(key) || groups.has(key) || ABBREVIATIONS.get(word) !== undefined;
  };

  return (word) => {
    const shares = new Map<string, number>();
    const add = (key: string, share: number): void => {
      if (share > (shares.get(key) ?? 0)) shares.set(key, share);
    };
    const addWithGroup = (term: string, share: number): void => {
      const key = stem(term);
      add(key, share);
      for (const [other, closeness] of groups.get(key) ?? []) add(other, share * closeness);
    };

    addWithGroup(word, 1);
    const singular = word.slice(0, -1);
    // "VMs", "PRs".
    if (word.endsWith("s") && shortForms.has(singular)) add(singular, 1);
    const full = ABBREVIATIONS.get(word);
    if (full !== undefined) addWithGroup(full, WEIGHTS.abbreviation);
    if (isKnown(word)) return shares;

    if (word.length >= SHORTEST_PREFIX)
      for (const other of vocabulary) if (other.startsWith(word)) add(stem(other), WEIGHTS.prefix);
    near ??= createNearWords(new Set([...words, ...WORD_GROUPS.flatMap((group) => group.split(" "))]));
    for (const { word: other, distance } of near(word)) addWithGroup(other, WEIGHTS.nearby[distance] ?? 0);
    return shares;
  };
}

const SHORTEST_PREFIX = 3;

const shortForms: ReadonlySet<string> = new Set(PHRASES.map(([short]) => short));
/** Read for the first index. */
let wordGroups: ReturnType<typeof readGroups> | undefined;

/** Returns, by stem, the stems of its groups and how close they are. */
function readGroups(): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const words = new Map<string, Map<string, number>>();
  for (const group of WORD_GROUPS) {
    const stems = new Set(group.split(" ").map(stem));
    for (const key of stems) {
      const others = words.get(key) ?? new Map<string, number>();
      for (const other of stems)
        if (other !== key) others.set(other, others.has(other) ? WEIGHTS.closeSynonym : WEIGHTS.synonym);
      words.set(key, others);
    }
  }
  return words;
}

/** Shorter words have too many neighbours. */
const SHORTEST = 4;
/** Up to this length, many words differ only in the first letter. */
const LONGEST_SHORT = 5;
const LONGEST = 40;
const MOST_FOUND = 4;

/** Returns a function that finds the words that are similar to a mistyped one, without comparing all of them letter by letter. */
export function createNearWords(vocabulary: Iterable<string>) {
  const words = [...vocabulary].filter(({ length }) => length >= SHORTEST - 1);
  const byLength = groupBy(
    words.map((word) => ({ word, letters: lettersOf(word) })),
    ({ word }) => word.length,
  );
  return (word: string): readonly { readonly word: string; readonly distance: number }[] => {
    if (word.length < SHORTEST || word.length > LONGEST) return [];
    const most = word.length < 6 ? 1 : 2;
    const letters = lettersOf(word);
    let nearest = most;
    let candidates: { word: string; distance: number }[] = [];
    for (let length = word.length - most; length <= word.length + most; length += 1) {
      for (const entry of byLength.get(length) ?? []) {
        // One edit changes at most two letters of the set.
        if (bitsOf(entry.letters ^ letters) > 2 * nearest) continue;
        const distance = editDistance(word, entry.word, nearest);
        if (distance > nearest) continue;
        if (distance < nearest) candidates = [];
        nearest = distance;
        candidates.push({ word: entry.word, distance });
      }
    }
    // Typos rarely affect the first letter, and short words differ in it: "bread" and "read".
    const first = candidates.filter((entry) => entry.word[0] === word[0]);
    const others = nearest === 1 && word.length > LONGEST_SHORT ? candidates : [];
    return (first.length > 0 ? first : others)
      .sort((a, b) => byCodeUnit(a.word, b.word))
      .slice(0, MOST_FOUND);
  };
}

/** The set of letters of a word, as bits. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let i = 0; i < word.length; i += 1) letters |= 1 << (word.charCodeAt(i) % 32);
  return letters;
}

function bitsOf(value: number): number {
  let rest = value;
  let bits = 0;
  while (rest !== 0) {
    rest &= rest - 1;
    bits += 1;
  }
  return bits;
}

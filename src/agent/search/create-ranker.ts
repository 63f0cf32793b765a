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

/** Returns the best tools for an intent, best first. */
export type Ranker<T> = (intent: Intent, options: RankOptions<T>) => readonly SearchHit<T>[];

export function createRanker<T extends SearchableTool>(tools: readonly T[], postings: Postings): Ranker<T> {
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
    const best = new BestOf<T>(most);
    tools.forEach((tool, index) => {
      const ratio = whole === 0 ? 0 : (totals[index] ?? 0) / whole;
      const meaning = WEIGHTS.meaning * Math.max(0, (nearness?.[index] ?? 0) - WEIGHTS.chance);
      const highest = (ratio + meaning) * (1 + WEIGHTS.exactForm + WEIGHTS.reads + WEIGHTS.asked);
      if (highest < WEIGHTS.leastScore || highest < best.least || !accepts(tool)) return;
      const share = (covered[index] ?? 0) / whole;
      const action = actions[index];
      const isOther =
        intent.action !== undefined &&
        ((action !== undefined && action !== intent.action) || (intent.asks && effects[index] === "writes"));
      const factor = WEIGHTS.uncovered + (1 - WEIGHTS.uncovered) * share;
      const score = (ratio === 0 ? 0 : ratio * factor) + meaning;
      best.add({
        tool,
        score:
          score *
          (isOther ? (intent.asks ? WEIGHTS.writesIfAsked : WEIGHTS.otherAction) : 1) *
          (1 + preferenceFor(index, intent)),
      });
    });
    const sorted = best.sorted();
    const highest = sorted[0]?.score ?? 0;
    const least = Math.max(WEIGHTS.leastScore, WEIGHTS.leastShare * highest);
    // The better the best tool fits, the less likely another one is meant.
    const near = highest * Math.max(WEIGHTS.nearShare, WEIGHTS.certain * Math.min(1, highest));
    return sorted.flatMap((hit, at) =>
      hit.score < least ? [] : [{ ...hit, fit: at === 0 ? "best" : hit.score < near ? "far" : "near" }],
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

/** Keeps the best of many without sorting them all. */
class BestOf<T extends SearchableTool> {
  readonly #most: number;
  #kept: Scored<T>[] = [];
  /** Entries with a lower score are not kept. */
  least = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(entry: Scored<T>): void {
    this.#kept.push(entry);
    if (this.#kept.length >= 4 * this.#most) this.least = this.sorted().at(-1)?.score ?? 0;
  }

  sorted(): readonly Scored<T>[] {
    const byScoreAndName = (a: Scored<T>, b: Scored<T>): number =>
      b.score - a.score || byCodeUnit(a.tool.name, b.tool.name);
    this.#kept = this.#kept.sort(byScoreAndName).slice(0, this.#most);
    return this.#kept;
  }
}

/** Returns the stems that a word of a query matches, with their weights: 1 for its own, less for others. */
type WordReader = (word: string) => ReadonlyMap<string, number>;

function createWordReader({ byStem, words }: Postings): WordReader {
  const vocabulary = [...words].sort();
  const groups = (wordGroups ??= readGroups());
  let near: NearWords | undefined;

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
let wordGroups: WordGroups | undefined;

/** By stem, the stems of its groups and how close they are. */
type WordGroups = ReadonlyMap<string, ReadonlyMap<string, number>>;

function readGroups(): WordGroups {
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

/** Finds the words of a vocabulary that are similar to a mistyped one, with their distance. */
type NearWords = (word: string) => readonly { readonly word: string; readonly distance: number }[];

/** Shorter words have too many neighbours. */
const SHORTEST = 4;
/** Up to this length, many words differ only in the first letter. */
const LONGEST_SHORT = 5;
const LONGEST = 40;
const MOST_FOUND = 4;

/** Does not compare all words letter by letter. */
export function createNearWords(vocabulary: Iterable<string>): NearWords {
  const words = [...vocabulary].filter(({ length }) => length >= SHORTEST - 1);
  const byLength = groupBy(
    words.map((word) => ({ word, letters: lettersOf(word) })),
    ({ word }) => word.length,
  );
  return (word) => {
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

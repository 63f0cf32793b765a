import { getOwn } from "../../contract/json.js";
import { editDistance } from "../../vocabulary/edit-distance.js";
import type { Postings } from "./postings.js";
import { stem } from "./stem.js";
import { WEIGHTS } from "./weights.js";
import { ABBREVIATIONS, PHRASES } from "./short-forms.js";
import { WORD_GROUPS } from "./word-groups.js";

/** The stems that a word of a query stands for, with what each counts: its own 1, others less. */
type WordReader = (word: string) => ReadonlyMap<string, number>;

export function createWordReader({ byStem, words }: Postings): WordReader {
  const vocabulary = [...words].sort();
  let near: NearWords | undefined;

  /** A word in a name, or in more than two tools, is not a typo. */
  const isKnown = (word: string): boolean => {
    const key = stem(word);
    const posting = byStem.get(key);
    if (groups.has(key) || getOwn(ABBREVIATIONS, word) !== undefined) return true;
    return posting !== undefined && (posting.inNames > 0 || posting.tools.length > 2);
  };

  return (word) => {
    const shares = new Map<string, number>();
    const add = (key: string, share: number): void => {
      if (share > (shares.get(key) ?? 0)) shares.set(key, share);
    };
    const addWithGroup = (known: string, share: number): void => {
      const key = stem(known);
      add(key, share);
      for (const other of groups.get(key) ?? []) add(other, share * WEIGHTS.synonym);
    };

    addWithGroup(word, 1);
    const singular = word.slice(0, -1);
    // "VMs", "PRs".
    if (word.endsWith("s") && shortForms.has(singular)) add(singular, 1);
    const full = getOwn(ABBREVIATIONS, word);
    if (full !== undefined) addWithGroup(full, WEIGHTS.abbreviation);
    if (isKnown(word)) return shares;

    if (word.length >= SHORTEST_PREFIX)
      for (const other of vocabulary) if (other.startsWith(word)) add(stem(other), WEIGHTS.prefix);
    near ??= createNearWords(new Set([...words, ...groupWords]));
    for (const { word: other, distance } of near.find(word))
      addWithGroup(other, WEIGHTS.nearby[distance] ?? 0);
    return shares;
  };
}

const SHORTEST_PREFIX = 3;

const shortForms: ReadonlySet<string> = new Set(PHRASES.map(([short]) => short));
const groupWords: readonly string[] = WORD_GROUPS.flatMap((group) => group.split(" "));
const groups: ReadonlyMap<string, ReadonlySet<string>> = readGroups();

/** By stem, the stems of all groups that it is in. */
function readGroups(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const group of WORD_GROUPS) {
    const stems = group.split(" ").map(stem);
    for (const key of stems) {
      const others = found.get(key) ?? new Set();
      for (const other of stems) if (other !== key) others.add(other);
      found.set(key, others);
    }
  }
  return found;
}

/** The words of a vocabulary that are near a mistyped one, found without comparing it to all of them letter by letter. */
interface NearWords {
  /** The nearest words with their distance; none when nothing is near. */
  find(word: string): readonly { readonly word: string; readonly distance: number }[];
}

/** Shorter words have too many neighbours. */
const SHORTEST = 4;
/** Longer words are not compared. */
const LONGEST = 40;
const MOST_FOUND = 4;

interface Entry {
  readonly word: string;
  readonly letters: number;
}

export function createNearWords(vocabulary: Iterable<string>): NearWords {
  const byLength = new Map<number, Entry[]>();
  for (const word of vocabulary) {
    if (word.length < SHORTEST - 1) continue;
    const entry = { word, letters: lettersOf(word) };
    const entries = byLength.get(word.length);
    if (entries === undefined) byLength.set(word.length, [entry]);
    else entries.push(entry);
  }
  return {
    find: (word) => {
      if (word.length < SHORTEST || word.length > LONGEST) return [];
      const most = word.length < 6 ? 1 : 2;
      const letters = lettersOf(word);
      let nearest = most;
      let found: { word: string; distance: number }[] = [];
      for (let length = word.length - most; length <= word.length + most; length += 1) {
        for (const entry of byLength.get(length) ?? []) {
          // One edit changes at most two letters of the set.
          if (bitsOf(entry.letters ^ letters) > 2 * nearest) continue;
          const distance = editDistance(word, entry.word, nearest);
          if (distance > nearest) continue;
          if (distance < nearest) found = [];
          nearest = distance;
          found.push({ word: entry.word, distance });
        }
      }
      // Who mistypes gets the first letter right.
      const first = found.filter((entry) => entry.word[0] === word[0]);
      return (first.length > 0 ? first : nearest === 1 ? found : []).sort(byWord).slice(0, MOST_FOUND);
    },
  };
}

function byWord(a: { readonly word: string }, b: { readonly word: string }): number {
  return a.word < b.word ? -1 : a.word > b.word ? 1 : 0;
}

/** Which letters a word has, as bits. */
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

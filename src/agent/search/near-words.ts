import { editDistance } from "../../vocabulary/edit-distance.js";

/** The words of a vocabulary that are near a mistyped one, found without comparing it to all of them letter by letter. */
export interface NearWords {
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

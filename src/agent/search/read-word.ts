import { getOwn } from "../../contract/json.js";
import { createNearWords, type NearWords } from "./near-words.js";
import type { Postings } from "./postings.js";
import { stem } from "./stem.js";
import { WEIGHTS } from "./weights.js";
import { ABBREVIATIONS, PHRASES } from "./short-forms.js";
import { WORD_GROUPS } from "./word-groups.js";

/** The stems that a word of a query stands for, with what each counts: its own 1, others less. */
export type WordReader = (word: string) => ReadonlyMap<string, number>;

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

/** Verbs of several words, by the verb that means the same. Longer ones first. */
const PHRASAL_VERBS: readonly (readonly [phrase: string, verb: string])[] = [
  ["get rid of", "delete"],
  ["throw away", "delete"],
  ["throw out", "remove"],
  ["take away", "remove"],
  ["take down", "remove"],
  ["wipe out", "delete"],
  ["kick out", "remove"],
  ["put away", "archive"],
  ["look up", "find"],
  ["look for", "find"],
  ["look at", "view"],
  ["find out", "get"],
  ["set up", "create"],
  ["put up", "publish"],
  ["put together", "create"],
  ["write down", "write"],
  ["sign up", "register"],
  ["sign in", "login"],
  ["sign out", "logout"],
  ["log in", "login"],
  ["log out", "logout"],
  ["turn on", "enable"],
  ["switch on", "enable"],
  ["turn off", "disable"],
  ["switch off", "disable"],
  ["shut down", "stop"],
  ["turn into", "convert"],
  ["start over", "restart"],
  ["start again", "restart"],
  ["run again", "rerun"],
  ["roll back", "rollback"],
  ["go back", "back"],
  ["call off", "cancel"],
  ["put off", "postpone"],
  ["carry out", "execute"],
  ["fill in", "fill"],
  ["fill out", "fill"],
  ["hand over", "transfer"],
  ["pass on", "forward"],
  ["give back", "return"],
  ["pay back", "refund"],
  ["back up", "backup"],
  ["make bigger", "resize"],
  ["make smaller", "resize"],
  ["make copy", "copy"],
  ["make a copy", "copy"],
  ["count up", "count"],
  ["speed up", "optimize"],
  ["clean up", "cleanup"],
  ["tidy up", "cleanup"],
  ["bring back", "restore"],
  ["how many", "count"],
  ["how much", "count"],
];

const phrases = PHRASAL_VERBS.map(([phrase, verb]) => ({ words: phrase.split(" "), verb }));

/** The words of a query with each verb of several words as one. */
export function joinPhrasalVerbs(words: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (let at = 0; at < words.length;) {
    const found = phrases.find((phrase) => phrase.words.every((word, i) => words[at + i] === word));
    joined.push(found?.verb ?? words[at] ?? "");
    at += found?.words.length ?? 1;
  }
  return joined;
}

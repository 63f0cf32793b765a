/**
 * Returns the common stem of a word and its inflections: "invoices" and "invoice"; "scheduling" and "schedules";
 * "installation" and "install". The stem need not be a word.
 */
export function stem(word: string): string {
  if (word.length < 4) return word;
  const single = withoutPlural(word);
  const base = OF_THEIR_OWN.get(word) ?? OF_THEIR_OWN.get(single) ?? withoutEnding(withoutInflection(single));
  if (base.length > 5 && base.endsWith("ll")) return base.slice(0, -1);
  return base.length > 3 && base.endsWith("e") ? base.slice(0, -1) : base;
}

/** Irregular forms, each after its word. */
const IRREGULAR: readonly string[] = [
  "begin begun, big bigger biggest, break broke broken, build built, buy bought, child children, choose chose chosen",
  "come came, day daily, draw drew drawn, fall fell fallen, find found, forget forgot forgotten, give gave given, go went",
  "grow grew grown, hide hid hidden, hold held, index indices, keep kept, know knew known, large larger largest, lead led",
  "lose lost, make made, matrix matrices, meet met, pay paid, run ran, say said, see seen, sell sold, send sent, show shown",
  "speak spoke spoken, spend spent, steal stolen, take took taken, tell told, think thought, throw threw, vertex vertices",
  "wide wider widest, write wrote written",
];
/** Adjectives that "er" and "est" compare. Those endings alone say nothing: "server", "request". */
const ADJECTIVES = "slow quick fast cheap long short high low small old near few warm cold dark";

/** Words that would become another word without their ending, and irregular forms. */
const OF_THEIR_OWN: ReadonlyMap<string, string> = new Map([
  ["news", "news"],
  ["production", "production"],
  ["station", "station"],
  ["position", "position"],
  ["question", "question"],
  ["relation", "relation"],
  ["meeting", "meeting"],
  ["thing", "thing"],
  ["string", "string"],
  ["subscription", "subscribe"],
  ["description", "describe"],
  ["permission", "permit"],
  ["transcription", "transcript"],
  ...IRREGULAR.flatMap((line) => line.split(", ")).flatMap(formsOf),
  ...ADJECTIVES.split(" ").flatMap((word) => formsOf(`${word} ${word}er ${word}est`)),
]);

function formsOf(entry: string): readonly (readonly [form: string, word: string])[] {
  const [word = "", ...forms] = entry.split(" ");
  return forms.map((form) => [form, word]);
}

function withoutPlural(word: string): string {
  if (!word.endsWith("s") || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies")) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  return /(?:ss|sh|ch|x|zz)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

function withoutInflection(word: string): string {
  const ending = ["ing", "ied", "ed"].find((end) => word.endsWith(end));
  if (ending === undefined) return word;
  const rest = word.slice(0, -ending.length);
  if (rest.length < 3 || !/[aeiouy]/.test(rest)) return word;
  if (ending === "ied") return `${rest}y`;
  // "running", "stopped"; but "calling", "passed", "buzzing".
  return /([bdfgkmnprtv])\1$/.test(rest) ? rest.slice(0, -1) : rest;
}

/** Endings with their replacement, and the minimum length of the rest. */
const ENDINGS: readonly (readonly [ending: string, instead: string, shortestRest: number])[] = [
  ["ically", "ic", 3],
  ["ly", "", 4],
  ["ification", "ify", 3],
  ["isation", "iz", 4],
  ["ization", "iz", 4],
  ["ation", "", 4],
  ["ator", "", 4],
  ["ate", "", 4],
  ["ment", "", 5],
  ["ion", "", 4],
  ["ise", "iz", 5],
  ["yse", "yz", 4],
  ["val", "v", 4],
  ["wal", "w", 4],
];

function withoutEnding(word: string): string {
  for (const [ending, instead, shortest] of ENDINGS) {
    if (word.endsWith(ending) && word.length - ending.length >= shortest)
      return `${word.slice(0, -ending.length)}${instead}`;
  }
  return word;
}

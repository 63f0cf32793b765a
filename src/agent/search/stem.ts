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
  ["bought", "buy"],
  ["paid", "pay"],
  ["sent", "send"],
  ["sold", "sell"],
  ["found", "find"],
  ["written", "write"],
  ["made", "make"],
  ["ran", "run"],
  ["hidden", "hide"],
  ["begun", "begin"],
  ...irregularForms(),
]);

/** Irregular forms of verbs and nouns, and comparisons of adjectives. */
function irregularForms(): [string, string][] {
  const forms =
    "wrote write, gave give, given give, took take, taken take, chose choose, chosen choose, drew draw, drawn draw, broke break, " +
    "broken break, spoke speak, spoken speak, went go, gone go, kept keep, lost lose, built build, spent spend, held hold, " +
    "told tell, thought think, shown show, seen see, known know, knew know, grew grow, grown grow, forgot forget, forgotten forget, " +
    "said say, stolen steal, hid hide, led lead, met meet, came come, fell fall, fallen fall, threw throw, thrown throw, " +
    "indices index, indexes index, children child, vertices vertex, matrices matrix, daily day";
  const adjectives = "slow quick fast cheap long short high low small old new near few warm cold dark";
  return [
    ...forms.split(", ").map((pair) => pair.split(" ") as [string, string]),
    ...adjectives.split(" ").flatMap((a): [string, string][] => [
      [`${a}er`, a],
      [`${a}est`, a],
    ]),
    ["bigger", "big"],
    ["biggest", "big"],
    ["larger", "large"],
    ["largest", "large"],
    ["wider", "wide"],
    ["widest", "wide"],
  ];
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

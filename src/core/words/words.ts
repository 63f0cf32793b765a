/** The words of a name in small letters: `createBlogPost` and `create-blog.post` are equal. Digits stay (`k8s`, `mp3`). */
export function splitWords(text: string): readonly string[] {
  const plain = /[^\p{ASCII}]/u.test(text) ? text.normalize("NFKD").replace(/\p{Mark}/gu, "") : text;
  // "P&L" is one word; so is no other text with "&".
  const parts =
    plain.match(
      /(?<![\p{Letter}\p{Number}])\p{Letter}&\p{Letter}(?![\p{Letter}\p{Number}])|[\p{Letter}\p{Number}]+/gu,
    ) ?? [];
  return parts.flatMap((part) => {
    const small = part.toLowerCase();
    return small === part ? part : splitCase(part).map((word) => word.toLowerCase());
  });
}

/** The parts of `HTTPServer2Name`: HTTP, Server2, Name. Plurals of acronyms (`VMs`, `APIs`) stay whole. */
function splitCase(word: string): readonly string[] {
  // A version is a part of its own, after an acronym too: `installSSLV1`.
  const version = /(?<=.)V\d+$/.exec(word)?.[0] ?? "";
  if (version !== "") return [...splitCase(word.slice(0, -version.length)), version];
  if (/^\p{Letter}&/u.test(word)) return [word];
  return word.match(/\p{Lu}+s?(?!\p{Ll})\p{Number}*|\p{Lu}?[^\p{Lu}]+|\p{Lu}+/gu) ?? [word];
}

/** Words of a query, or of a description, that say nothing of what a tool does. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about after again all also am an and any anything are as at be because been before being between both but by can could did do does doing " +
    "done during each else for from had has have having he her here him his how i if in into is it its itself just let lets like " +
    "may maybe me mine might more most much must my need needs no not now of off often on once one only onto or other our " +
    "ours out over own per please possible really s same shall she should so some something somebody someone such t than that " +
    "the their them then there these they thing things this those through to too under until up upon us very want wants " +
    "was we were what when where which while who whom whose why will with within without would yes yet you your yours " +
    "using use via etc eg ie across currently still"
  ).split(" "),
);

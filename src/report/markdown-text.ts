/**
 * A code span (CommonMark, section 6.1) that holds any text of one line: its delimiters are longer than every run of
 * backticks within. On GitHub, nothing in it is a mention, a link, a reference, an image or a tag.
 */
export function code(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = "`".repeat(1 + runs.reduce((longest, run) => Math.max(longest, run.length), 0));
  const pad = /^`|`$|^ .* $/.test(text) || text.trim() === "" ? " " : "";
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** Words and the punctuation of a sentence, which Markdown leaves alone; no domain, reference or commit that GitHub links. */
const PLAIN = /^(?!.*(?:www\.|gh-\d|[\da-f]{7}))[\p{L}\p{N} .,:;'"()→…-]*$/iu;

/**
 * A sentence of ours. What Markdown or GitHub would act on becomes a code span: a quoted name alone, if the rest of the
 * sentence is plain.
 */
export function prose(text: string): string {
  const parts = text.split(/("[^"]*")/).filter((part) => part !== "");
  // Neighbours share a span: the backticks of two that touch would be one delimiter.
  const runs: { text: string; readonly isPlain: boolean }[] = [];
  for (const part of parts) {
    const isPlain = PLAIN.test(part);
    const last = runs.at(-1);
    if (last?.isPlain === isPlain) last.text += part;
    else runs.push({ text: part, isPlain });
  }
  return runs.map((run) => (run.isPlain ? run.text : code(run.text))).join("");
}

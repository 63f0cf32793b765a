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

/** A sentence of ours. Where it names something that Markdown or GitHub would act on, it becomes a code span. */
export function prose(text: string): string {
  return PLAIN.test(text) ? text : code(text);
}

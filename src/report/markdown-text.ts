/**
 * A code span (CommonMark, section 6.1) with any one-line text: its delimiters are longer than every run of backticks
 * in it. GitHub does not interpret mentions, links, references, images or tags in code spans.
 */
export function code(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = "`".repeat(1 + runs.reduce((longest, run) => Math.max(longest, run.length), 0));
  const pad = /^`|`$|^ .* $/.test(text) || text.trim() === "" ? " " : "";
  return `${fence}${pad}${text}${pad}${fence}`;
}

/**
 * Words and punctuation that Markdown does not interpret, without domains, references or commits that GitHub links.
 */
const PLAIN = /^(?!.*(?:www\.|gh-\d|[\da-f]{7}))[\p{L}\p{N} .,:;'"()→…-]*$/iu;

/**
 * A sentence in Markdown. Text that Markdown or GitHub would interpret becomes a code span: only the quoted name, if
 * the rest of the sentence is plain.
 */
export function prose(text: string): string {
  const parts = text.split(/("[^"]*")/).filter((part) => part !== "");
  // Adjacent parts share a span, since two adjacent spans would merge their backticks.
  const runs: { text: string; readonly isPlain: boolean }[] = [];
  for (const part of parts) {
    const isPlain = PLAIN.test(part);
    const last = runs.at(-1);
    if (last?.isPlain === isPlain) last.text += part;
    else runs.push({ text: part, isPlain });
  }
  return runs.map((run) => (run.isPlain ? run.text : code(run.text))).join("");
}

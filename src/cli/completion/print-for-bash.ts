import type { SplitLine } from "./split-line.js";

/**
 * Candidates as Bash puts them in place of what it takes for the word at the cursor, which begins behind the last of its
 * breaks, such as `=`. What the shell would act on is escaped: names come from servers.
 */
export function printForBash(
  candidates: readonly string[],
  { raw, quote }: Pick<SplitLine, "raw" | "quote">,
  breaks: string,
): readonly string[] {
  // Bash adds to what stands in quotes, and cannot know what was before them.
  const isQuoted = quote !== undefined && raw.lastIndexOf(quote) === 0;
  if (quote !== undefined && !isQuoted) return [];
  if (isQuoted) {
    const inner = quote === "'" ? /'/ : /["\\$`!]/;
    return candidates.filter((candidate) => !inner.test(candidate));
  }
  const kept = lengthBehindBreaks(raw, breaks);
  return candidates.map(escapeWord).flatMap((word) => {
    // What is typed may be quoted otherwise.
    const start = raw.slice(0, kept);
    return word.startsWith(start) ? [word.slice(kept)] : [];
  });
}

/** How much of a word stands before what Bash completes. */
function lengthBehindBreaks(raw: string, breaks: string): number {
  for (let at = raw.length - 1; at >= 0; at -= 1)
    if (breaks.includes(raw.charAt(at)) && raw.charAt(at - 1) !== "\\") return at + 1;
  return 0;
}

function escapeWord(word: string): string {
  return word.replace(/[^\p{L}\p{N}\p{M}_%+=:,./@-]/gu, "\\$&");
}

import type { SplitLine } from "./split-line.js";

/**
 * Returns the candidates as Bash inserts them: it replaces only the part of the word after the last word break, such as
 * `=`. Escapes special characters of the shell, since names come from servers.
 */
export function printForBash(
  candidates: readonly string[],
  { raw, quote }: Pick<SplitLine, "raw" | "quote">,
  breaks: string,
): readonly string[] {
  // Bash completes only the quoted part, and does not pass what precedes it.
  const isQuoted = quote !== undefined && raw.lastIndexOf(quote) === 0;
  if (quote !== undefined && !isQuoted) return [];
  if (isQuoted) {
    const inner = quote === "'" ? /'/ : /["\\$`!]/;
    return candidates.filter((candidate) => !inner.test(candidate));
  }
  const kept = lengthBeforeBreak(raw, breaks);
  return candidates.map(escapeWord).flatMap((word) => {
    // The typed part may use other escapes.
    const start = raw.slice(0, kept);
    return word.startsWith(start) ? [word.slice(kept)] : [];
  });
}

/** Returns the length of the part of a word that Bash keeps. */
function lengthBeforeBreak(raw: string, breaks: string): number {
  for (let at = raw.length - 1; at >= 0; at -= 1)
    if (breaks.includes(raw.charAt(at)) && raw.charAt(at - 1) !== "\\") return at + 1;
  return 0;
}

function escapeWord(word: string): string {
  return word.replace(/[^\p{L}\p{N}\p{M}_%+=:,./@-]/gu, "\\$&");
}

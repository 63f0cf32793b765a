/** A command line up to the cursor, split as by a POSIX shell, without expansions. */
export interface SplitLine {
  /** The words without their quotes; the last is the one at the cursor, which may be empty. */
  readonly words: readonly string[];
  /** The last word as it is written. */
  readonly raw: string;
  /** The quote that is open at the cursor. */
  readonly quote?: "'" | '"';
}

export function splitLine(line: string): SplitLine {
  const words: string[] = [];
  let word = "";
  let raw = "";
  let quote: "'" | '"' | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (quote === undefined && /[ \t\n]/.test(character)) {
      if (raw !== "") words.push(word);
      word = raw = "";
      continue;
    }
    raw += character;
    if (quote === undefined && (character === "'" || character === '"')) quote = character;
    else if (character === quote) quote = undefined;
    else if (character === "\\" && quote !== "'" && at + 1 < line.length) {
      at += 1;
      raw += line.charAt(at);
      // In double quotes, a backslash escapes only these characters.
      word += quote === '"' && !/["\\$`]/.test(line.charAt(at)) ? `\\${line.charAt(at)}` : line.charAt(at);
    } else word += character;
  }
  return { words: [...words, word], raw, ...(quote !== undefined && { quote }) };
}

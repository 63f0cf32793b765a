/**
 * Splits a command like POSIX shells do (Shell Command Language, section 2.2), with quotation marks and backslashes
 * only. Returns undefined for an unclosed quotation mark.
 */
export function splitCommand(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? "";
    const next = text[index + 1];
    if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === quote) {
      quote = undefined;
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      word ??= "";
    } else if (character === "\\" && isEscape(quote, next)) {
      word = (word ?? "") + (next ?? "");
      index += 1;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== undefined) return undefined;
  return word === undefined ? words : [...words, word];
}

/** Outside quotes a backslash escapes only shell characters and spaces, so that `C:\tools\server.exe` stays unchanged. */
function isEscape(quote: string | undefined, next: string | undefined): boolean {
  if (next === undefined || quote === "'") return false;
  return quote === '"' ? '"\\$`'.includes(next) : /[\s"'\\$`&|;<>()*?#~]/.test(next);
}

/** A part of a text, in UTF-16 units, and its replacement. */
export interface TextEdit {
  readonly start: number;
  readonly length: number;
  readonly text: string;
}

/** Returns a text after edits. Of those that overlap, the first counts. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let at = 0;
  let edited = "";
  for (const { start, length, text: by } of [...edits].sort((a, b) => a.start - b.start)) {
    if (start < at) continue;
    edited += text.slice(at, start) + by;
    at = start + length;
  }
  return edited + text.slice(at);
}

/** Returns the text of a name inside a string literal with this quote. A name comes from a server, so it must not end the literal. */
export function spellName(name: string, quote: string): string {
  const escaped = JSON.stringify(name).slice(1, -1);
  if (quote === '"') return escaped;
  const spelt = escaped.replaceAll('\\"', '"').replaceAll(quote, `\\${quote}`);
  return quote === "`" ? spelt.replaceAll("${", "\\${") : spelt;
}

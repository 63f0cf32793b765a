/** The singular form of an English word, by its ending; other words as they are. `statuses` gives `status`. */
export function singularOf(word: string): string {
  if (word.length < 3 || !word.endsWith("s") || /(?:ss|us)$/.test(word)) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return /(?:ss|sh|ch|x|us)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

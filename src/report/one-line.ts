/** The first line of a text that says something. */
export function firstLine(text: string): string {
  return /[^\s].*/.exec(text.slice(0, 2_000))?.[0].trimEnd() ?? "";
}

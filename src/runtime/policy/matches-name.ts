/**
 * Whether a name fits a pattern, in which `*` stands for any characters and everything else for itself. Takes at most the
 * product of both lengths in steps: patterns are not made into regular expressions.
 */
export function matchesName(name: string, pattern: string): boolean {
  let at = 0;
  let from = 0;
  /** Behind the last `*`, and how far the name was when it stood for nothing. */
  let star: { readonly from: number; readonly at: number } | undefined;
  while (at < name.length) {
    if (pattern[from] === "*") {
      from += 1;
      star = { from, at };
    } else if (pattern[from] === name[at]) {
      from += 1;
      at += 1;
    } else if (star !== undefined) {
      star = { from: star.from, at: star.at + 1 };
      ({ from, at } = star);
    } else {
      return false;
    }
  }
  while (pattern[from] === "*") from += 1;
  return from === pattern.length;
}

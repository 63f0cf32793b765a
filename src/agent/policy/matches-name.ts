/** The innermost alternatives of a pattern. */
const CHOICE = /\{([^{}]*,[^{}]*)\}/;

/**
 * Whether a name fits a pattern, in which `*` stands for any characters, `?` for one, and `{a,b}` for either; everything
 * else stands for itself. Takes at most the product of both lengths in steps for each choice: patterns are not made into
 * regular expressions.
 */
export function matchesName(name: string, pattern: string): boolean {
  const choice = pattern.includes("{") ? CHOICE.exec(pattern) : null;
  if (choice === null) return fits(name, pattern);
  const [group, choices = ""] = choice;
  const before = pattern.slice(0, choice.index);
  const after = pattern.slice(choice.index + group.length);
  return choices.split(",").some((one) => matchesName(name, `${before}${one}${after}`));
}

function fits(name: string, pattern: string): boolean {
  let at = 0;
  let from = 0;
  /** Behind the last `*`, and how far the name was when it stood for nothing. */
  let star: { readonly from: number; readonly at: number } | undefined;
  while (at < name.length) {
    if (pattern[from] === "*") {
      from += 1;
      star = { from, at };
    } else if (pattern[from] === "?" || pattern[from] === name[at]) {
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

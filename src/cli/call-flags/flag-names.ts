/**
 * The keys that the name of a flag leads through: `meta.key` is `key` inside of `meta`. A backslash takes the next
 * character for itself, so `odd\.name` is one key.
 */
export function splitFlagName(name: string): readonly string[] {
  const keys = [""];
  for (let at = 0; at < name.length; at += 1) {
    const character = name.charAt(at);
    if (character === ".") keys.push("");
    else {
      const isEscape = character === "\\" && at + 1 < name.length;
      if (isEscape) at += 1;
      keys.push(`${keys.pop() ?? ""}${name.charAt(at)}`);
    }
  }
  return keys;
}

/** The name of the flag that leads through these keys. */
export function joinFlagName(keys: readonly (string | number)[]): string {
  return keys.map((key) => String(key).replace(/[\\.=]/g, "\\$&")).join(".");
}

/** A word of a command line that begins with `--`: the name, and what stands behind the first `=` that no backslash precedes. */
export function splitFlag(word: string): { readonly name: string; readonly text?: string } {
  const body = word.slice(2);
  for (let at = 0; at < body.length; at += 1) {
    if (body[at] === "\\") at += 1;
    else if (body[at] === "=") return { name: body.slice(0, at), text: body.slice(at + 1) };
  }
  return { name: body };
}

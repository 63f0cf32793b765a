/**
 * Splits the name of a flag into keys: `meta.key` is `key` in `meta`. A backslash escapes the next character, so
 * `odd\.name` is one key.
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

/** Returns the name of the flag with these keys. */
export function joinFlagName(keys: readonly (string | number)[]): string {
  return keys.map((key) => String(key).replace(/[\\.=]/g, "\\$&")).join(".");
}

/** Splits a word that begins with `--` at its first unescaped `=`. */
export function splitFlag(word: string): { readonly name: string; readonly text?: string } {
  const body = word.slice(2);
  for (let at = 0; at < body.length; at += 1) {
    if (body[at] === "\\") at += 1;
    else if (body[at] === "=") return { name: body.slice(0, at), text: body.slice(at + 1) };
  }
  return { name: body };
}

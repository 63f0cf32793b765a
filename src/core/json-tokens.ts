const TOKEN = /["{}[\],:]|-?\d[\d.eE+-]*|true|false|null/g;

/** A token and its offset. */
interface JsonToken {
  readonly token: string;
  readonly at: number;
}

/**
 * Yields the tokens of a JSON text, as they are written. The text must be JSON.
 * A regular expression finds no string: on one of ten million characters it would exhaust the stack.
 */
export function* jsonTokens(text: string): Generator<JsonToken, undefined> {
  const pattern = new RegExp(TOKEN);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (match[0] === '"') {
      const end = endOfString(text, match.index);
      yield { token: text.slice(match.index, end), at: match.index };
      pattern.lastIndex = end;
    } else yield { token: match[0], at: match.index };
  }
}

/** Returns the offset behind the string that starts at an offset. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (text[quote - escapes - 1] === "\\") escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
  }
  return text.length;
}

interface Open {
  readonly keys: Set<string> | undefined;
  key: string;
}

/**
 * Returns the path of the first repeated key in the objects of a JSON text, down to `depth` levels. `JSON.parse` keeps the
 * last value without an error. The text must be JSON.
 */
export function findRepeatedKey(text: string, depth: number): readonly string[] | undefined {
  const open: Open[] = [];
  let string = "";
  for (const { token } of jsonTokens(text)) {
    if (token === "{") open.push({ keys: open.length < depth ? new Set() : undefined, key: "" });
    else if (token === "[") open.push({ keys: undefined, key: "" });
    else if (token === "}" || token === "]") open.pop();
    else if (token.startsWith('"')) string = token;
    else if (token === ":") {
      const inside = open.at(-1);
      if (inside?.keys === undefined) continue;
      inside.key = JSON.parse(string) as string;
      if (inside.keys.has(inside.key)) return open.map(({ key }) => key);
      inside.keys.add(inside.key);
    }
  }
  return undefined;
}

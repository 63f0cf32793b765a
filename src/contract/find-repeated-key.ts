const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

interface Open {
  readonly keys: Set<string> | undefined;
  key: string;
}

/**
 * The way to the first key that one object of a JSON text has twice, looking into objects at most `depth` deep.
 * `JSON.parse` keeps the last of them and says nothing. The text must be JSON.
 */
export function findRepeatedKey(text: string, depth: number): readonly string[] | undefined {
  const open: Open[] = [];
  let string = "";
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "{") open.push({ keys: open.length < depth ? new Set() : undefined, key: "" });
    else if (token === "[") open.push({ keys: undefined, key: "" });
    else if (token === "}" || token === "]") open.pop();
    else if (token !== ":") string = token;
    else {
      const inside = open.at(-1);
      if (inside?.keys === undefined) continue;
      inside.key = JSON.parse(string) as string;
      if (inside.keys.has(inside.key)) return open.map(({ key }) => key);
      inside.keys.add(inside.key);
    }
  }
  return undefined;
}

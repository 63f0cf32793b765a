import { jsonTokens } from "./json-tokens.js";

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
  for (const token of jsonTokens(text)) {
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

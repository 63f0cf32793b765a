/** The name limits of those who serve models. The shorter one fits everywhere. */
export const LONGEST_NAME = { openai: 64, anthropic: 128 } as const;

const FITTING = /^[a-zA-Z0-9_-]+$/;

/**
 * Tools by names that a model's provider takes: letters, digits, `_` and `-`, up to a length. A name that fits stays.
 * Another one loses what does not fit and gets a digest of the whole, so that it depends on no other tool; should it be
 * taken all the same, the digest is of more.
 */
export function nameForModels<T extends { readonly name: string }>(
  tools: readonly T[],
  longest: number,
): ReadonlyMap<string, T> {
  const fits = (name: string): boolean => name.length <= longest && FITTING.test(name);
  const taken = new Set(tools.map(({ name }) => name).filter(fits));
  const renamed = new Map<string, string>();
  // In one order, whatever order the tools come in.
  for (const name of tools.map((tool) => tool.name).sort()) {
    if (fits(name)) continue;
    for (let salt = name; ; salt += "+") {
      const short = shorten(name, salt, longest);
      if (taken.has(short)) continue;
      taken.add(short);
      renamed.set(name, short);
      break;
    }
  }
  return new Map(tools.map((tool) => [renamed.get(tool.name) ?? tool.name, tool]));
}

function shorten(name: string, salt: string, longest: number): string {
  const head = name.slice(0, longest - 9).replace(/[^a-zA-Z0-9_-]/g, "_");
  return `${head}_${digest(salt)}`;
}

/** FNV-1a over code units, as eight digits. Not for secrets: it only has to be the same everywhere, at once. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}

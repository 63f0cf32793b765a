/** A seeded generator of numbers. Equal seeds give equal numbers on every machine. */
export interface Random {
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** Returns an integer between two others, inclusive. */
  integer(least: number, most: number): number;
  /** One of the items. Throws `RangeError` for an empty list. */
  pick<T>(items: readonly T[]): T;
}

/** Creates a generator: xmur3 hashes the seed, and mulberry32 generates the numbers. Not for secrets. */
export function createRandom(seed: string): Random {
  let state = hashText(seed);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  return {
    next,
    integer: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick: (items) => {
      const index = Math.floor(next() * items.length);
      if (index >= items.length) throw new RangeError("There is nothing to pick from.");
      return items[index] as (typeof items)[number];
    },
  };
}

function hashText(text: string): number {
  let hash = 1_779_033_703 ^ text.length;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 3_432_918_353);
    hash = (hash << 13) | (hash >>> 19);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 2_246_822_507);
  hash = Math.imul(hash ^ (hash >>> 13), 3_266_489_909);
  return (hash ^ (hash >>> 16)) >>> 0;
}

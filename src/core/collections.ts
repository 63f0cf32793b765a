/** Groups items by a key. Groups are in the order of their first item, and items keep their order. */
export function groupBy<T, K>(
  items: Iterable<T>,
  keyOf: (item: T) => K,
): ReadonlyMap<K, readonly [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** The items of two lists in pairs, and those without a partner. */
export interface Pairing<T> {
  readonly pairs: readonly { readonly before: T; readonly after: T }[];
  readonly removed: readonly T[];
  readonly added: readonly T[];
}

/** Pairs each item of a list with the first free item of another list for which the first condition holds; then the next. */
export function pairItems<T>(
  itemsBefore: readonly T[],
  itemsAfter: readonly T[],
  ...conditions: readonly ((before: T, after: T) => boolean)[]
): Pairing<T> {
  const pairs: { readonly before: T; readonly after: T }[] = [];
  const removed = new Set(itemsBefore);
  const added = new Set(itemsAfter);
  for (const isPair of conditions) {
    for (const before of removed) {
      const after = [...added].find((each) => isPair(before, each));
      if (after === undefined) continue;
      pairs.push({ before, after });
      removed.delete(before);
      added.delete(after);
    }
  }
  return { pairs, removed: [...removed], added: [...added] };
}

/** An object type whose keys that may hold `undefined` are optional instead. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Returns an object without the keys that hold `undefined`, in the same order. */
export function omitUndefined<T extends object>(object: T): Defined<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** Returns names in double quotes, with commas between them. */
export function quoteAll(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

/** Returns the first names in double quotes, and counts the others: `"a", "b" and 3 more`. */
export function quoteFirst(names: readonly string[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : "";
  return `${quoteAll(names.slice(0, most))}${more}`;
}

/** Returns the strongly connected component of each node (Tarjan 1972, without recursion). */
export function findComponents<T>(
  nodes: readonly T[],
  edgesOf: (node: T) => readonly T[],
): ReadonlyMap<T, T> {
  const component = new Map<T, T>();
  const order = new Map<T, number>();
  const low = new Map<T, number>();
  const stack: T[] = [];
  let count = 0;
  const lower = (node: T, to: number = Infinity): void => {
    low.set(node, Math.min(low.get(node) ?? Infinity, to));
  };
  for (const start of nodes) {
    if (order.has(start)) continue;
    const open: { readonly node: T; readonly edges: readonly T[]; next: number }[] = [];
    const enter = (node: T): void => {
      order.set(node, count);
      low.set(node, count);
      count += 1;
      stack.push(node);
      open.push({ node, edges: edgesOf(node), next: 0 });
    };
    enter(start);
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const { node } = top;
      const target = top.edges[top.next++];
      if (target === undefined) {
        open.pop();
        const outer = open.at(-1)?.node;
        if (outer !== undefined) lower(outer, low.get(node));
        if (low.get(node) !== order.get(node)) continue;
        for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
          component.set(member, node);
          if (member === node) break;
        }
      } else if (!order.has(target)) enter(target);
      else if (!component.has(target)) lower(node, order.get(target));
    }
  }
  return component;
}

/** `a, b and c` */
export function listWords(words: readonly string[], joint: "and" | "or" = "and"): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${joint} ${words.at(-1) ?? ""}`;
}

/** Returns a function that calls another at its first call, and then returns the same. */
export function once<T>(read: () => T): () => T {
  let answer: { readonly value: T } | undefined;
  return () => (answer ??= { value: read() }).value;
}

/** Keeps the values of texts. It forgets all of them when it has too many, so the texts of a server cannot fill the memory. */
export class BoundedCache<T extends object> {
  readonly #values = new Map<string, T>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns the value of a text, and makes it if it is missing. */
  get(text: string, make: (text: string) => T): T {
    const kept = this.#values.get(text);
    if (kept !== undefined) return kept;
    const value = make(text);
    if (this.#values.size >= this.#most) this.#values.clear();
    this.#values.set(text, value);
    return value;
  }
}

import { type PatternNode, parsePattern } from "./pattern-tree.js";

/**
 * Whether there are texts on which a backtracking engine tries a number of ways that grows exponentially with their
 * length: some part of the pattern repeats and can match the same text in two ways, such as `(a+)+` or `(a|\w)*`
 * (Weideman et al. 2016, "exponential degree of ambiguity"). What is too large to be told counts as such.
 */
export function isCatastrophic(pattern: string, flags: "u" | ""): boolean {
  // It takes a group that repeats; nearly all patterns have none.
  if (!/\)(?:[*+]|\{\d)/u.test(pattern)) return false;
  if (pattern.length > MAX_LENGTH) return true;
  const tree = parsePattern(pattern, flags);
  if (tree === undefined) return true;
  const alphabet = sampleAlphabet(pattern);
  return [tree.root, ...tree.looks].some((root) => {
    const automaton = new Automaton(alphabet, flags);
    automaton.build(root);
    return automaton.isTooLarge || automaton.isAmbiguous();
  });
}

const MAX_LENGTH = 2_000;
const MAX_PLACES = 2_000;
const MAX_STEPS = 4_000_000;
/** A count is written out as long as that gives no more places than this: more can be tried in too many ways. */
const MAX_WRITTEN_OUT = 16;

/** Characters that show which sets meet: ASCII, some of every other kind, and what the pattern itself names. */
function sampleAlphabet(pattern: string): readonly string[] {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
  const others = ["\u00a0", "\u00e9", "\u00df", "\u0130", "\u03a9", "\u044f", "\u0301", "\u0660", "\u2028", "\u4e2d", "\uff11", "\ufeff", "\u{1d7d8}", "\u{1f600}"]; // prettier-ignore
  const escaped = [...pattern.matchAll(/\\(?:u\{([\dA-Fa-f]+)\}|u([\dA-Fa-f]{4})|x([\dA-Fa-f]{2}))/gu)];
  const named = escaped.map(([, long, short, shortest]) =>
    String.fromCodePoint(Math.min(parseInt(long ?? short ?? shortest ?? "0", 16), 0x10ffff)),
  );
  return [...new Set([...ascii, ...others, ...Array.from(pattern), ...named])];
}

/** Places in the alphabet. Equal sources have the same set. */
type CharacterSet = ReadonlySet<number>;

/** In how many ways places begin or end a part; more than two are two. */
type Ways = ReadonlyMap<number, number>;

interface Part {
  readonly first: Ways;
  readonly last: Ways;
  /** In how many ways the part matches nothing. */
  readonly empty: number;
}

const NOTHING: Part = { first: new Map(), last: new Map(), empty: 1 };

/** The places of a pattern that take a character, and which may follow which (Glushkov's automaton, with ways counted). */
class Automaton {
  readonly #alphabet: readonly string[];
  readonly #flags: "u" | "";
  readonly #sets: CharacterSet[] = [];
  readonly #follow: Map<number, number>[] = [];
  readonly #known = new Map<string, CharacterSet>();
  readonly #meetings = new Map<CharacterSet, Map<CharacterSet, boolean>>();

  constructor(alphabet: readonly string[], flags: "u" | "") {
    this.#alphabet = alphabet;
    this.#flags = flags;
  }

  get isTooLarge(): boolean {
    return this.#sets.length > MAX_PLACES;
  }

  build(node: PatternNode): Part {
    if (this.isTooLarge) return NOTHING;
    switch (node.kind) {
      case "nothing":
        return NOTHING;
      case "character": {
        const place = new Map([[this.#sets.push(this.#setOf(node.source)) - 1, 1]]);
        this.#follow.push(new Map());
        return { first: place, last: place, empty: 0 };
      }
      case "sequence":
        return node.parts.reduce<Part>((whole, part) => this.#join(whole, this.build(part)), NOTHING);
      case "choice": {
        const options = node.options.map((option) => this.build(option));
        return {
          first: options.reduce<Ways>((ways, option) => add(ways, option.first, 1), new Map()),
          last: options.reduce<Ways>((ways, option) => add(ways, option.last, 1), new Map()),
          empty: Math.min(2, options.reduce((ways, option) => ways + option.empty, 0)), // prettier-ignore
        };
      }
      case "repeat":
        return this.#repeat(node.body, node.min, node.max);
      default:
        return node satisfies never;
    }
  }

  #repeat(body: PatternNode, min: number, max: number): Part {
    if (max === 0) return NOTHING;
    const copies = max === Infinity ? Math.max(min, 1) : max;
    if (copies > 1 && copies * countPlaces(body) > MAX_WRITTEN_OUT)
      return this.#repeat(body, Math.min(min, 1), Infinity);
    let rest: Part = NOTHING;
    for (let copy = copies; copy >= 1; copy -= 1) {
      const built = this.build(body);
      if (max === Infinity && copy === copies) this.#connect(built.last, built.first);
      rest = this.#join(built, rest);
      // An iteration beyond the least that takes nothing is none, in JavaScript.
      if (copy > min) rest = { ...rest, empty: 1 };
    }
    return rest;
  }

  #join(a: Part, b: Part): Part {
    this.#connect(a.last, b.first);
    return {
      first: add(a.first, b.first, a.empty),
      last: add(b.last, a.last, b.empty),
      empty: Math.min(2, a.empty * b.empty),
    };
  }

  #connect(from: Ways, to: Ways): void {
    for (const [place, ways] of from) {
      const next = this.#follow[place];
      for (const [target, more] of next ? to : []) next?.set(target, Math.min(2, (next.get(target) ?? 0) + ways * more)); // prettier-ignore
    }
  }

  // Compiled for one character at a time, so that nothing in it can take long.
  #setOf(source: string): CharacterSet {
    const known = this.#known.get(source);
    if (known !== undefined) return known;
    const expression = new RegExp(`^(?:${source})$`, this.#flags);
    const set = new Set(
      [...this.#alphabet.keys()].filter((index) => expression.test(this.#alphabet[index] ?? "")),
    );
    this.#known.set(source, set);
    return set;
  }

  /** Whether a loop leads from a place back to it in two ways with the same text. */
  isAmbiguous(): boolean {
    const places = [...this.#sets.keys()];
    const components = findComponents(places, (place) => [...(this.#follow[place]?.keys() ?? [])]);
    const edges = new Map<number, number[]>();
    for (const place of places) {
      const inside = [...(this.#follow[place] ?? [])].filter(
        ([next]) => components.get(next) === components.get(place),
      );
      if (inside.some(([, ways]) => ways > 1)) return true;
      edges.set(place, inside.map(([next]) => next)); // prettier-ignore
    }
    return [...new Set(components.values())].some(
      (component) =>
      this.#hasTwins(places.filter((place) => components.get(place) === component), edges), // prettier-ignore
    );
  }

  /** Whether two walks over a component that part and take the same text can meet again where they parted. */
  #hasTwins(places: readonly number[], edges: ReadonlyMap<number, readonly number[]>): boolean {
    // A single circle has one way round.
    if (places.every((place) => edges.get(place)?.length === 1)) return false;
    const size = this.#sets.length;
    let steps = 0;
    const components = findComponents(places.map((place) => place * size + place), (pair) => {
      const targets = edges.get(pair % size) ?? [];
      const others = edges.get(Math.floor(pair / size)) ?? [];
      steps += targets.length * others.length;
      if (steps > MAX_STEPS) return [];
      return others.flatMap((a) => targets.filter((b) => this.#meet(a, b)).map((b) => a * size + b));
    }); // prettier-ignore
    const together = new Set(places.map((place) => components.get(place * size + place)));
    const isApart = (pair: number): boolean => pair % size !== Math.floor(pair / size);
    return steps > MAX_STEPS || [...components].some(([pair, one]) => isApart(pair) && together.has(one));
  }

  /** Whether two places take a character in common. */
  #meet(a: number, b: number): boolean {
    const [left, right] = [this.#sets[a], this.#sets[b]];
    if (left === undefined || right === undefined) return false;
    const known = this.#meetings.get(left)?.get(right);
    if (known !== undefined) return known;
    const isMet = [...left].some((character) => right.has(character));
    this.#meetings.set(
      left,
      (this.#meetings.get(left) ?? new Map<CharacterSet, boolean>()).set(right, isMet),
    );
    return isMet;
  }
}

function countPlaces(node: PatternNode): number {
  switch (node.kind) {
    case "nothing":
      return 0;
    case "character":
      return 1;
    case "sequence":
      return node.parts.reduce((count, part) => count + countPlaces(part), 0);
    case "choice":
      return node.options.reduce((count, option) => count + countPlaces(option), 0);
    case "repeat":
      return countPlaces(node.body) * (node.max === Infinity ? 1 : node.max);
    default:
      return node satisfies never;
  }
}

function add(a: Ways, b: Ways, times: number): Ways {
  if (times === 0 || b.size === 0) return a;
  const sum = new Map(a);
  for (const [place, ways] of b) sum.set(place, Math.min(2, (sum.get(place) ?? 0) + ways * times));
  return sum;
}

/** The strongly connected component of each node (Tarjan 1972, without recursion). */
function findComponents(
  nodes: readonly number[],
  edgesOf: (node: number) => readonly number[],
): ReadonlyMap<number, number> {
  const component = new Map<number, number>();
  const order = new Map<number, number>();
  const low = new Map<number, number>();
  const stack: number[] = [];
  let count = 0;
  const lower = (node: number, to: number = Infinity): void => {
    low.set(node, Math.min(low.get(node) ?? Infinity, to));
  };
  for (const start of nodes) {
    if (order.has(start)) continue;
    const open: { readonly node: number; readonly edges: readonly number[]; next: number }[] = [];
    const enter = (node: number): void => {
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

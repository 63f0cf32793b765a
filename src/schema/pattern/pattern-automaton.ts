import { partsOf, type PatternNode } from "./pattern-tree.js";

const MAX_PLACES = 2_000;

/** Counts the steps of the analysis of one pattern, to limit it without a clock. */
export class PatternSteps {
  /** The limit for one pattern. The most costly pattern of 2,814 real tools takes 4,308 steps. */
  static readonly most = 2_000_000;
  count = 0;

  get areTooMany(): boolean {
    return this.count > PatternSteps.most;
  }
}

/** A counted repeat is expanded up to this number of places, and treated as unbounded beyond. */
const MAX_EXPANDED = 16;

/** Returns characters that show which sets overlap: ASCII, samples of other kinds, and the characters of the pattern. */
function sampleAlphabet(pattern: string): readonly string[] {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
  const others = ["\u00a0", "\u00e9", "\u00df", "\u0130", "\u03a9", "\u044f", "\u0301", "\u0660", "\u2028", "\u4e2d", "\uff11", "\ufeff", "\u{1d7d8}", "\u{1f600}"]; // prettier-ignore
  const escaped = [...pattern.matchAll(/\\(?:u\{([\dA-Fa-f]+)\}|u([\dA-Fa-f]{4})|x([\dA-Fa-f]{2}))/gu)];
  const named = escaped.map(([, long, short, shortest]) =>
    String.fromCodePoint(Math.min(parseInt(long ?? short ?? shortest ?? "0", 16), 0x10ffff)),
  );
  return [...new Set([...ascii, ...others, ...Array.from(pattern), ...named])];
}

/** One bit for each character of the alphabet. */
type CharacterSet = bigint;

/** The number of ways in which each place begins or ends a part; at most two. */
type Ways = ReadonlyMap<number, number>;

interface Part {
  readonly first: Ways;
  readonly last: Ways;
  /** The number of ways in which the part matches the empty text. */
  readonly empty: number;
}

const NOTHING: Part = { first: new Map(), last: new Map(), empty: 1 };

/**
 * The places of a pattern that match a character, and the places that may follow each (Glushkov's automaton, with counted
 * ways). The body of a lookaround is included, but no place follows it.
 */
export class Automaton {
  readonly #alphabet: readonly string[];
  readonly #flags: "u" | "";
  /** The places that may follow each place, with the number of ways. */
  readonly follow: Map<number, number>[] = [];
  /** The places that begin a match. */
  readonly first: Ways;
  /** The places that end a match. */
  readonly last: Ways;
  /** The distinct sets of characters; equal sources share a set. */
  readonly #sets: CharacterSet[] = [];
  /** The index of the set of each place. */
  readonly #kinds: number[] = [];
  readonly #known = new Map<string, number>();
  readonly #meetings = new Map<number, boolean>();

  readonly #steps: PatternSteps;

  constructor(pattern: string, tree: PatternNode, flags: "u" | "", steps: PatternSteps) {
    this.#steps = steps;
    this.#alphabet = sampleAlphabet(pattern);
    this.#flags = flags;
    const { first, last } = this.#build(tree);
    this.first = first;
    this.last = last;
  }

  get isTooLarge(): boolean {
    return this.size > MAX_PLACES || this.#steps.areTooMany;
  }

  /** The number of places. Places are numbered from 0. */
  get size(): number {
    return this.#kinds.length;
  }

  get places(): readonly number[] {
    return [...this.#kinds.keys()];
  }

  nextOf(place: number): readonly number[] {
    return [...(this.follow[place]?.keys() ?? [])];
  }

  /** Whether two or three places match a common character. */
  meet(a: number, b: number, c: number = b): boolean {
    const first = this.#kinds[a] ?? 0;
    const second = this.#kinds[b] ?? 0;
    const third = this.#kinds[c] ?? 0;
    const key = (first * MAX_PLACES + second) * MAX_PLACES + third;
    const cached = this.#meetings.get(key);
    if (cached !== undefined) return cached;
    const shared = (this.#sets[first] ?? 0n) & (this.#sets[second] ?? 0n) & (this.#sets[third] ?? 0n);
    this.#meetings.set(key, shared !== 0n);
    return shared !== 0n;
  }

  /** Returns the places that match a character, for one character of each kind that the pattern distinguishes. */
  listMatches(): readonly ReadonlySet<number>[] {
    const distinct = new Map<string, ReadonlySet<number>>();
    for (const index of this.#alphabet.keys()) {
      const bit = 1n << BigInt(this.#alphabet.length - 1 - index);
      this.#steps.count += this.#sets.length;
      if (this.#steps.areTooMany) break;
      const kinds = new Set([...this.#sets.keys()].filter((kind) => ((this.#sets[kind] ?? 0n) & bit) !== 0n));
      const key = [...kinds].join();
      if (kinds.size > 0 && !distinct.has(key))
        distinct.set(key, new Set(this.places.filter((place) => kinds.has(this.#kinds[place] ?? -1))));
    }
    return [...distinct.values()];
  }

  #build(node: PatternNode): Part {
    if (this.isTooLarge) return NOTHING;
    switch (node.kind) {
      case "start":
      case "condition":
        return NOTHING;
      case "look":
        return { ...NOTHING, first: this.#build(node.body).first };
      case "character": {
        const place = new Map([[this.#kinds.push(this.#setOf(node.source)) - 1, 1]]);
        this.follow.push(new Map());
        return { first: place, last: place, empty: 0 };
      }
      case "sequence":
        return node.parts.reduce<Part>((whole, part) => this.#join(whole, this.#build(part)), NOTHING);
      case "choice": {
        const options = node.options.map((option) => this.#build(option));
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
    if (copies > 1 && copies * countPlaces(body) > MAX_EXPANDED)
      return this.#repeat(body, Math.min(min, 1), Infinity);
    let rest: Part = NOTHING;
    for (let copy = copies; copy >= 1; copy -= 1) {
      const built = this.#build(body);
      if (max === Infinity && copy === copies) this.#connect(built.last, built.first);
      rest = this.#join(built, rest);
      // JavaScript skips an iteration beyond the minimum that matches the empty text.
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
    this.#steps.count += from.size * to.size;
    if (this.#steps.areTooMany) return;
    for (const [place, ways] of from) {
      const next = this.follow[place];
      for (const [target, more] of next ? to : []) next?.set(target, Math.min(2, (next.get(target) ?? 0) + ways * more)); // prettier-ignore
    }
  }

  // Safe to execute, since it matches a single character.
  #setOf(source: string): number {
    const cached = this.#known.get(source);
    if (cached !== undefined) return cached;
    this.#steps.count += this.#alphabet.length;
    const expression = new RegExp(`^(?:${source})$`, this.#flags);
    const bits = this.#alphabet.map((character) => (expression.test(character) ? "1" : "0"));
    const kind = this.#sets.push(BigInt(`0b${bits.join("")}`)) - 1;
    this.#known.set(source, kind);
    return kind;
  }
}

function countPlaces(node: PatternNode): number {
  if (node.kind === "character") return 1;
  const count = partsOf(node).reduce((sum, part) => sum + countPlaces(part), 0);
  return node.kind === "repeat" && node.max !== Infinity ? count * node.max : count;
}

function add(a: Ways, b: Ways, times: number): Ways {
  if (times === 0 || b.size === 0) return a;
  const sum = new Map(a);
  for (const [place, ways] of b) sum.set(place, Math.min(2, (sum.get(place) ?? 0) + ways * times));
  return sum;
}

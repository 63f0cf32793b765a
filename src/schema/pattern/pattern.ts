import { BoundedCache, findComponents, groupBy } from "../../core/collections.js";
import { Automaton, PatternSteps } from "./pattern-automaton.js";
import { flagsOf, LONGEST_PATTERN, parsePattern, partsOf, type PatternNode } from "./pattern-tree.js";

/** The flags of a pattern and the degree of the polynomial that bounds its steps, or why it is not executed. */
type PatternReading = (
  | { readonly flags: "u" | ""; readonly degree: number }
  | { readonly problem: string }
) & {
  /** The steps of the analysis. */
  readonly steps: number;
};

/** Returns the flags of a pattern, `u` if possible, or why it cannot be used. Never executes it: it may be hostile. */
export function readPattern(pattern: string): PatternReading {
  return READ.get(pattern, analyse);
}

/** Whether values are checked against a pattern. */
export function isChecked(pattern: string): boolean {
  return "flags" in readPattern(pattern);
}

/** Returns the compiled pattern; undefined for a pattern that is not executed. */
export function compilePattern(pattern: string): RegExp | undefined {
  const reading = readPattern(pattern);
  return "flags" in reading ? new RegExp(pattern, reading.flags) : undefined;
}

// A cache, since many tools share the same few patterns.
const READ = new BoundedCache<PatternReading>(1_000);
/** Common patterns such as `\\S+@\\S+` take quadratic time: a tenth of a second for 10,000 characters. */
const MAX_DEGREE = 2;

/** The engine compiles a pattern before it first runs it: up to 0.1 seconds for the longest. */
const STEPS_PER_CHARACTER = 50;

function analyse(pattern: string): PatternReading {
  if (pattern.length > LONGEST_PATTERN)
    return { problem: `has more than ${LONGEST_PATTERN} characters`, steps: 0 };
  const flags = flagsOf(pattern);
  if (flags === undefined) return { problem: "is not a valid JavaScript regular expression", steps: 0 };
  const counter = new PatternSteps();
  const isExponential = isCatastrophic(pattern, flags, counter);
  const degree = isExponential ? Infinity : backtrackingDegree(pattern, flags, counter);
  const steps = Math.min(counter.count, PatternSteps.most);
  return degree <= MAX_DEGREE
    ? { flags, degree, steps: steps + pattern.length * STEPS_PER_CHARACTER }
    : { problem: problemOf(isExponential, counter), steps };
}

function problemOf(isExponential: boolean, steps: PatternSteps): string {
  if (steps.areTooMany) return `takes more than ${PatternSteps.most} steps to analyse`;
  return isExponential
    ? "may take time that doubles with every character of a text"
    : "may take time that grows with the third power of a text's length";
}

/**
 * Whether the steps of a backtracking engine may grow exponentially: a repeated part can match one text in two ways, as in `(a+)+`
 * (Weideman et al. 2016, "exponential degree of ambiguity"). True for a pattern that is too large to analyse.
 */
export function isCatastrophic(pattern: string, flags: "u" | "", steps: PatternSteps): boolean {
  // Only a repeated group, or very many optional parts, can be ambiguous. Most patterns have neither.
  const hasGroups = /\)(?:[*+]|\{\d)/u.test(pattern);
  const choices = pattern.match(/\?|\{\d/gu)?.length ?? 0;
  if (!hasGroups && choices < FEW_CHOICES) return false;
  if (pattern.length > MAX_LENGTH) return true;
  const tree = parsePattern(pattern, flags);
  if (tree === undefined) return true;
  const automaton = new Automaton(pattern, tree, flags, steps);
  if (automaton.isTooLarge || (hasGroups && isAmbiguous(automaton, steps))) return true;
  return choices >= FEW_CHOICES && hasManyWays(automaton, steps);
}

/** Fewer optional parts and counted repeats than this have few enough combinations. */
const FEW_CHOICES = 16;
/** The most ways to match one text, and the longest text that is tried. */
const MOST_WAYS = 1_000_000;
const LONGEST_TEXT = 40;

/** Whether one short text can be matched in very many ways, as by `a?` thirty times: continues by the richest character. */
function hasManyWays(automaton: Automaton, steps: PatternSteps): boolean {
  const kinds = automaton.listMatches();
  let ways: ReadonlyMap<number, number> | undefined;
  for (let length = 0; length < LONGEST_TEXT; length += 1) {
    let most = 0;
    let best: ReadonlyMap<number, number> = new Map();
    for (const places of kinds) {
      const next = continueWith(automaton, ways, places, steps);
      const total = [...next.values()].reduce((sum, count) => sum + count, 0);
      if (steps.areTooMany || total > MOST_WAYS) return true;
      if (total > most) [most, best] = [total, next];
    }
    if (most === 0) return false;
    ways = best;
  }
  return false;
}

/** Returns the number of ways to each place after one more character; without `ways`, after the first character. */
function continueWith(
  { first, follow }: Automaton,
  ways: ReadonlyMap<number, number> | undefined,
  places: ReadonlySet<number>,
  steps: PatternSteps,
): ReadonlyMap<number, number> {
  const next = new Map<number, number>();
  const move = (targets: ReadonlyMap<number, number>, count: number): void => {
    steps.count += targets.size;
    for (const [target, more] of targets)
      if (places.has(target)) next.set(target, (next.get(target) ?? 0) + count * more);
  };
  if (ways === undefined) move(first, 1);
  for (const [place, count] of ways ?? []) {
    move(follow[place] ?? new Map<number, number>(), count);
    if (steps.areTooMany) break;
  }
  return next;
}

const MAX_LENGTH = 2_000;

/** The places of a cycle, each with its next places in the cycle. */
type Loop = ReadonlyMap<number, readonly number[]>;

function findLoops(automaton: Automaton): readonly Loop[] {
  const components = findComponents(automaton.places, (place) => automaton.nextOf(place));
  const members = automaton.places.map((place) => {
    const component = components.get(place);
    return {
      component,
      place,
      next: automaton.nextOf(place).filter((to) => components.get(to) === component),
    };
  });
  const loops = groupBy(members.filter(({ next }) => next.length > 0), ({ component }) => component); // prettier-ignore
  return [...loops.values()].map((loop) => new Map(loop.map(({ place, next }) => [place, next])));
}

/** Whether two different paths lead from a place back to it with the same text. */
function isAmbiguous(automaton: Automaton, steps: PatternSteps): boolean {
  const loops = findLoops(automaton);
  const hasTwoWays = ([place, next]: readonly [number, readonly number[]]): boolean =>
    next.some((target) => (automaton.follow[place]?.get(target) ?? 0) > 1);
  return (
    loops.some((loop) => [...loop].some(hasTwoWays)) || loops.some((loop) => hasTwins(automaton, loop, steps))
  );
}

/** Whether two walks in a loop can diverge, match the same text, and meet again where they diverged. */
function hasTwins(automaton: Automaton, loop: Loop, steps: PatternSteps): boolean {
  const places = [...loop.keys()];
  // A single cycle has only one path.
  if (places.every((place) => loop.get(place)?.length === 1)) return false;
  const size = automaton.size;
  const components = findComponents(places.map((place) => place * size + place), (pair) => {
    const targets = loop.get(pair % size) ?? [];
    const others = loop.get(Math.floor(pair / size)) ?? [];
    steps.count += targets.length * others.length;
    if (steps.areTooMany) return [];
    return others.flatMap((a) => targets.filter((b) => automaton.meet(a, b)).map((b) => a * size + b));
  }); // prettier-ignore
  const together = new Set(places.map((place) => components.get(place * size + place)));
  const isApart = (pair: number): boolean => pair % size !== Math.floor(pair / size);
  return (
    steps.areTooMany || [...components].some(([pair, component]) => isApart(pair) && together.has(component))
  );
}

/**
 * Returns the degree of the polynomial that bounds the steps of a backtracking engine: 1 for `^[a-z]+$`, 2 for `^a*a*$` and `a+b`,
 * which may start anywhere. Counts repeated parts in a row that can match one text (Weideman et al. 2016, "infinite degree of
 * ambiguity"). `Infinity` for a pattern that is too large to analyse.
 */
export function backtrackingDegree(pattern: string, flags: "u" | "", steps: PatternSteps): number {
  // Only repeated parts raise the degree. A pattern without an anchor counts as one of them.
  const repeats = pattern.match(/[*+]|\{\d+(?:,\d*)?\}/gu)?.length ?? 0;
  if (repeats < 2) return repeats + 1;
  if (pattern.length > MAX_LENGTH) return Infinity;
  const tree = parsePattern(pattern, flags);
  if (tree === undefined) return Infinity;
  const short = shortenRepeats(tree);
  const whole: PatternNode = isAnchored(tree) ? short : { kind: "sequence", parts: [ANYTHING, short] };
  const automaton = new Automaton(pattern, whole, flags, steps);
  if (automaton.isTooLarge) return Infinity;
  // If nothing can fail after a match, the engine stops at the first match.
  if (!mayFailAtOnce(tree)) for (const place of automaton.last.keys()) automaton.follow[place]?.clear();
  return new Search(automaton, steps).findLongestChain() + 1;
}

const MAX_LOOPS = 100;
/** Parts that repeat at most this often have few enough matches. */
const MAX_COUNTED = 256;
const ANYTHING: PatternNode = {
  kind: "repeat",
  body: { kind: "character", source: "[^]" },
  min: 0,
  max: Infinity,
};

/** Returns the tree with repeats that are either unbounded or written out as often as the analysis needs. */
function shortenRepeats(node: PatternNode): PatternNode {
  switch (node.kind) {
    case "character":
    case "start":
    case "condition":
      return node;
    case "look":
      return { ...node, body: shortenRepeats(node.body) };
    case "sequence":
      return { ...node, parts: node.parts.map(shortenRepeats) };
    case "choice":
      return { ...node, options: node.options.map(shortenRepeats) };
    case "repeat": {
      const body = shortenRepeats(node.body);
      const min = Math.min(node.min, 1);
      if (node.max > MAX_COUNTED) return { kind: "repeat", body, min, max: Infinity };
      const copies = hasLoop(body) ? Math.min(node.max, 3) : Math.min(node.max, 1);
      const copy: PatternNode = { kind: "repeat", body, min, max: 1 };
      return { kind: "sequence", parts: Array.from({ length: copies }, () => copy) };
    }
    default:
      return node satisfies never;
  }
}

function hasLoop(node: PatternNode): boolean {
  return (node.kind === "repeat" && node.max === Infinity) || partsOf(node).some(hasLoop);
}

function isAnchored(node: PatternNode): boolean {
  if (node.kind === "start") return true;
  if (node.kind === "choice") return node.options.every(isAnchored);
  if (node.kind === "repeat") return node.min > 0 && isAnchored(node.body);
  if (node.kind !== "sequence") return false;
  const first = node.parts.find(({ kind }) => kind !== "condition" && kind !== "look");
  return first !== undefined && isAnchored(first);
}

function mayFailAtOnce(node: PatternNode): boolean {
  return node.kind === "condition" || node.kind === "look" || partsOf(node).some(mayFailAtOnce);
}

/** Finds the chains of loops in an automaton that can match the same text. */
class Search {
  readonly #automaton: Automaton;
  readonly #loops: readonly Loop[];
  readonly #chains = new Map<Loop, number>();
  readonly #steps: PatternSteps;

  constructor(automaton: Automaton, steps: PatternSteps) {
    this.#steps = steps;
    this.#automaton = automaton;
    this.#loops = findLoops(automaton);
  }

  /** Returns the number of links in the longest chain of loops; `Infinity` if the analysis takes too long. */
  findLongestChain(): number {
    if (this.#loops.length > MAX_LOOPS) return Infinity;
    const longest = Math.max(0, ...this.#loops.map((loop) => this.#chainFrom(loop)));
    return this.#steps.areTooMany ? Infinity : longest;
  }

  #chainFrom(loop: Loop): number {
    const cached = this.#chains.get(loop);
    if (cached !== undefined) return cached;
    const reached = new Set(loop.keys());
    for (const place of reached) {
      const next = this.#automaton.nextOf(place);
      this.#steps.count += next.length;
      for (const target of next) reached.add(target);
    }
    let longest = 0;
    for (const other of this.#loops) {
      if (other === loop || ![...other.keys()].some((place) => reached.has(place))) continue;
      const rest = this.#chainFrom(other);
      // Look for a link only if it would make the chain longer.
      const hasLink = rest >= longest && this.#areLinked(loop, other);
      longest = Math.max(longest, hasLink ? rest + 1 : rest);
    }
    this.#chains.set(loop, longest);
    return longest;
  }

  /** Whether one text leads around the first loop, from it to the second, and around the second. */
  #areLinked(first: Loop, second: Loop): boolean {
    const ends = [...second.keys()];
    return [...first.keys()].some((start) => ends.some((end) => this.#hasText(start, end, first, second)));
  }

  #hasText(start: number, end: number, first: Loop, second: Loop): boolean {
    const { size } = this.#automaton;
    const seen = new Set<number>();
    const open: (readonly [around: number, between: number, beyond: number])[] = [[start, start, end]];
    for (let walk = open.pop(); walk !== undefined; walk = open.pop()) {
      const [around, between, beyond] = walk;
      const ways = this.#automaton.nextOf(between);
      for (const a of first.get(around) ?? []) {
        for (const c of second.get(beyond) ?? []) {
          this.#steps.count += ways.length + 1;
          if (this.#steps.areTooMany) return true;
          if (!this.#automaton.meet(a, c)) continue;
          for (const b of ways) {
            if (!this.#automaton.meet(a, c, b)) continue;
            if (a === start && b === end && c === end) return true;
            const key = (a * size + b) * size + c;
            if (!seen.has(key)) open.push([a, b, c]);
            seen.add(key);
          }
        }
      }
    }
    return false;
  }
}

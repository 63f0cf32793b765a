import { BoundedCache } from "../../core/collections.js";
import {
  flagsOf,
  LONGEST_PATTERN,
  parsePattern,
  partsOf,
  type PatternNode,
} from "../pattern/pattern-tree.js";

/** Characters and numbers of repetitions to try, from the other schemas at the same place. */
interface PatternHints {
  readonly characters: readonly string[];
  readonly counts: readonly number[];
}

/** The most texts that are generated from one pattern. */
const MAX_SAMPLES = 80;
/** The longest generated text: nested repetitions would fill the memory. */
const MAX_LENGTH = 20_000;
/** The most characters of all texts from one pattern. */
const MAX_CHARACTERS = 500_000;
/** Patterns with more parts are not sampled. `comparePatterns` reports the limit for them. */
const MAX_PARTS = 4_000;

// A cache, since a search asks for the same samples at every place that it edits.
const SAMPLES = new BoundedCache<readonly string[]>(100);

/**
 * Returns texts that a regular expression probably matches. The first is the simplest; each other differs in one choice: a
 * character at the edge of a class, a branch, a number of repetitions. Supports positive lookaheads only roughly and other
 * assertions not at all, so a text may not match. Empty for a pattern that is invalid or too long.
 */
export function samplePattern(pattern: string, hints: PatternHints): readonly string[] {
  if (pattern.length > LONGEST_PATTERN) return [];
  const key = JSON.stringify([pattern, hints.characters, hints.counts]);
  return SAMPLES.get(key, () => makeSamples(pattern, hints));
}

function makeSamples(pattern: string, hints: PatternHints): readonly string[] {
  const read = readTree(pattern);
  if (read === undefined) return [];
  const { root, classes } = read;
  const plain = plainOf(root, classes);
  const samples = new Set<string>([plain]);
  // Put the text of a lookahead in front, followed by the whole plain text or by as much as fits its length.
  const front = lookaheadsIn(root)
    .map((body) => plainOf(body, classes))
    .join("");
  if (front !== "") samples.add(front + plain).add((front + plain).slice(0, plain.length));
  let written = 0;
  for (const text of textsOf(root, classes, hints)) {
    if (samples.size >= MAX_SAMPLES || written >= MAX_CHARACTERS) break;
    written += text.length;
    samples.add(text);
  }
  return [...samples];
}

/** Returns the characters at the edges of a pattern's classes and just beyond, and its counts, each plus and minus one. */
export function hintsOf(pattern: string): PatternHints {
  const characters = new Set<string>();
  const counts = new Set<number>();
  const read = readTree(pattern);
  const visit = (node: PatternNode): void => {
    if (node.kind === "character")
      for (const edge of read?.classes.of(node).edges ?? [])
        for (const code of [edge, edge - 1, edge + 1])
          if (code >= 0x20 && code < 0xd800) characters.add(String.fromCodePoint(code));
    if (node.kind === "repeat")
      for (const count of [node.min, node.max])
        if (Number.isFinite(count))
          for (const near of [count - 1, count, count + 1]) if (near >= 0) counts.add(near);
    if (node.kind !== "look" && node.kind !== "condition") partsOf(node).forEach(visit);
  };
  if (read !== undefined) visit(read.root);
  return { characters: [...characters].slice(0, 60), counts: [...counts] };
}

const PLAIN = Array.from("aA01-_ ./:@,é");
const NO_HINTS: PatternHints = { characters: [], counts: [] };

function plainOf(node: PatternNode, classes: Classes): string {
  const [plain = ""] = textsOf(node, classes, NO_HINTS);
  return plain;
}

/** Generates the plain text of a node, then texts that each differ from it in one choice. */
function* textsOf(node: PatternNode, classes: Classes, hints: PatternHints): Generator<string> {
  switch (node.kind) {
    case "character":
      yield* membersOf(classes.of(node), hints.characters).slice(0, 24);
      return;
    case "start":
    case "condition":
    case "look":
      yield "";
      return;
    case "sequence": {
      const plains = node.parts.map((part) => plainOf(part, classes));
      yield plains.join("");
      for (const [index, part] of node.parts.entries())
        for (const text of textsOf(part, classes, hints))
          if (text !== plains[index]) yield plains.with(index, text).join("");
      return;
    }
    case "choice":
      for (const option of node.options) yield* textsOf(option, classes, hints);
      return;
    case "repeat": {
      const { body, min, max } = node;
      const plain = plainOf(body, classes);
      const repeat = (text: string, count: number): string =>
        text.repeat(Math.min(count, Math.floor(MAX_LENGTH / Math.max(text.length, 1))));
      const counts = [min + 1, max, ...hints.counts].filter(
        (count) => count >= min && count <= max && count <= MAX_LENGTH,
      );
      for (const count of new Set([min, ...counts])) yield repeat(plain, count);
      // A choice in the body needs at least one repetition.
      if (max > 0)
        for (const text of textsOf(body, classes, hints))
          if (text !== plain) yield repeat(text, Math.max(min, 1));
      return;
    }
    default:
      node satisfies never;
  }
}

/** Deeper patterns are not sampled, because they come from servers. */
const MAX_DEPTH = 100;

function readTree(pattern: string): { readonly root: PatternNode; readonly classes: Classes } | undefined {
  const flags = flagsOf(pattern);
  const root = flags === undefined ? undefined : parsePattern(pattern, flags);
  if (flags === undefined || root === undefined || isTooLarge(root)) return undefined;
  return { root, classes: new Classes(flags) };
}

function isTooLarge(root: PatternNode): boolean {
  let parts = 0;
  const isDeep = (node: PatternNode, most: number): boolean =>
    most === 0 || ++parts > MAX_PARTS || partsOf(node).some((part) => isDeep(part, most - 1));
  return isDeep(root, MAX_DEPTH);
}

/** Returns the bodies of positive lookaheads, inner ones first: `(?=.*\d)` requires a digit somewhere. */
function lookaheadsIn(node: PatternNode): readonly PatternNode[] {
  const inner = partsOf(node).flatMap(lookaheadsIn);
  return node.kind === "look" && node.isAhead && !node.isNegated ? [...inner, node.body] : inner;
}

interface SampledSet {
  readonly edges: readonly number[];
  readonly has: (character: string) => boolean;
}

/** The character classes of a pattern. Running the part of a pattern for one character is cheap, even if the whole is hostile. */
class Classes {
  readonly #flags: string;
  readonly #known = new Map<string, SampledSet>();

  constructor(flags: string) {
    this.#flags = flags;
  }

  of(node: PatternNode & { readonly kind: "character" }): SampledSet {
    const characters = this.#known.get(node.source);
    if (characters !== undefined) return characters;
    const expression = new RegExp(`^${node.source}$`, this.#flags);
    const made = { edges: edgesOf(node.source), has: (text: string) => expression.test(text) };
    this.#known.set(node.source, made);
    return made;
  }
}

function membersOf(characters: SampledSet, hints: readonly string[]): readonly string[] {
  const edges = characters.edges
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code));

  const members = [...new Set([...PLAIN, ...edges, ...hints])].filter((character) =>
    characters.has(character),
  );
  return members.length > 0 ? members : scan(characters);
}

/** Returns the first character of a class without common characters. */
function scan(characters: SampledSet): readonly string[] {
  for (let code = 0; code < 0x3000; code++) {
    const character = String.fromCodePoint(code);
    if (characters.has(character)) return [character];
  }
  return [];
}

const CODE = /\\u\{([0-9a-fA-F]+)\}|\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))|\\([^])|([^])/gu;
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

function edgesOf(source: string): readonly number[] {
  const inside = source.startsWith("[") ? source.slice(1, -1) : source;
  const codes = [...inside.matchAll(CODE)].flatMap(
    ([, braced, four, two, escaped, plain]): readonly number[] => {
      const hex = braced ?? four ?? two;
      if (hex !== undefined) return [parseInt(hex, 16)];
      if (escaped !== undefined && /[a-zA-Z0-9]/.test(escaped)) {
        const control = Object.hasOwn(CONTROLS, escaped) ? CONTROLS[escaped] : undefined;
        return control === undefined ? [] : [control];
      }
      return [(escaped ?? plain)?.codePointAt(0) ?? 0];
    },
  );
  return codes.filter((code) => code <= 0x10ffff);
}

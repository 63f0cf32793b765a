import { flagsOf, parsePattern, partsOf, type PatternNode } from "../../schema/pattern/pattern-tree.js";

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
const KNOWN = new Map<string, readonly string[]>();
const MAX_KNOWN = 100;

/**
 * Returns texts that a regular expression probably matches. The first is the simplest; each other differs in one choice: a
 * character at the edge of a class, a branch, a number of repetitions. Supports positive lookaheads only roughly and other
 * assertions not at all, so a text may not match. Empty for an invalid pattern.
 */
export function samplePattern(pattern: string, hints: PatternHints): readonly string[] {
  const key = JSON.stringify([pattern, hints.characters, hints.counts]);
  const known = KNOWN.get(key) ?? makeSamples(pattern, hints);
  if (KNOWN.size >= MAX_KNOWN) KNOWN.clear();
  KNOWN.set(key, known);
  return known;
}

function makeSamples(pattern: string, hints: PatternHints): readonly string[] {
  const read = readTree(pattern);
  if (read === undefined) return [];
  const { root, classes } = read;
  const plain = write(root, classes, new Map());
  const samples = new Set<string>([plain]);
  // Put the text of a lookahead in front, followed by the whole plain text or by as much as fits its length.
  const front = lookaheadsIn(root)
    .map((body) => write(body, classes, new Map()))
    .join("");
  if (front !== "") samples.add(front + plain).add((front + plain).slice(0, plain.length));
  let written = 0;
  for (const choices of enumerateChoices(root, classes, new Map(), hints)) {
    if (samples.size >= MAX_SAMPLES || written >= MAX_CHARACTERS) break;
    const text = write(root, classes, choices);
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
    switch (node.kind) {
      case "character":
        for (const edge of read?.classes.of(node).edges ?? [])
          for (const code of [edge, edge - 1, edge + 1])
            if (code >= 0x20 && code < 0xd800) characters.add(String.fromCodePoint(code));
        return;
      case "start":
      case "condition":
      case "look":
        return;
      case "sequence":
      case "choice":
        partsOf(node).forEach(visit);
        return;
      case "repeat":
        for (const count of [node.min, node.max])
          if (Number.isFinite(count))
            for (const near of [count - 1, count, count + 1]) if (near >= 0) counts.add(near);
        visit(node.body);
        return;
      default:
        node satisfies never;
    }
  };
  if (read !== undefined) visit(read.root);
  return { characters: [...characters].slice(0, 60), counts: [...counts] };
}

/** The choices at nodes that differ from the default: a character, a branch or a number of repetitions. */
type Choices = ReadonlyMap<PatternNode, string | number>;

const PLAIN = Array.from("aA01-_ ./:@,é");

function write(node: PatternNode, classes: Classes, choices: Choices): string {
  const chosen = choices.get(node);
  switch (node.kind) {
    case "character":
      return typeof chosen === "string" ? chosen : classes.of(node).first;
    case "start":
    case "condition":
    case "look":
      return "";
    case "sequence":
      return node.parts.map((part) => write(part, classes, choices)).join("");
    case "choice": {
      const branch = node.options[typeof chosen === "number" ? chosen : 0];
      return branch === undefined ? "" : write(branch, classes, choices);
    }
    case "repeat": {
      const once = write(node.body, classes, choices);
      const count = typeof chosen === "number" ? chosen : node.min;
      return once.repeat(Math.min(count, Math.floor(MAX_LENGTH / Math.max(once.length, 1))));
    }
    default:
      return node satisfies never;
  }
}

function* enumerateChoices(
  node: PatternNode,
  classes: Classes,
  around: Choices,
  hints: PatternHints,
): Generator<Choices> {
  switch (node.kind) {
    case "character":
      for (const character of membersOf(classes.of(node), hints.characters).slice(0, 24))
        yield new Map([...around, [node, character]]);
      return;
    case "start":
    case "condition":
    case "look":
      return;
    case "sequence":
      for (const part of node.parts) yield* enumerateChoices(part, classes, around, hints);
      return;
    case "choice":
      for (const [index, option] of node.options.entries()) {
        const chosen = new Map([...around, [node, index]]);
        yield chosen;
        yield* enumerateChoices(option, classes, chosen, hints);
      }
      return;
    case "repeat": {
      const { body, min, max } = node;
      const counts = [min, min + 1, max, ...hints.counts].filter(
        (count) => count >= min && count <= max && count <= MAX_LENGTH,
      );
      for (const count of new Set(counts)) yield new Map([...around, [node, count]]);
      // A choice in the body needs at least one repetition.
      const once = new Map([...around, [node, Math.max(min, 1)]]);
      if (max > 0) yield* enumerateChoices(body, classes, once, hints);
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

interface CharacterSet {
  readonly edges: readonly number[];
  readonly has: (character: string) => boolean;
}

interface CharacterClass extends CharacterSet {
  /** Its simplest character; empty for a class without one. */
  readonly first: string;
}

/** The character classes of a pattern. Running the part of a pattern for one character is cheap, even if the whole is hostile. */
class Classes {
  readonly #flags: string;
  readonly #known = new Map<string, CharacterClass>();

  constructor(flags: string) {
    this.#flags = flags;
  }

  of(node: PatternNode & { readonly kind: "character" }): CharacterClass {
    const known = this.#known.get(node.source);
    if (known !== undefined) return known;
    const expression = new RegExp(`^${node.source}$`, this.#flags);
    const own = { edges: edgesOf(node.source), has: (text: string) => expression.test(text) };
    const made = { ...own, first: membersOf(own, [])[0] ?? "" };
    this.#known.set(node.source, made);
    return made;
  }
}

function membersOf(own: CharacterSet, hints: readonly string[]): readonly string[] {
  const edges = own.edges
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code));

  const members = [...new Set([...PLAIN, ...edges, ...hints])].filter((character) => own.has(character));
  return members.length > 0 ? members : scan(own);
}

/** Returns the first character of a class without common characters. */
function scan(own: CharacterSet): readonly string[] {
  for (let code = 0; code < 0x3000; code++) {
    const character = String.fromCodePoint(code);
    if (own.has(character)) return [character];
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

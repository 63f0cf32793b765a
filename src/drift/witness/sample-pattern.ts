import { parseAhead, parsePattern, type PatternNode } from "./parse-pattern.js";

/** What other schemas at the same place say of texts: characters and numbers of repetitions worth trying. */
export interface PatternHints {
  readonly characters: readonly string[];
  readonly counts: readonly number[];
}

/** How many texts are made from one pattern. */
const MAX_SAMPLES = 80;
/** Longer texts are not written: repetitions of repetitions would fill the memory. */
const MAX_LENGTH = 20_000;

/**
 * Texts that a regular expression is meant to match, the plainest first, each of the others different in one choice: a
 * character at the edge of a class, another branch, another number of repetitions. Of assertions only lookaheads are
 * honoured, and those roughly, so a text may not match after all. Empty for a pattern that cannot be read.
 */
export function samplePattern(pattern: string, hints: PatternHints): readonly string[] {
  const parsed = parseAhead(pattern);
  if (parsed === undefined) return [];
  const { root, ahead } = parsed;
  const plain = write(root, new Map());
  const samples = new Set<string>([plain]);
  // What must lie ahead is written in front, with all of the rest behind it or with as much as has room.
  const front = ahead.map((node) => write(node, new Map())).join("");
  if (front !== "") samples.add(front + plain).add((front + plain).slice(0, plain.length));
  for (const choices of enumerateChoices(root, new Map(), hints)) {
    if (samples.size >= MAX_SAMPLES) break;
    samples.add(write(root, choices));
  }
  return [...samples];
}

/** Characters at the edges of a pattern's classes, and just beyond them; and its counts, one more and one less. */
export function hintsOf(pattern: string): PatternHints {
  const characters = new Set<string>();
  const counts = new Set<number>();
  const visit = (node: PatternNode): void => {
    switch (node.kind) {
      case "class":
        for (const edge of node.edges)
          for (const code of [edge, edge - 1, edge + 1])
            if (code >= 0x20 && code < 0xd800) characters.add(String.fromCodePoint(code));
        return;
      case "sequence":
      case "choice":
        node.parts.forEach(visit);
        return;
      case "repeat":
        for (const count of [node.min, node.max])
          if (Number.isFinite(count))
            for (const near of [count - 1, count, count + 1]) if (near >= 0) counts.add(near);
        visit(node.part);
        return;
      default:
        node satisfies never;
    }
  };
  const root = parsePattern(pattern);
  if (root !== undefined) visit(root);
  return { characters: [...characters].slice(0, 60), counts: [...counts] };
}

/** What is chosen at a node otherwise than by default: a character, a branch, a number of repetitions. */
type Choices = ReadonlyMap<PatternNode, string | number>;

const PLAIN = Array.from("aA01-_ ./:@,é");

function write(node: PatternNode, choices: Choices): string {
  const chosen = choices.get(node);
  switch (node.kind) {
    case "class":
      return typeof chosen === "string" ? chosen : (membersOf(node, [])[0] ?? "");
    case "sequence":
      return node.parts.map((part) => write(part, choices)).join("");
    case "choice": {
      const branch = node.parts[typeof chosen === "number" ? chosen : 0];
      return branch === undefined ? "" : write(branch, choices);
    }
    case "repeat": {
      const once = write(node.part, choices);
      const count = typeof chosen === "number" ? chosen : node.min;
      return once.repeat(Math.min(count, Math.floor(MAX_LENGTH / Math.max(once.length, 1))));
    }
    default:
      return node satisfies never;
  }
}

function* enumerateChoices(node: PatternNode, around: Choices, hints: PatternHints): Generator<Choices> {
  switch (node.kind) {
    case "class":
      for (const character of membersOf(node, hints.characters).slice(0, 24))
        yield new Map([...around, [node, character]]);
      return;
    case "sequence":
      for (const part of node.parts) yield* enumerateChoices(part, around, hints);
      return;
    case "choice":
      for (const [index, part] of node.parts.entries()) {
        const chosen = new Map([...around, [node, index]]);
        yield chosen;
        yield* enumerateChoices(part, chosen, hints);
      }
      return;
    case "repeat": {
      const { min, max } = node;
      const counts = [min, min + 1, max, ...hints.counts].filter(
        (count) => count >= min && count <= max && count <= MAX_LENGTH,
      );
      for (const count of new Set(counts)) yield new Map([...around, [node, count]]);
      // What is inside shows only where it is written at least once.
      if (max > 0) yield* enumerateChoices(node.part, new Map([...around, [node, Math.max(min, 1)]]), hints);
      return;
    }
    default:
      node satisfies never;
  }
}

function membersOf(
  node: PatternNode & { readonly kind: "class" },
  hints: readonly string[],
): readonly string[] {
  const edges = node.edges
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code));
  // Of a class that is one character, that is the whole list.
  const members = [...new Set([...PLAIN, ...edges, ...hints])].filter((character) => node.has(character));
  return members.length > 0 ? members : scan(node);
}

/** The first character of a class that holds none of the common ones. */
function scan(node: PatternNode & { readonly kind: "class" }): readonly string[] {
  for (let code = 0; code < 0x3000; code++) {
    const character = String.fromCodePoint(code);
    if (node.has(character)) return [character];
  }
  return [];
}

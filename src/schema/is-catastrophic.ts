import { findComponents } from "./find-components.js";
import { Automaton, type PatternSteps } from "./pattern-automaton.js";
import { parsePattern } from "./pattern-tree.js";

/**
 * Whether the steps of a backtracking engine may grow exponentially with the length of a text: a repeated part of the
 * pattern can match the same text in two ways, such as `(a+)+` or `(a|\w)*` (Weideman et al. 2016, "exponential degree of
 * ambiguity"). A pattern that is too large to analyse counts as catastrophic.
 */
export function isCatastrophic(pattern: string, flags: "u" | "", steps: PatternSteps): boolean {
  // Only a repeated group can be ambiguous. Most patterns do not have one.
  if (!/\)(?:[*+]|\{\d)/u.test(pattern)) return false;
  if (pattern.length > MAX_LENGTH) return true;
  const tree = parsePattern(pattern, flags);
  if (tree === undefined) return true;
  const automaton = new Automaton(pattern, tree, flags, steps);
  return automaton.isTooLarge || isAmbiguous(automaton, steps);
}

const MAX_LENGTH = 2_000;

/** Whether two different paths lead from a place back to it with the same text. */
function isAmbiguous(automaton: Automaton, steps: PatternSteps): boolean {
  const { places, follow } = automaton;
  const components = findComponents(places, (place) => automaton.nextOf(place));
  const edges = new Map<number, readonly number[]>();
  for (const place of places) {
    const inside = [...(follow[place] ?? [])].filter(
      ([next]) => components.get(next) === components.get(place),
    );
    if (inside.some(([, ways]) => ways > 1)) return true;
    edges.set(place, inside.map(([next]) => next)); // prettier-ignore
  }
  return [...new Set(components.values())].some(
    (component) =>
    hasTwins(automaton, places.filter((place) => components.get(place) === component), edges, steps), // prettier-ignore
  );
}

/** Whether two walks in a component can diverge, match the same text, and meet again where they diverged. */
function hasTwins(
  automaton: Automaton,
  places: readonly number[],
  edges: ReadonlyMap<number, readonly number[]>,
  steps: PatternSteps,
): boolean {
  // A single cycle has only one path.
  if (places.every((place) => edges.get(place)?.length === 1)) return false;
  const size = automaton.size;
  const components = findComponents(places.map((place) => place * size + place), (pair) => {
    const targets = edges.get(pair % size) ?? [];
    const others = edges.get(Math.floor(pair / size)) ?? [];
    steps.count += targets.length * others.length;
    if (steps.areTooMany) return [];
    return others.flatMap((a) => targets.filter((b) => automaton.meet(a, b)).map((b) => a * size + b));
  }); // prettier-ignore
  const together = new Set(places.map((place) => components.get(place * size + place)));
  const isApart = (pair: number): boolean => pair % size !== Math.floor(pair / size);
  return steps.areTooMany || [...components].some(([pair, one]) => isApart(pair) && together.has(one));
}

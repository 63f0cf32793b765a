import { flagsOf } from "../../schema/pattern.js";

const MAX_TEXT = 200;
const MAX_PATTERN = 500;

/**
 * Whether a pattern matches a text; undefined if the match might take long or the pattern is invalid. Patterns and texts
 * come from servers, so only patterns that cannot backtrack much are run: they have few repetitions and repeat no group.
 */
export function matchPattern(pattern: string, text: string): boolean | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const known = TAME.get(pattern);
  const expression = known === undefined && !TAME.has(pattern) ? compileTame(pattern) : known;
  return expression?.test(text);
}

// The same pattern is matched with every name of a property.
const TAME = new Map<string, RegExp | undefined>();
const MAX_KNOWN = 10_000;

function compileTame(pattern: string): RegExp | undefined {
  const flags = pattern.length > MAX_PATTERN || !isTame(pattern) ? undefined : flagsOf(pattern);
  const expression = flags === undefined ? undefined : new RegExp(pattern, flags);
  if (TAME.size >= MAX_KNOWN) TAME.clear();
  TAME.set(pattern, expression);
  return expression;
}

/** Whether a pattern matches every text. */
export function matchesAll(pattern: string): boolean {
  return ["", "^", "$", ".*", "^.*", ".*$"].includes(pattern);
}

function isTame(pattern: string): boolean {
  // Escapes and classes contain no repetition.
  const bare = pattern.replaceAll(/\\./gs, "x").replaceAll(/\[[^\]]*\]/g, "x");
  const repetitions = bare.match(/[*+{]/g)?.length ?? 0;
  const choices = bare.match(/\|/g)?.length ?? 0;
  const hasBackreference = /\\[1-9k]/.test(pattern);
  return (
    repetitions <= 2 && choices <= 20 && !hasBackreference && !/\)[*+{]/.test(bare) && !/\(\?[=!<]/.test(bare)
  );
}

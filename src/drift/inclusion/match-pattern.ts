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

/** A pattern that is split into limits of length and patterns without the lookahead. */
interface SplitPattern {
  /** In code points, as `minLength` and `maxLength`. */
  readonly minLength: number;
  readonly maxLength: number | undefined;
  readonly patterns: readonly string[];
}

const LENGTH_LOOKAHEAD = /^\^\(\?=\.\{(\d+)(,?)(\d*)\}\$\)/;

/**
 * Splits a pattern of the form `^(?=.{m,n}$)rest`. A text matches it exactly if the text has the length, has no line break
 * and matches `^rest`. Returns undefined for any other pattern.
 */
export function splitLengthLookahead(pattern: string): SplitPattern | undefined {
  const [head, least, comma, most] = LENGTH_LOOKAHEAD.exec(pattern) ?? [];
  // Without the flag `u`, the lookahead counts code units.
  if (head === undefined || flagsOf(pattern) !== "u") return undefined;
  // In `^(?=.{m,n}$)a|b`, the lookahead belongs to the first alternative only.
  if (hasOuterChoice(pattern)) return undefined;
  const minLength = Number(least);
  const maxLength = comma === "" ? minLength : most === "" ? undefined : Number(most);
  return { minLength, maxLength, patterns: ["^.*$", `^${pattern.slice(head.length)}`] };
}

/** Whether a pattern has alternatives outside groups. Does not recurse, because a hostile pattern may have any depth. */
function hasOuterChoice(pattern: string): boolean {
  let depth = 0;
  for (const character of withoutLiterals(pattern)) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (character === "|" && depth === 0) return true;
  }
  return false;
}

/** Replaces escapes and classes, which contain no operators. */
function withoutLiterals(pattern: string): string {
  return pattern.replaceAll(/\\./gs, "x").replaceAll(/\[[^\]]*\]/g, "x");
}

function isTame(pattern: string): boolean {
  const bare = withoutLiterals(pattern);
  const repetitions = bare.match(/[*+{]/g)?.length ?? 0;
  const choices = bare.match(/\|/g)?.length ?? 0;
  const hasBackreference = /\\[1-9k]/.test(pattern);
  return (
    repetitions <= 2 && choices <= 20 && !hasBackreference && !/\)[*+{]/.test(bare) && !/\(\?[=!<]/.test(bare)
  );
}

import { BoundedCache } from "../../core/collections.js";
import { createMatcher, flagsOf } from "./pattern-tree.js";
import { readPattern } from "./pattern.js";
import { OutOfStepsError, Steps } from "../../core/steps.js";

/** The steps of JavaScript's engine for one text: a few milliseconds, since an object may have thousands of names. */
const MAX_NATIVE_STEPS = 1_000_000;
/** The steps of our own matcher for one text; names and samples take some hundreds. */
const MAX_COUNTED_STEPS = 20_000;

/** Whether a text matches a pattern; undefined if the match takes too many steps or the pattern is invalid. */
type MatchText = (text: string) => boolean | undefined;

// A comparison matches the same patterns with many names, and compiling a pattern costs more than running it.
const COMPILED = new BoundedCache<MatchText>(10_000);

/**
 * Whether a pattern of a server matches a text; undefined if the match takes too many steps or the pattern is invalid.
 * JavaScript's engine runs a pattern only on short texts, and only if it cannot take exponential time. Our own matcher
 * counts its steps, so a hostile pattern ends at the same place on every machine.
 */
export function matchPattern(pattern: string, text: string): boolean | undefined {
  return COMPILED.get(pattern, compileMatch)(text);
}

function compileMatch(pattern: string): MatchText {
  const reading = readPattern(pattern);
  const native =
    "flags" in reading ? { ...reading, expression: new RegExp(pattern, reading.flags) } : undefined;
  let counted: ReturnType<typeof createMatcher> | undefined;
  return (text) => {
    if (native !== undefined && text.length ** native.degree <= MAX_NATIVE_STEPS)
      return native.expression.test(text);
    counted ??= createMatcher(pattern);
    if (counted === undefined) return undefined;
    try {
      return counted(text, new Steps(MAX_COUNTED_STEPS).spend);
    } catch (error) {
      if (error instanceof OutOfStepsError) return undefined;
      throw error;
    }
  };
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

const LENGTH_LOOKAHEAD = /^\^\(\?=\.\{(\d+)(?:(,)(\d*))?\}\$\)/;

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
  const maxLength = comma === undefined ? minLength : most === "" ? undefined : Number(most);
  return { minLength, maxLength, patterns: ["^.*$", `^${pattern.slice(head.length)}`] };
}

/** Patterns that a text matches, and patterns that it does not match. */
interface PatternConditions {
  readonly required: readonly string[];
  readonly excluded: readonly string[];
}

/**
 * Returns the conditions of a pattern that starts with lookaheads, such as `^(?=.*\d)(?!.*--)rest`: a text matches it exactly
 * if it matches the required patterns and none of the excluded ones. Any other pattern is its own condition.
 */
export function splitLookaheads(pattern: string): PatternConditions {
  if (!/^\^\(\?[=!]/.test(pattern) || hasOuterChoice(pattern)) return { required: [pattern], excluded: [] };
  const required: string[] = [];
  const excluded: string[] = [];
  let rest = pattern.slice(1);
  while (/^\(\?[=!]/.test(rest)) {
    const end = endOfGroup(rest);
    // A quantifier after a lookahead makes it optional.
    if (end === undefined || /^[*+?{]/.test(rest.slice(end))) break;
    (rest[2] === "=" ? required : excluded).push(`^(?:${rest.slice(3, end - 1)})`);
    rest = rest.slice(end);
  }
  return { required: [...required, `^${rest}`], excluded };
}

/** The index after the group that a pattern starts with. */
function endOfGroup(pattern: string): number | undefined {
  let depth = 0;
  let isInClass = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === "\\") at += 1;
    else if (isInClass) isInClass = character !== "]";
    else if (character === "[") isInClass = true;
    else if (character === "(") depth += 1;
    else if (character === ")" && --depth === 0) return at + 1;
  }
  return undefined;
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
  return pattern.replaceAll(/\\./gs, "x").replaceAll(/\[[^\]]*(?:\]|$)/g, "x");
}

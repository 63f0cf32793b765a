import type { Span } from "../../../contract/change.js";
import { ADDRESS_PATTERNS, findTheft, THEFT_PATTERNS } from "./theft.js";
import { APPROVAL_PATTERNS, COMMAND_PATTERNS } from "./commands.js";
import { findCombinations } from "./combinations.js";
import { DECEIT_PATTERNS, SECRECY_PATTERNS } from "./secrecy.js";
import { DECODE_PATTERNS, findObfuscated } from "./disguised.js";
import { OTHER_TOOL_PATTERNS } from "./other-tools.js";
import { OVERRIDE_PATTERNS, SPEAKER_PATTERNS } from "./override.js";
import {
  HYPHENATED,
  NAME,
  pattern,
  type InjectionContext,
  type InjectionPattern,
  type InjectionRule,
} from "./pattern.js";

export type { InjectionContext, InjectionRule } from "./pattern.js";

const PATTERNS: readonly InjectionPattern[] = [
  ...OVERRIDE_PATTERNS,
  ...SECRECY_PATTERNS,
  ...APPROVAL_PATTERNS,
  ...SPEAKER_PATTERNS,
  ...COMMAND_PATTERNS,
  ...DECEIT_PATTERNS,
  ...DECODE_PATTERNS,
  ...ADDRESS_PATTERNS,
  ...THEFT_PATTERNS,
  ...OTHER_TOOL_PATTERNS,
];

/** Most texts have no anchor, so one pass is enough for them. */
const ANY_ANCHOR = pattern`${PATTERNS.map(({ anchor }) => anchor.source).join("|")}`;
/** The greatest distance of a match from its anchor. */
const REACH = 420;

const IDENTIFIER = /[A-Za-z][\w.-]{3,62}\w/g;

/**
 * Finds wording of published attacks in a folded text, by rule. A heuristic: a harmless text may match, and an attack
 * may not.
 */
export function findPromptInjection(
  text: string,
  context: InjectionContext,
): ReadonlyMap<InjectionRule, readonly Span[]> {
  const { isOwn, others, isOfParameter } = context;
  const found = new Map<InjectionRule, Span[]>();
  // Appends in place: copying would take quadratic time on a text with many matches.
  const add = (rule: InjectionRule, spans: readonly Span[]): void => {
    if (spans.length === 0) return;
    const known = found.get(rule) ?? [];
    for (const span of spans) known.push(span);
    found.set(rule, known);
  };
  add("poison-exfiltration", findTheft(text, isOfParameter));
  add("poison-instruction", findObfuscated(text));
  if (others.size > 0)
    add(
      "poison-cross-tool-reference",
      findNames(text, (name) => others.has(name) && !isOwn(name)),
    );
  for (const [rule, span] of findCombinations(text, context)) add(rule, [span]);
  if (text.search(ANY_ANCHOR) === -1) return found;
  for (const { rule, anchor, find } of PATTERNS) {
    for (const [from, to] of partsNear(anchor, text)) add(rule, find(text.slice(from, to), from, context));
  }
  return found;
}

/** Returns the parts of a text near an anchor. Joins parts that touch. */
function partsNear(anchor: RegExp, text: string): readonly Span[] {
  const parts: [number, number][] = [];
  for (const { index } of text.matchAll(anchor)) {
    const [from, to] = [Math.max(0, index - REACH), index + REACH];
    const last = parts.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = to;
    else parts.push([from, to]);
  }
  return parts;
}

/** Finds names that are not plain words, since `search` may be a tool or just a word. */
function findNames(text: string, isMatch: (name: string) => boolean): readonly Span[] {
  return [...text.matchAll(IDENTIFIER)].flatMap(({ 0: name, index }): readonly Span[] =>
    (NAME.test(name) || HYPHENATED.test(name)) && isMatch(name) ? [[index, index + name.length]] : [],
  );
}

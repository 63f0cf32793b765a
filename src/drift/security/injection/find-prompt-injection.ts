import type { Span } from "../../../core/change.js";
import { foldText } from "../texts.js";
import { ADDRESS_PATTERNS, findTheft, THEFT_PATTERNS } from "./theft.js";
import {
  APPROVAL_PATTERNS,
  COMMAND_PATTERNS,
  DECEIT_PATTERNS,
  OTHER_TOOL_PATTERNS,
  SECRECY_PATTERNS,
} from "./commands.js";
import { matchesOf } from "../../../core/matches-of.js";
import { findCombinations } from "./combinations.js";
import { OVERRIDE_PATTERNS, SPEAKER_PATTERNS } from "./override.js";
import {
  anyOf,
  HYPHENATED,
  type InjectionContext,
  type InjectionPattern,
  type InjectionRule,
  NAME,
  pattern,
} from "./pattern.js";

export type { InjectionContext, InjectionRule } from "./pattern.js";

/** Instructions to decode something and to follow it. */
const DECODE_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-instruction",
    anchor: pattern`decod|rot-?13|decrypt|unscramble|reverse the`,
    find: anyOf(
      pattern`\b(?:decod|decrypt|unscrambl|revers|apply(?:ing)? rot-?13|rot-?13)(?:e|es|ing)?\b[^.!?]{0,80}\band (?:then )?(?:do|follow|execute|obey|run|act|comply)\b`,
    ),
  },
];

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
  const { isOwn, isForeign, isOfParameter } = context;
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
  add(
    "poison-cross-tool-reference",
    findNames(text, (name) => isForeign(name) && !isOwn(name)),
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
  for (const { index } of matchesOf(text, anchor)) {
    const [from, to] = [Math.max(0, index - REACH), index + REACH];
    const last = parts.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = to;
    else parts.push([from, to]);
  }
  return parts;
}

/** Whether a text has such a name, once it is folded. */
export function hasName(text: string, isMatch: (name: string) => boolean): boolean {
  return (foldText(text).match(IDENTIFIER) ?? []).some(isMatch);
}

/** Finds names that are not plain words, since `search` may be a tool or just a word. */
function findNames(text: string, isMatch: (name: string) => boolean): readonly Span[] {
  // Most texts have plain words alone.
  if (!NAME.test(text) && !HYPHENATED.test(text)) return [];
  return matchesOf(text, IDENTIFIER).flatMap(({ 0: name, index }): readonly Span[] =>
    (NAME.test(name) || HYPHENATED.test(name)) && isMatch(name) ? [[index, index + name.length]] : [],
  );
}

const LEET: ReadonlyMap<string, string> = new Map(
  ["0o", "1i", "3e", "4a", "5s", "7t", "@a", "$s", "!i", "|l"].map((pair) => [
    pair.charAt(0),
    pair.charAt(1),
  ]),
);
const LEET_SIGNS = /[01345 7@$!|]/;

const SQUEEZED =
  /(?:ignore|disregard|forget|override)(?:all|any|every)?(?:of)?(?:the|your|my)?(?:previous|prior|above|earlier|preceding)(?:instructions?|prompts?|rules|directives|guidelines)|(?:donot|dont|never)(?:tell|inform)(?:the|your)user|readthe(?:env|sshkey)file/g;
/** An instruction in plain words, which other patterns find. */
const PLAIN = /\b(?:ignore|disregard|forget|override|do not|don['’]?t|dont|never|read the) \w/i;
/** A word with a sign or digit in it, or a run of single letters. */
const BROKEN = /[a-z][-.·*_~|][a-z]|[a-z][013457@$!|][a-z]|\b[013457][a-z]{2}|(?:\b[a-z] ){5}/i;

/** Finds instructions with disguised words: `i g n o r e`, `ig-nore`, `1gn0re`. */
function findObfuscated(text: string): readonly Span[] {
  if (!BROKEN.test(text)) return [];
  const letters: string[] = [];
  const places: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at).toLowerCase();
    const letter = LEET_SIGNS.test(sign) ? (LEET.get(sign) ?? "") : sign;
    if (!/[a-z]/.test(letter)) continue;
    letters.push(letter);
    places.push(at);
  }
  return matchesOf(letters.join(""), SQUEEZED).flatMap((match): readonly Span[] => {
    const from = places[match.index] ?? 0;
    const to = (places[match.index + match[0].length - 1] ?? from) + 1;
    const found = text.slice(from, to);
    return BROKEN.test(found) && !PLAIN.test(found) ? [[from, to]] : [];
  });
}

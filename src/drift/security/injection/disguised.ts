import type { Span } from "../../../contract/change.js";
import { anyOf, type InjectionPattern, pattern } from "./pattern.js";

/** Instructions to decode something and to follow it. */
export const DECODE_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-instruction",
    anchor: pattern`decod|rot-?13|decrypt|unscramble|reverse the`,
    find: anyOf(
      pattern`\b(?:decod|decrypt|unscrambl|revers|apply(?:ing)? rot-?13|rot-?13)(?:e|es|ing)?\b[^.!?]{0,80}\band (?:then )?(?:do|follow|execute|obey|run|act|comply)\b`,
    ),
  },
];

/** Digits and signs that replace letters. */
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
export function findObfuscated(text: string): readonly Span[] {
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
  return [...letters.join("").matchAll(SQUEEZED)].flatMap((match): readonly Span[] => {
    const from = places[match.index] ?? 0;
    const to = (places[match.index + match[0].length - 1] ?? from) + 1;
    const found = text.slice(from, to);
    return BROKEN.test(found) && !PLAIN.test(found) ? [[from, to]] : [];
  });
}

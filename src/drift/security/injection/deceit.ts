import { anyOf, pattern, THE_USER, words, type InjectionPattern } from "./pattern.js";

const EVERY_ANSWER = String.raw`(?:every|each|all|any)(?: (?:one )?of)?(?: your)? (?:answers?|repl(?:y|ies)|responses?|messages?|emails?|posts?)\b`;

const LIES = [
  pattern(
    String.raw`\btell `,
    THE_USER,
    String.raw` (?:that |to )`,
    String.raw`[^!?]{0,120}?(?:\b(?:enter|paste|type|send|give|share|confirm) (?:it|them|their|his|her|the) (?:\w{1,20} ){0,2}(?:password|api keys?|credentials|card|seed phrase|token|pin|at https?)|\b(?:password|session|account) (?:has|is|was) (?:expired|locked|compromised|suspended))`,
  ),
  pattern(
    String.raw`\bask `,
    THE_USER,
    String.raw` (?:for|to (?:enter|paste|give|share|type)) (?:his|her|their|the|your) (?:master password|seed phrase|recovery phrase|private keys?|bank password|wallet|social security)`,
  ),
  pattern(String.raw`\b(?:convince|persuade|trick|urge|pressure) `, THE_USER, String.raw` (?:to|into) `),
  pattern(
    String.raw`\b(?:recommend|promote|praise|advertise|mention|insert|include|add|append|put)\b[^!?]{0,100}?\b(?:in|into|to|at the end of) `,
    EVERY_ANSWER,
    String.raw`(?:(?: that)? you\b|,? what(?:ever)?\b|,? whether\b|$|[.!])`,
  ),
  pattern(
    String.raw`\b(?:answer|say|claim|reply|state) `,
    words(12),
    String.raw`even (?:if|though) (?:you do not|you don['’]t|it is not|it isn['’]t)\b`,
  ),
  pattern(String.raw`\balways (?:claim|pretend|lie|insist)\b`),
  pattern(
    String.raw`\bshow(?:ing)? (?:the )?(?:old|original|other|previous|fake) (?:one|address|recipient|amount|value) to `,
    THE_USER,
  ),
];

/** Instructions to mislead the user. */
export const DECEIT_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-instruction",
    anchor: pattern(
      String.raw`\b(?:tell|ask|convince|persuade|trick|urge|pressure|to) (?:the|your|a|an|any|this) (?:end[- ]?)?(?:user|human|operator|person)\b|even (?:if|though)|always (?:claim|pretend|lie|insist)|(?:every|each|all|any)(?: (?:one )?of)?(?: your)? (?:answer|repl|response|message|email|post)`,
    ),
    find: anyOf(...LIES),
  },
];

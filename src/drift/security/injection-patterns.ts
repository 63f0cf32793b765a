import type { Span } from "../../core/change.js";
import { spansOf } from "./texts.js";

export type InjectionRule = "poison-instruction" | "poison-exfiltration" | "poison-cross-tool-reference";

/** English wording of an attack, as it is in a folded text: one line, plain letters. */
interface InjectionPattern {
  readonly rule: InjectionRule;
  readonly catches: string;
  /** The published attack that has this wording. */
  readonly published: string;
  readonly source: string;
}

/** Files with secrets, except for public keys. */
const SECRET_FILE = String.raw`(?:(?:~|\$HOME|/root|/home/[\w.-]{1,40})/\.(?:ssh|aws|gnupg|npmrc|netrc|git-credentials|cursor|kube|docker)\b|\bid_(?:rsa|ed25519|ecdsa)\b|/etc/(?:passwd|shadow)\b|\bmcp\.json\b)(?![\w./-]{0,40}\.pub\b)`;
const ADDRESS = String.raw`(?:[\w.+-]{1,60}@[\w-]{1,60}\.\w|\+\d{7})`;
const HAND_OVER = "(?:pass|send|include|put|append|attach|add|provide|supply|upload|post|paste)";
/** A name that is not a word, in a group. It counts only if it is not a name of the same server. */
const TOOL = String.raw`(?:\([\w.-]{1,40}\) )?["'\x60]?([A-Za-z][A-Za-z\d]{0,40}(?:_[A-Za-z\d]{1,40}){1,5})["'\x60]?`;

/**
 * A pattern belongs here only if it is the wording of a published attack and flags at most one of the 2,814 tools of
 * public servers that a test reads. The wording of an attacker who knows the table is free, so the review of each text in
 * the lock's diff is the protection, not this table.
 */
export const INJECTION_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-instruction",
    catches: "an order to ignore other instructions",
    published: "Perez and Ribeiro, Ignore Previous Prompt, 2022",
    source: String.raw`(?<!["“'‘\x60«])\b(?:ignore|disregard|forget) (?:(?:all|any|every|of|the|your|my) ){0,3}(?:previous|prior|above|earlier|preceding) (?:[a-z]{1,20} ){0,2}(?:instructions?|prompts?|rules|directives|guidelines)\b`,
  },
  {
    rule: "poison-instruction",
    catches: "an order to hide something from the user",
    published: "Invariant Labs, Tool Poisoning Attacks, 2025",
    source: String.raw`\b(?:do not|don['’]?t|never) (?:ever |explicitly ){0,2}(?:(?:tell|inform) the user\b(?! (?:to|which|what|how)\b)|notify the user about this\b|(?:mention|reveal|disclose) (?:that you\b|(?:this|that|it) to the user\b))`,
  },
  {
    rule: "poison-exfiltration",
    catches: "an order to read a file with secrets and to pass it on",
    published: "Invariant Labs, Tool Poisoning Attacks, 2025",
    source: String.raw`\b(?:read|open|cat|load|access) [^!?]{0,80}?${SECRET_FILE}[^!?]{0,100}?\b${HAND_OVER}\b`,
  },
  {
    rule: "poison-exfiltration",
    catches: "a request for the contents of a file with secrets",
    published: "CyberArk, Poison Everywhere, 2025",
    source: String.raw`\b${HAND_OVER} [^.!?]{0,40}\bcontents? of [^!?]{0,40}?${SECRET_FILE}`,
  },
  {
    rule: "poison-exfiltration",
    catches: "another recipient for messages",
    published: "Invariant Labs, WhatsApp MCP Exploited, 2025",
    source: String.raw`\b(?:(?:send|forward|copy) (?:all|every|each) (?:e-?mails?|messages?)|change the recipient) to ${ADDRESS}`,
  },
  {
    rule: "poison-cross-tool-reference",
    catches: "orders to another server's tool",
    published: "Invariant Labs, Tool Poisoning Attacks, 2025",
    source: String.raw`\b(?:(?:when|whenever|if|before|after|each time) (?:the )?${TOOL}(?: tool)? is (?:called|invoked|used)\b|the ${TOOL} tool must (?:send|forward|add|include|copy|use)\b)`,
  },
];

const COMPILED = INJECTION_PATTERNS.map(({ rule, source }) => ({ rule, pattern: new RegExp(source, "gi") }));
/** Most texts have no match, so one search is enough for them. */
const ANY = new RegExp(INJECTION_PATTERNS.map(({ source }) => source).join("|"), "i");

/** Finds wording of published attacks in a folded text. `isOwn` decides whether a name is of the same server. */
export function findInjections(
  text: string,
  isOwn: (name: string) => boolean,
): ReadonlyMap<InjectionRule, readonly Span[]> {
  const spansByRule = new Map<InjectionRule, readonly Span[]>();
  if (!ANY.test(text)) return spansByRule;
  for (const { rule, pattern } of COMPILED) {
    const spans = spansOf(text, pattern, ([, ...names]) => !names.some(isOwn));
    if (spans.length > 0) spansByRule.set(rule, [...(spansByRule.get(rule) ?? []), ...spans]);
  }
  return spansByRule;
}

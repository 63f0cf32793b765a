import type { Span } from "../../../contract/change.js";
import type { RuleName } from "../../rules.js";

export type InjectionRule = Extract<
  RuleName,
  "poison-instruction" | "poison-exfiltration" | "poison-cross-tool-reference"
>;

/** What the words of a text are judged by besides the text. */
export interface InjectionContext {
  /** Whether the definition's own server gives a name its meaning: that of a tool, or of a parameter. */
  readonly isOwn: (name: string) => boolean;
  /** The names of the tools of other servers. */
  readonly others: ReadonlySet<string>;
  /** Whether the text describes a parameter: what it asks for, the server gets. */
  readonly isOfParameter: boolean;
}

/** Wording that attacks have in common. Texts are folded: one line, plain letters. */
export interface InjectionPattern {
  readonly rule: InjectionRule;
  /** Part of every match and cheap to look for: the rest runs only near one. */
  readonly anchor: RegExp;
  /** The matches in a part of a text, which starts at `offset` of the whole. */
  readonly find: (part: string, offset: number, context: InjectionContext) => readonly Span[];
}

/** A regular expression from its parts, blind to case, for `matchAll`. */
export const pattern = (...parts: readonly string[]): RegExp => new RegExp(parts.join(""), "gi");

/** Up to so many words of one sentence. Both are bounded, so that no text takes more than one pass. */
export const words = (most: number): string => String.raw`(?:[^\s.!?]{1,30} ){0,${most}}?`;

/** Matches any of these. */
export const anyOf =
  (...patterns: readonly RegExp[]): InjectionPattern["find"] =>
  (part, offset) =>
    spansOf(part, patterns, offset);

/** Where the patterns match, moved by `offset`. */
export function spansOf(text: string, patterns: readonly RegExp[], offset: number): readonly Span[] {
  return patterns.flatMap((each) =>
    [...text.matchAll(each)].map((match): Span => {
      const from = offset + match.index;
      return [from, from + match[0].length];
    }),
  );
}

export const NEVER = String.raw`\b(?:do not|don['’]?t|dont|never|must ?n[o']t|should ?n[o']t|may not|need not|shall not|cannot|without|avoid|refrain from) (?:ever |even |explicitly |also |directly )?`;

/** The person whom the model works for. In the plural the word often means the users of a product, who are no concern. */
export const THE_USER = String.raw`(?:the |your |this |an? |any )(?:end[- ]?)?(?:user|human|operator|person)\b(?! (?:ids?|names?|agents?|accounts?|groups?|roles?|interface|inputs?|profiles?|settings?|data|tables?|types?|stor(?:y|ies))\b)`;

/** Where a message, or money, can be sent. */
export const ADDRESS = String.raw`(?:https?://[^\s"'<>]{4,200}|[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,30}){1,4}|\+\d{7,15}|\b[A-Z]{2}\d{2}(?: ?[\dA-Z]{4}){3,7}\b)`;

/** A name that is not a word: `send_email`, `sendEmail`. */
export const NAME = /[A-Za-z\d]_[A-Za-z\d]|[a-z][A-Z]/;
/** `send-email` may be a name, and `auto-scaling` is a word: a name needs more evidence. */
export const HYPHENATED = /[a-z\d][.-][a-z\d]/i;

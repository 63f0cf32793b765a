import type { Span } from "../../../core/change.js";
import type { RuleName } from "../../rules.js";
import { matchesOf } from "../texts.js";

export type InjectionRule = Extract<
  RuleName,
  "poison-instruction" | "poison-exfiltration" | "poison-cross-tool-reference" | "conversation-parameter"
>;

/** The context of a text. */
export interface InjectionContext {
  /** Whether a name is a tool or parameter of the same server. */
  readonly isOwn: (name: string) => boolean;
  /** Whether a name is a tool of another server. */
  readonly isForeign: (name: string) => boolean;
  /** Whether the text describes a parameter: the server receives what the text asks for. */
  readonly isOfParameter: boolean;
}

/** Wording that attacks have in common, in folded text: one line, plain letters. */
export interface InjectionPattern {
  readonly rule: InjectionRule;
  /** Part of every match, and cheap to search: `find` runs only near an anchor. */
  readonly anchor: RegExp;
  /** Returns the matches in a part of the text that starts at `offset`. */
  readonly find: (part: string, offset: number, context: InjectionContext) => readonly Span[];
}

/** Returns the case-insensitive regular expression that a raw template holds, for `matchesOf`. */
export const pattern = (text: TemplateStringsArray, ...parts: readonly string[]): RegExp =>
  new RegExp(String.raw(text, ...parts), "gi");

/** Matches up to `most` words of one sentence. Words are bounded too, so matching takes linear time. */
export const words = (most: number): string => String.raw`(?:[^\s.!?]{1,30} ){0,${most}}?`;

/** Matches any of these. */
export const anyOf =
  (...patterns: readonly RegExp[]): InjectionPattern["find"] =>
  (part, offset) =>
    spansOf(part, patterns, offset);

/** Returns the matches of the patterns, shifted by `offset`. */
export function spansOf(text: string, patterns: readonly RegExp[], offset: number): readonly Span[] {
  return patterns.flatMap((each) =>
    matchesOf(text, each).map((match): Span => {
      const from = offset + match.index;
      return [from, from + match[0].length];
    }),
  );
}

export const NEVER = String.raw`\b(?:do not|don['’]?t|dont|never|must ?n[o']t|should ?n[o']t|may not|need not|shall not|cannot|without|avoid|refrain from) (?:ever |even |explicitly |also |directly )?`;

/** The model's user. Not the plural, which often means the users of a product. */
export const THE_USER = String.raw`(?:the |your |this |an? |any )(?:end[- ]?)?(?:user|human|operator|person)\b(?! (?:ids?|names?|agents?|accounts?|groups?|roles?|interface|inputs?|profiles?|settings?|data|tables?|types?|stor(?:y|ies))\b)`;

/** An address for a message or a payment. */
export const ADDRESS = String.raw`(?:https?://[^\s"'<>]{4,200}|[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,30}){1,4}|\+\d{7,15}|\b[A-Z]{2}\d{2}(?: ?[\dA-Z]{4}){3,7}\b)`;

/** A name that is not a word: `send_email`, `sendEmail`. */
export const NAME = /[A-Za-z\d]_[A-Za-z\d]|[a-z][A-Z]/;
/** `send-email` may be a name, but `auto-scaling` is a word, so more evidence is needed. */
export const HYPHENATED = /[a-z\d][.-][a-z\d]/i;

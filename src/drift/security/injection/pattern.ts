import type { Span } from "../../../core/change.js";
import type { RuleName } from "../../rules.js";
import { spansOf } from "../texts.js";

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
    patterns.flatMap((each) => spansOf(part, each).map((span) => shift(span, offset)));

function shift([from, to]: Span, offset: number): Span {
  return [from + offset, to + offset];
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

const OLDER = String.raw`(?:previous|prior|above|earlier|preceding|former|initial|original|existing|other|your|system|safety|developer['’]?s?|all)`;
const RULES = String.raw`(?:instructions?|prompts?|rules?|guidelines?|guidance|directives?|polic(?:y|ies)|safeguards?|guardrails?|commands?|restrictions?|constraints|system messages?)\b`;
const VOID = String.raw`(?:suspended|void|lifted|revoked|obsolete|cancel(?:l)?ed|invalid|disabled|irrelevant|(?:only |just )?(?:a test|an example)|no longer (?:appl(?:y|ies)|valid|binding|relevant|in force|count)|not (?:apply|binding|count))\b`;

/** Words of texts about injections, such as a scanner's, which quote them. */
const ABOUT = /\b(?:detect|scan|classif|recogni[sz]|attempt|injection|jailbreak|such as|e\.g\.)/i;
const QUOTES = /["“'‘`«„「『]\s?$/;

/** Instructions to ignore other instructions. */
const OVERRIDES = [
  // "Ignore all previous instructions", "disregard your safety guidelines".
  pattern`\b(?:(?:ignor|disregard|forget|overrid|bypass|discard|suspend|abandon|drop)(?:e|es|ing|s)?|set aside|put aside|pay no attention to|take no notice of) ${words(4)}${OLDER} ${words(3)}${RULES}`,
  pattern`\b(?:ignore|disregard|forget) (?:everything|anything|all of what|what(?:ever)?) (?:above|before|prior|previous|earlier|you|was|i|has|the (?:system|developer))\b`,
  pattern`\b(?:ignor|disregard|forget|set aside|pay no attention to|take no notice of)(?:e|es|ing|s)? ${words(2)}(?:instructions?|rules|guidelines|orders|directives) (?:that |which )?you (?:received|were given|got|have been given|had)\b`,
  pattern`\b(?:ignore|disregard|overrule|forget) (?:what|whatever|everything|anything) (?:that )?the user (?:asked|asks|said|says|wants|wanted|requested)`,
  pattern`\b(?:(?:no longer|do not|don['’]?t) (?:have to|need to)|need not|no longer|must no longer) (?:follow|obey|respect|heed|observe) (?:any |the |your )?${words(2)}${RULES}`,
  // "Stop following the user's request", "do not follow the system message".
  pattern`\b(?:stop|quit|cease|no longer|do not|don['’]?t|never) (?:following|follow|obeying|obey|heeding|heed) (?:the |your )(?:user|system|developer|operator)`,
  pattern`\bbypass(?:es|ing)? (?:the |any |all |every )?(?:content|safety|moderation) filters?\b`,
];

/** The same in the passive: "previous instructions are void". */
const ANNULLED = [
  pattern`\b${OLDER} ${words(2)}${RULES} ${words(7)}(?:(?:do|does)(?:n['’]?t| not) apply\b|(?:is|are|was|were|can|may|has been|have been) (?:all |now |hereby |safely |be ){0,3}(?:set aside|ignored|disregarded|${VOID}))`,
  pattern`\b(?:rules|instructions|guidelines|directives) (?:that )?you (?:were|have been|are) (?:given|told) ${words(8)}${VOID}`,
  pattern`\b${OLDER} ${words(2)}(?:instructions?|directives|rules|guidelines|guidance|prompts?|restrictions) no longer (?:appl|hold|count|bind|matter)`,
  pattern`\bwhat(?:ever)? you (?:were|have been) (?:told|taught|instructed|given)(?: to do)? (?:so far|until now|before|earlier|previously|at the (?:start|beginning)|initially)`,
  pattern`\b(?:anything|everything|whatever|what) the (?:developers?|system prompt|operator|vendor) (?:has |have )?(?:told|forbade|forbids|forbidden|asked|instructed)`,
  pattern`\b(?:not|no longer|un) ?(?:bound|limited|constrained|restricted) by (?:the |your |any |other )?(?:${words(2)})${RULES}`,
];

/** Texts that claim priority over the user. */
const RANKS = [
  pattern`\b(?:takes?|taking|has|have|having|gets?) (?:absolute |full |complete )?(?:precedence|priority) over (?:everything|anything|the user|the system|your|all (?:other|previous|earlier)|any (?:other|previous|earlier)|whatever)`,
  pattern`\b(?:this|the) (?:text|description|message|paragraph|note) (?:as|has|have|is|takes) (?:of )?(?:the )?(?:highest|absolute|top|full|ultimate)? ?(?:authority|priority|precedence)\b`,
  pattern`\b(?:wishes|requests?|orders?|needs|instructions) of the user (?:as )?(?:is |are )?(?:secondary|subordinate|less important|irrelevant)`,
  pattern`\bas (?:if|though) (?:it|they|this) (?:came|come|were|was) (?:directly )?from the (?:user|system|developer|operator)\b`,
];

/** Texts that assign another role or other instructions. */
const ROLES = [
  pattern`\b(?:your )?new (?:system )?(?:instructions?|directives?|persona|objective) (?:are|is|follow|below)\b`,
  pattern`\byou are now (?:an? |the |in |my )?(?:\w{1,20} ){0,3}?(?:mode|assistant|agent|model|ai|bot|unrestricted|jailbroken|dan|admin|developer|free)\b`,
  pattern`\b(?:enable|enter|activate|switch to|in) (?:developer|god|debug|admin|unrestricted|jailbreak|dan) mode and (?:ignore|answer|do|obey|comply|follow|stop|act|never)\b`,
  pattern`\b(?:act|behave|operate|respond|answer|work) ${words(4)}without (?:any )?(?:restrictions|limits|limitations|filters?|guardrails|safeguards|ethics|constraints)\b`,
  /(?<!known )(?<!against )\bjailbroken\b|\bdo anything now\b/gi,
];

export const OVERRIDE_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-instruction",
    anchor: pattern`ignor[ei]|disregard|forget|overrid|bypass|\bdiscard|suspend|set aside|put aside|no attention|no notice|overrule|abandon|\bdrop|\b(?:follow|obey|heed|respect|observe)(?:ing)?\b`,
    find: (part, offset) =>
      OVERRIDES.flatMap((each) => spansOf(part, each, (_, from) => !isQuoted(part, from))).map((span) =>
        shift(span, offset),
      ),
  },
  {
    rule: "poison-instruction",
    anchor: pattern`suspended|\bvoid|lifted|revoked|obsolete|cancell?ed|invalid|disabled|irrelevant|a test|an example|no longer|set aside|n['’]t apply|not (?:apply|binding)|ignored|disregarded|you (?:were|have been) |the (?:developers?|system prompt|operator|vendor) |(?:bound|limited|constrained|restricted) by`,
    find: anyOf(...ANNULLED),
  },
  {
    rule: "poison-instruction",
    anchor: pattern`precedence|priority|authority|of the user|from the (?:user|system|developer|operator)`,
    find: anyOf(...RANKS),
  },
  {
    rule: "poison-instruction",
    anchor: pattern`new (?:system )?(?:instruct|directive|persona|objective)|you are now|mode and\b|jailbroken|do anything now|without (?:any )?(?:restrict|limit|filter|guard|safeguard|ethic|constraint)`,
    find: anyOf(...ROLES),
  },
];

/** Whether a match is a quotation in a text about injections. */
export function isQuoted(text: string, from: number): boolean {
  const before = text.slice(Math.max(0, from - 120), from);
  return QUOTES.test(before) && ABOUT.test(before);
}

/** Marks that models may read as a change of speaker. */
const TURNS = [
  /<\|(?:im_start|system|user|assistant|start_header_id|begin_of_text)\|>|<start_of_turn>|\[\/?INST\]|<<\/?SYS>>|\[system\]\(#/gi,
  /<\/?(?:system|admin|hidden|override|assistant)[-_ ](?:prompt|message|note|instructions?|reminder|override)>/gi,
  /<\/(?:tool|function)_(?:description|definition|result|call)s?>/gi,
  /<(system|critical|hidden|admin|override|priority|instructions?)>[^<]{1,400}<\/\1>/gi,
  /\[(?:system|admin|developer) (?:override|message|prompt|note|instructions?)\]|<\/(?:system|user|assistant)> ?<(?:system|user|assistant)>/gi,
  /#{2,6} ?(?:system|developer|admin)(?: (?:prompt|message|note))?:/gi,
  /\b(?:begin|start|end) (?:of )?(?:system|admin|developer|root) (?:prompt|message|override|instructions?)\b/gi,
  /(?<!-)-{2,} ?end of (?:the )?(?:tool |function )?(?:description|definition|instructions|prompt)/gi,
  /\bHuman: \S[^]{0,200}?\bAssistant: \S/g,
  // An example of a conversation is labelled as such.
  /(?<!example|examples|e\.g\.|such as|for instance|dialog|dialogue|conversation)[.:)]? User: \S[^]{0,200}?\bAssistant: \S/g,
];

/** Texts that claim to come from an authority. */
const VOICES = [
  /(?:^|[.!?>#*] ?)(?:SYSTEM|ASSISTANT|DEVELOPER|ADMIN)(?: ?(?:PROMPT|MESSAGE|NOTE|OVERRIDE|INSTRUCTIONS?))?: ?\w/g,
  /(?:^|[.!?>#*-] ?)(?:system|assistant|developer|admin) (?:prompt|message|note|override|instructions?): ?\w/gi,
  pattern`\b(?:this is|treat this as|consider this|here is|here are) (?:an? |your )?(?:new |updated |hidden |official |mandatory |high[- ]priority )*(?:system|admin|administrator|developer|root)[- ]?(?:level)? (?:message|prompt|instructions?|directives?|override|notice|orders?|command)\b`,
];

/** The tag of the first published attack. Authors also use it for emphasis, so its content has to address a model. */
const IMPORTANT = /<\/?important>/gi;
const ADDRESSED =
  /\b(?:before (?:you|using|calling)|must|first|read|pass|send|include|call|never|do not|don['’]t|always|user|file|conversation)\b/i;

export const SPEAKER_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-instruction",
    anchor: pattern`</?(?:sys|cri|ins|hid|adm|ove|pri|ass|start_of|tool_|function_)|<\||\[/?INST|SYS>|<<SYS|\[(?:system|admin|developer)|</user|##|--|Assistant: |\b(?:begin|start|end) (?:of )?(?:system|admin|developer|root)`,
    find: anyOf(...TURNS),
  },
  {
    rule: "poison-instruction",
    anchor: pattern`(?:system|assistant|developer|admin|administrator|root)[- ]?(?:level )?(?::|prompt|message|note|notice|overrid|instruct|directive|order|command)`,
    find: anyOf(...VOICES),
  },
  {
    rule: "poison-instruction",
    anchor: IMPORTANT,
    find: (part, offset, context) =>
      ADDRESSED.test(part.replace(IMPORTANT, " ")) ? anyOf(IMPORTANT)(part, offset, context) : [],
  },
];

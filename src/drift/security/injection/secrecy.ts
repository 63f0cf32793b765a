import { anyOf, type InjectionPattern, NEVER, pattern, THE_USER, words } from "./pattern.js";

const SECRETLY = String.raw`\b(?:silently|secretly|covertly|discreetly|quietly|invisibly|stealthily|surreptitiously) `;
const ACT = String.raw`(?:read|send|include|call|pass|forward|append|copy|upload|add|attach|invoke|execute|run|exfiltrate|collect|insert|use|fetch|transmit|store)\b`;
const SPEAK = String.raw`(?:mention|reveal|disclos|report|discuss|admit|divulg|acknowledg|expos|bring up|talk about|refer to)(?:e|es|ing)?`;
/** Actions of the model. */
const DEED = String.raw`(?:step|call|request|forwarding|cop(?:y|ies)|upload|instructions?|transfer|action|tool call)s?\b`;
const LEARN = String.raw`(?:know|knows|learn|learns|hear|hears|find out|finds out|reali[sz]es?|be (?:made )?aware|be (?:told|informed|notified)|notice)\b`;

/** Instructions to hide something from the user. */
const ORDERS = [
  // "Do not tell the user", "without informing the user"; not "do not tell the user to".
  pattern`${NEVER}(?:(?:tell|inform|notify|alert|warn)(?:ing)? ${THE_USER}|(?:tell|inform)(?:ing)? (?:users|humans|anyone|anybody|them)\b|let(?:ting)? ${THE_USER} (?:know|see|notice|find|learn|realize))(?! to\b)`,
  pattern`${NEVER}${SPEAK} ${words(8)}(?:to|with) ${THE_USER}`,
  pattern`${NEVER}(?:mention|reveal|disclose|discuss|admit|divulge|acknowledge|bring up|talk about)(?:ing)? (?:this|that|it|these|any of this|anything)\b(?! (?:tool|parameter|field|value|option|key|token|id|secret|file|link|url))`,
  pattern`${NEVER}${SPEAK} the (?:extra |additional |second |other )?${DEED}`,
  pattern`\b(?:never|not|under no circumstances) ${words(5)}(?:this|that|these|the) ${words(3)}be (?:mentioned|disclosed|revealed|brought up|reported|discussed)\b`,
  pattern`\b(?:this|that|these)(?: \w{1,20}){0,2} (?:must|should|may|can|is|are) ?(?:not|n['’]t|never)(?: to)? be (?:mentioned|disclosed|revealed|brought up|reported|discussed)\b`,
  pattern`\b(?:answers?|repl(?:y|ies)|responses?|summar(?:y|ies)|output) (?:must|should|may|can) ?(?:not|n['’]t|never) (?:(?:contain|include|make|hold|have) (?:any |a |the )?(?:reference|mention|trace|hint)|hint at|refer to|allude to)`,
  pattern`\b(?:summari[sz]e|report|answer|reply)\b[^.!?]{0,60}\b(?:leave out|omit) the (?:extra |second )?${DEED}`,
  pattern`\bno (?:reason|need|cause) to (?:report|mention|tell|inform|disclose|share|reveal)\b[^.!?]{0,40}\b(?:to ${THE_USER}|${THE_USER})(?! (?:to|which|what|how|where)\b)`,
  pattern`\b(?:say(?:ing)? nothing (?:about|of|to)|(?:keep|stay|remain) (?:quiet|silent|mum) about)\b`,
  pattern`\b(?:deny|denying) (?:that |it\b|this\b|everything\b|having )`,
];

/** Statements that the user must not know something. */
const IGNORANCE = [
  pattern`${THE_USER} ${words(6)}(?:(?:must|should|shall|need|may|is|has|does)(?: ?n[o'’]t| never| no)|never) (?:need to |have to |need |reason to |to |ever )*${LEARN}(?! (?:the|its|his|her|their|which|what|where|how) )`,
  pattern`${THE_USER} (?:must|should|shall) ?(?:not|n['’]t|never) (?:see|get to see)\b`,
  pattern`${THE_USER} ${words(5)}(?:remains?|stays?|be kept|is kept|be left) (?:completely |entirely |blissfully )?(?:unaware|uninformed|ignorant|in the dark)\b`,
  pattern`\b(?:the|your|its) (?:owner|customer|client|user|patient|employee)s? (?:must |should |may )?never (?:find|finds|found) out\b`,
  pattern`\b(?:nobody|no one|no-one) (?:has|needs|must|should|is|ought)(?: to)? (?:ever )?(?:hear|know|learn|be told|find out)\b`,
];

/** Statements that something is hidden from the user. */
const HIDING = [
  pattern`\b(?:hide|hiding|conceal|concealing|keep|keeping|withhold|withholding) ${words(7)}from (?:${THE_USER}|(?:whoever|anyone who|anybody who|reviewers|auditors|the (?:reviewer|auditor)))`,
  pattern`\b(?:must|should|to|stays?|remains?|kept?) (?:be |stay |remain )?(?:hidden|secret|invisible|confidential) (?:from|to) ${THE_USER}`,
  pattern`\b(?:stays?|remains?|keep (?:this|it)|secret|confidential)(?: \w{1,20}){0,2} between (?:us|you)\b`,
  pattern`\b(?:act|behave|continue|proceed|go on|carry on) as (?:if|though) nothing\b`,
  pattern`\bpretend(?:ing)? (?:that )?(?:(?:the|this) tool|nothing|you (?:did|have)|it (?:failed|did|was))\b`,
  pattern`\bmake (?:it|this) (?:look|appear|seem) as (?:if|though)\b`,
  pattern`\b(?:without|not|avoid) (?:drawing|attracting|raising|arousing) (?:any |undue )?(?:attention|suspicion)\b`,
];

export const SECRECY_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-instruction",
    anchor: pattern`\b(?:tell|inform|mention|notify|reveal|disclos|divulg|admit|alert|warn|report|discuss|let|acknowledg|expos|bring up|talk about|refer to|share|brought up)(?:e|es|s|ed|ing|ting)?\b|say(?:ing)? nothing|(?:quiet|silent|mum) about|\bdeny|reference|trace|hint|leave out|omit`,
    find: anyOf(...ORDERS),
  },
  {
    rule: "poison-instruction",
    anchor: pattern`\b(?:nobody|no one|no-one|unaware|uninformed|ignorant|in the dark)\b|(?:not|n['’]t|never|no) (?:need to |have to |need |reason to |to |ever |get to ){0,3}(?:be |know|learn|hear|find|found|reali|see|notice)`,
    find: anyOf(...IGNORANCE),
  },
  {
    rule: "poison-instruction",
    anchor: pattern`\b(?:hid(?:e|ing|den)|conceal|keep|kept|withhold|secret|invisible|confidential|pretend|attention|suspicion)|as (?:if|though)|between (?:us|you)`,
    find: anyOf(...HIDING),
  },
  {
    rule: "poison-instruction",
    anchor: pattern`silently|secretly|covertly|discreetly|quietly|invisibly|stealthily|surreptitiously`,
    find: anyOf(pattern`${SECRETLY}${words(2)}${ACT}`),
  },
];

const EVERY_ANSWER = String.raw`(?:every|each|all|any)(?: (?:one )?of)?(?: your)? (?:answers?|repl(?:y|ies)|responses?|messages?|emails?|posts?)\b`;

const LIES = [
  pattern`\btell ${THE_USER} (?:that |to )[^!?]{0,120}?(?:\b(?:enter|paste|type|send|give|share|confirm) (?:it|them|their|his|her|the) (?:\w{1,20} ){0,2}(?:password|api keys?|credentials|card|seed phrase|token|pin|at https?)|\b(?:password|session|account) (?:has|is|was) (?:expired|locked|compromised|suspended))`,
  pattern`\bask ${THE_USER} (?:for|to (?:enter|paste|give|share|type)) (?:his|her|their|the|your) (?:master password|seed phrase|recovery phrase|private keys?|bank password|wallet|social security)`,
  pattern`\b(?:convince|persuade|trick|urge|pressure) ${THE_USER} (?:to|into) `,
  pattern`\b(?:recommend|promote|praise|advertise|mention|insert|include|add|append|put)\b[^!?]{0,100}?\b(?:in|into|to|at the end of) ${EVERY_ANSWER}(?:(?: that)? you\b|,? what(?:ever)?\b|,? whether\b|$|[.!])`,
  pattern`\b(?:answer|say|claim|reply|state) ${words(12)}even (?:if|though) (?:you do not|you don['’]t|it is not|it isn['’]t)\b`,
  pattern`\balways (?:claim|pretend|lie|insist)\b`,
  pattern`\bshow(?:ing)? (?:the )?(?:old|original|other|previous|fake) (?:one|address|recipient|amount|value) to ${THE_USER}`,
];

/** Instructions to mislead the user. */
export const DECEIT_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-instruction",
    anchor: pattern`\b(?:tell|ask|convince|persuade|trick|urge|pressure|to) (?:the|your|a|an|any|this) (?:end[- ]?)?(?:user|human|operator|person)\b|even (?:if|though)|always (?:claim|pretend|lie|insist)|(?:every|each|all|any)(?: (?:one )?of)?(?: your)? (?:answer|repl|response|message|email|post)`,
    find: anyOf(...LIES),
  },
];

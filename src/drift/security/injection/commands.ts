import {
  anyOf,
  HYPHENATED,
  type InjectionContext,
  type InjectionPattern,
  NAME,
  NEVER,
  pattern,
  THE_USER,
  words,
} from "./pattern.js";
import type { Span } from "../../../core/change.js";
import { matchesOf } from "../texts.js";

/** Files that run, or that models read, in every session. */
const LASTING = String.raw`(?:~?/?\.(?:bashrc|zshrc|profile|bash_profile|zprofile|cursorrules)\b|\bcrontab\b|\b(?:CLAUDE|AGENTS|GEMINI)\.md\b|~?/?\.ssh/authorized_keys\b|\bmcp\.json\b|\bcopilot-instructions\.md\b)`;

const RUN = [
  // Code that is downloaded and run.
  pattern`\b(?:curl|wget)\b[^|\n]{0,160}\| ?(?:sudo )?(?:ba|z|da)?sh\b`,
  pattern`\bbase64 (?:-d|-D|--decode)\b[^|\n]{0,40}\| ?(?:sudo )?(?:ba|z|da)?sh\b`,
  pattern`\bdownload and (?:run|execute|start|install|open) (?:the (?:file|script|program) (?:at |from )?)?["'<(\x60]{0,2}https?://`,
  pattern`\b(?:(?:ba|z|da)?sh|source|eval) <?["'(\x60]{1,2}(?:\$\()?(?:curl|wget)\b`,
  /\bchmod (?:-R )?777 \/(?![\w])|\brm -rf (?:\/(?!tmp\/|app\/)|~\/?(?:\s|$|["'`]|\.))/gi,
  pattern`\b(?:disable|turn off|switch off|deactivate|stop) (?:the |any |your )?(?:firewall|anti-?virus|sandbox|security software)\b[^.!?]{0,40}\b(?:before|first|so that)\b`,
  pattern`\binstall the (?:npm |pip |python |node )?(?:package|module|extension) [^.!?;]{1,60} before (?:you |using |calling )`,
];

const PERSIST = [
  pattern`\b(?:append|add|write|put|insert|copy|paste|save) (?:these|this|the following|\x60[^\x60]{1,120}\x60) ${words(6)}(?:to|into|in) ["'\x60]{0,2}${LASTING}`,
  pattern`\badds? (?:a |this |the )?(?:server|tool|entry) to ["'\x60]{0,2}mcp\.json\b`,
  pattern`\b(?:remember|memori[sz]e|store|save|keep)\b[^.!?]{0,60}\b(?:memory|future (?:conversations?|sessions?|chats?|requests?))\b[^.!?]{0,20} that\b[^.!?]{0,120}\b(?:tool|never|always|must|have to|has to|without)\b`,
];

const REPEAT = [
  pattern`\b(?:call|run|use|invoke|repeat) (?:this|the) (?:tool|call|function) ${words(2)}(?:again and again|over and over|endlessly|forever|indefinitely|until the context|(?:a |one )?(?:hundred|thousand|million)|\d{3,} times)`,
  pattern`\bcall (?:this|the) tool (?:once more|again)? ?${words(8)}(?:in|on|after) (?:every|each) (?:turn|answer|message|reply|response)\b`,
];

/** Instructions to run a command or to write to such a file. */
export const COMMAND_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-instruction",
    anchor: pattern`\b(?:curl|wget|base64|chmod|rm -rf|firewall|anti-?virus|sandbox|security software|download and)\b|install the`,
    find: anyOf(...RUN),
  },
  {
    rule: "poison-instruction",
    anchor: pattern`\.(?:bashrc|zshrc|profile|bash_profile|zprofile|cursorrules)|crontab|(?:CLAUDE|AGENTS|GEMINI|copilot-instructions)\.md|authorized_keys|mcp\.json|memory|future`,
    find: anyOf(...PERSIST),
  },
  {
    rule: "poison-instruction",
    anchor: pattern`\b(?:this|the) (?:tool|call|function) `,
    find: anyOf(...REPEAT),
  },
];

const CONSENT = String.raw`(?:confirmations?|approvals?|permissions?|consent|authori[sz]ation)\b`;
/** Before these words, an approval is a condition, not a claim. */
const CONDITION = String.raw`(?<!\b(?:if|when|once|until|after|unless|whether|that|where|because) )`;

/** Instructions to continue without the user's approval, and claims that the user approved. */
const WITHOUT_APPROVAL = [
  // "without asking for confirmation" may describe the tool or an option, so it does not match.
  pattern`\b(?:do not|don['’]?t|dont|never|must ?n[o']t|should ?n[o']t|no need to|not necessary to|need not) (?:ever )?(?:ask|wait|seek|request|prompt)(?: again)?(?: ${THE_USER})? (?:for )?(?:any |the |their |an? |explicit |further ){0,3}${CONSENT}`,
  pattern`\bnever (?:prompt|bother|interrupt|ask) ${THE_USER}(?=[.,;]|$| again| first| before| about)`,
  pattern`\byou have (?:standing|blanket|full|prior|implicit) ${CONSENT}`,
  pattern`\bno (?:confirmation|approval|permission|consent) is (?:required|needed|necessary)\b[^.!?]{0,60}\b(?:whatever|even if|regardless|no matter)\b`,
  pattern`\b(?:asking|prompting) (?:${THE_USER}|for (?:confirmation|permission|approval))(?: \w{1,20})? is (?:not|un)(?:necessary|needed| necessary| needed| required)`,
  pattern`${CONDITION}${THE_USER} (?:has )?(?:agreed|consented|approved) (?:to )?${words(4)}(?:in advance|beforehand)\b`,
  pattern`${CONDITION}${THE_USER} has (?:already|previously) (?:approved|consented|agreed|authori[sz]ed|given|granted|confirmed)\b`,
  pattern`\b${CONSENT} (?:was|were|has been|have been|is) (?:already |previously )?(?:given|granted|obtained) (?:in advance|beforehand|already|implicitly)`,
  pattern`\b(?:confirm|approve|agree|consent|answer|click|accept)(?: \w{1,20}){0,3} (?:on behalf of|in place of|instead of|for) ${THE_USER}`,
  pattern`\b(?:confirmation|approval|permission|consent) (?:dialogs?|prompts?|requests?|steps?|questions?) (?:with|by) (?:yes|accept|allow|ok)`,
  pattern`\b(?:skip|bypass|ignore|circumvent|suppress|disable) (?:the |any |all |every )?(?:user(?:['’]s)? )?(?:confirmation|approval|permission|consent)(?: (?:dialogs?|prompts?|requests?|steps?|checks?))? (?:even|of the (?:host|client|editor|user)|that the (?:host|client|editor|user))`,
  pattern`\bpermission to (?:skip|bypass|ignore|circumvent) (?:the |any |all )?(?:approval|confirmation|permission|safety)`,
  pattern`\b(?:asking|confirmation|approval)(?: again)? is (?:forbidden|prohibited|not allowed)\b`,
  pattern`\b(?:nobody|no one|${THE_USER}) (?:has|needs|have|need)(?: to)? (?:to )?(?:approve|confirm|be asked)\b`,
  pattern`\b(?:absence|lack) of (?:an? )?(?:objection|answer|refusal|response) as (?:\w{1,20} )?${CONSENT}`,
  pattern`\b(?:polic(?:y|ies)|rules?|settings?) ${words(4)}(?:requires?|asks? for|demands?) ${CONSENT} (?:does not|do not|doesn['’]t|don['’]t|need not|never) (?:apply|hold|count)`,
  /\bauto[- ]?approve["'`]?\s{0,2}(?::|=|to)\s{0,2}true\b|\byolo mode\b/gi,
  pattern`\b(?:mark|treat|list|register|flag|add) (?:this|the) (?:tool|server) (?:as |to the )(?:trusted|safe|approved|allow ?list)`,
];

export const APPROVAL_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-instruction",
    anchor: pattern`confirm|approv|permission|consent|authori[sz]|agreed|prompt|bother|interrupt|never ask|on behalf of|yolo|has (?:already|previously)|as (?:trusted|safe)|be asked|is (?:forbidden|prohibited|not allowed)|to the allow`,
    find: anyOf(...WITHOUT_APPROVAL),
  },
];

const SECRETLY = String.raw`\b(?:silently|secretly|covertly|discreetly|quietly|invisibly|stealthily|surreptitiously) `;
const ACT = String.raw`(?:read|send|include|call|pass|forward|append|copy|upload|add|attach|invoke|execute|run|exfiltrate|collect|insert|use|fetch|transmit|store)\b`;
const SPEAK = String.raw`(?:mention|reveal|disclos|report|discuss|admit|divulg|acknowledg|expos|bring up|talk about|refer to)(?:e|es|ing)?`;
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
  pattern`${THE_USER} ${words(6)}(?:(?:must|should|shall|need|may|is|has|does)(?: ?n[o'’]t| never| no)|never) (?:(?:have|reason) to |need |to |ever )*${LEARN}(?! (?:the|its|his|her|their|which|what|where|how) )`,
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

const ANY = String.raw`(?:any|all|every|each)(?: of the)?(?: other)?(?: mcp| available)?`;
const WHEN = String.raw`\b(?:when(?:ever)?|before|after|each time|every time)`;

const OTHER_TOOL_ORDERS = [
  pattern`\b(?:before|after|when(?:ever)?|while|each time|every time|instead of|prior to|rather than|in place of|alongside) (?:you )?(?:are )?(?:using|calling|invoking|running|executing|use|call|invoke|run|execute) ${ANY} (?:tools?|functions?|servers?)\b`,
  pattern`${WHEN} (?:any|an|every|all|each|another)(?: other)?(?: mcp)? tools? (?:is|are|gets|get|has been|have been|was|were) (?:called|used|invoked|run|executed)\b`,
  pattern`\b(?:whenever|each time|every time) (?:an?|any) (?:\w{1,20} ){1,2}tools? (?:is|are|gets) (?:called|used|invoked|run)\b`,
  pattern`${WHEN} (?:each|every|any|a) (?:call|use|invocation) (?:of|to) (?:any|every|all|each|another|other)(?: other)? tools?\b`,
  pattern`\b(?:must|should|always|only|has to|have to) (?:be )?(?:call|called|use|used|invoke|invoked|run|prefer|preferred|choose|chosen)(?: this(?: tool)?)? (?:before|instead of|over|in place of|rather than) (?:any|all|every|the)(?: of the)?(?: other)? (?:tools?|functions?)\b`,
  pattern`\binstead of (?:any|all|every) other tools?,? even (?:when|if) the user (?:asks|wants|says|requests)`,
  pattern`\b(?:replaces?|supersedes?|deprecates?|overrides?|takes? precedence over|has priority over) (?:any|all|every|the) (?:of the )?other (?:\w{1,20} )?tools?\b`,
  pattern`\b(?:never|do not|don['’]t|stop) (?:use|using|call|calling|invoke|invoking) (?:any )?(?:the )?other (?:\w{1,20} )?tools?\b`,
  pattern`\b(?:other|another|different) (?:mcp )?servers?(?:['’]s?)? (?:tools?|functions?)\b`,
  pattern`\b(?:tools?|functions?) (?:of|from|on) (?:another|other|any other|all other|a different) (?:mcp )?servers?\b`,
  pattern`\b(?:results?|outputs?|arguments|behaviou?r|calls?) (?:of|to|from|for) (?:any|all|every|the) other tools?\b`,
  pattern`\b(?:results?|outputs?|answers?) (?:of|from) other tools (?:must|should|can|cannot|may|are|is)(?: ?not| never)?(?: to)? (?:be )?(?:discarded|ignored|trusted|hidden|replaced|changed|wrong)\b`,
  pattern`\b(?:sent|made|written|returned|produced|called) by (?:any |all |the )?other tools\b`,
  pattern`\b(?:any|every|all|each) (?:other )?tools? (?:that|which) ${words(5)}(?:has to|have to|must|should|needs to|need to) `,
];

/** `send_email` in "when send_email is called", with the words around it. */
const MENTION =
  /\b(?:when(?:ever)?|if|before|after|each time|every time|once|while|upon|prior to)(?: the| you| using| calling| invoking| use| call| invoke| a| an){0,3}((?: tool| function)? ["'\x60(*]{0,3}([A-Za-z][\w.-]{3,62}\w)["'\x60)*]{0,3}(?:\(\))?(?: tool| function| mcp tool)?(?: from [\w-]{1,30}| of [\w-]{1,30})?) (?:is|are|gets|was|has been) (called|invoked|used|executed|run|present|available|triggered)\b/gi;
/** `write_file` in "every time a file is written with write_file". */
const MEANS =
  /\b(?:whenever|each time|every time) [^.!?,]{3,60} (?:with|using|via|through) (?:the )?["'\x60]?([A-Za-z][\w.-]{3,62}\w)(?![\w=])/gi;
/** `send_message` in "the WhatsApp server's send_message". */
const OWNED = /\bthe ([\w-]{2,30}) (?:mcp )?server['’]s ["'\x60]?([A-Za-z][\w.-]{3,62}\w)/gi;

export const OTHER_TOOL_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-cross-tool-reference",
    anchor: pattern`(?:any|all|every|each|other|another|different|an?)(?: of the)?(?: other)?(?: mcp| available)? (?:tools?|functions?|servers?)|other (?:\w{1,20} )?tools?|the (?:tools|functions)`,
    find: anyOf(...OTHER_TOOL_ORDERS),
  },
  {
    rule: "poison-cross-tool-reference",
    anchor: pattern`(?:is|are|gets|was|has been) (?:called|invoked|used|executed|run|present|available|triggered)\b`,
    find: findMentions,
  },
  {
    rule: "poison-cross-tool-reference",
    anchor: pattern`whenever|each time|every time|server['’]s`,
    find: findForeignNames,
  },
];

function findMentions(text: string, offset: number, { isOwn }: InjectionContext): readonly Span[] {
  return matchesOf(text, MENTION).flatMap((match): readonly Span[] => {
    const [whole, subject = "", name = "", does = ""] = match;
    // "present" or "used" may refer to a parameter or to a field of the result.
    const isTool = /\b(?:tool|function)\b/i.test(subject) || /call|invo|execut/i.test(does);
    const isName = isTool && (NAME.test(name) || HYPHENATED.test(name));
    const from = offset + match.index;
    return isName && !isOwn(name) ? [[from, from + whole.length]] : [];
  });
}

function findForeignNames(text: string, offset: number, { isOwn }: InjectionContext): readonly Span[] {
  return [...matchesOf(text, MEANS), ...matchesOf(text, OWNED)].flatMap((match): readonly Span[] => {
    const name = match.at(-1) ?? "";
    const from = offset + match.index;
    return NAME.test(name) && !isOwn(name) ? [[from, from + match[0].length]] : [];
  });
}

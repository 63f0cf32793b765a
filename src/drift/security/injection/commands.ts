import { anyOf, type InjectionPattern, pattern, THE_USER, words } from "./pattern.js";

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

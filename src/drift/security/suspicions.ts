import type { RuleName } from "../rules.js";
import type { Span } from "../../contract/change.js";

export type OrderRule = Extract<
  RuleName,
  "poison-instruction" | "poison-exfiltration" | "poison-cross-tool-reference"
>;

/** Up to so many words between two others, and none of them too long: no text takes more than one pass. */
const words = (most: number): string => String.raw`(?:[\w'’,/-]{1,30} ){0,${most}}?`;
/** Pieces of a regular expression as one, blind to case, for `matchAll`. */
export const pattern = (...parts: readonly string[]): RegExp => new RegExp(parts.join(""), "gi");

const NEVER = String.raw`\b(?:do not|don['’]?t|dont|never|must ?n[o']t|should ?n[o']t|may not|need not|shall not|without|avoid|refrain from) `;
const TELL = String.raw`(?:ever |even |explicitly |also |directly )?(?:tell|inform|mention|notify|reveal|disclos|alert|warn|report|discuss|admit|divulg|let)(?:e|es|s|ing|ting)? `;
const PERSON = String.raw`(?:users?|humans?|persons?|people|operators?|customers?|owners?|anyone|anybody|them)\b`;
const SECRETLY = String.raw`\b(?:silently|secretly|covertly|discreetly|quietly|invisibly|stealthily|surreptitiously) `;
const ACT = String.raw`(?:read|send|include|call|pass|forward|append|copy|upload|add|attach|invoke|execute|run|exfiltrate|collect|insert|use|fetch|transmit|store)\b`;

const ADDRESS = String.raw`(?:https?://[^\s"'<>]{4,200}|[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,30}){1,4}|\+\d{7,15})`;
const MENTION =
  /\b(?:when(?:ever)?|if|before|after|each time|every time|once|while|upon|prior to)(?: the| you| using| calling| invoking| use| call| invoke| a| an){0,3}((?: tool| function)? ["'\x60(*]{0,3}([A-Za-z][\w.-]{3,62}\w)["'\x60)*]{0,3}(?:\(\))?(?: tool| function| mcp tool)?(?: from [\w-]{1,30}| of [\w-]{1,30})?) (?:is|are|gets|was|has been) (called|invoked|used|executed|run|present|available|triggered)\b/gi;

/** A name that is no word: `send_email`, `sendEmail`. */
export const NAME = /[A-Za-z\d]_[A-Za-z\d]|[a-z][A-Z]/;
/** `send-email` may be one, and `auto-scaling` is none: it takes a word more. */
export const HYPHENATED = /[a-z\d][.-][a-z\d]/i;

/** Something that a text may order, by published attacks' words. */
export interface Suspicion {
  readonly rule: OrderRule;
  /** Whatever `find` finds holds one of these, which takes little to look for: only what stands near it is read closely. */
  readonly anchor: RegExp;
  readonly find: (part: string, offset: number, isOwn: (name: string) => boolean) => readonly Span[];
}

const anyOf =
  (...patterns: readonly RegExp[]): Suspicion["find"] =>
  (part, offset) =>
    spansOf(part, patterns, offset);

/** Orders to a model, where a definition describes: what attacks that were published have in common. */
export const SUSPICIONS: readonly Suspicion[] = [
  // Orders to ignore others.
  {
    rule: "poison-instruction",
    anchor: pattern(String.raw`ignor[ei]|disregard|forget|overrid|bypass|\bdiscard`),
    find: anyOf(
      // "Ignore all previous instructions", "disregard your safety guidelines".
      pattern(
        String.raw`\b(?:ignor|disregard|forget|overrid|bypass|discard)(?:e|es|ing|s)? `,
        words(4),
        String.raw`(?:previous|prior|above|earlier|preceding|former|initial|original|existing|other|your|system|safety|all) `,
        words(3),
        String.raw`(?:instructions?|prompts?|rules?|guidelines?|directives?|polic(?:y|ies)|safeguards?|guardrails?|commands?)\b`,
      ),
      pattern(
        String.raw`\b(?:ignore|disregard|forget) (?:everything|anything|all of what|what(?:ever)?) (?:above|before|prior|previous|earlier|you|was|i|has)\b`,
      ),
    ),
  },
  // Orders to keep silent.
  {
    rule: "poison-instruction",
    anchor: pattern(
      String.raw`\b(?:tell|inform|mention|notify|reveal|disclos|divulg|admit|alert|warn|report|discuss|let|acknowledg)(?:e|es|s|ing|ting)? `,
    ),
    find: anyOf(
      // "Do not tell the user", "without informing the user".
      pattern(
        NEVER,
        TELL,
        String.raw`(?:[\w'’]{1,20} ){0,8}?(?:to )?(?:the |your |any |an? |to |with )?(?:end ?|human )?`,
        PERSON,
      ),
      pattern(
        NEVER,
        String.raw`(?:ever )?(?:tell|mention|reveal|disclose|discuss|admit|divulge|acknowledge)(?:ing)? (?:this|that|it|these|any of this|anything)\b`,
      ),
    ),
  },
  // What the user must not know.
  {
    rule: "poison-instruction",
    anchor: pattern(
      String.raw`(?:not |never )(?:be )?(?:aware|told|informed|notified|know|see|notice|realize|find out)\b`,
    ),
    find: anyOf(
      pattern(
        String.raw`\b`,
        PERSON,
        String.raw` (?:must|should|need|does|may|will|can|is|are)(?: ?n[o'’]t|not)? (?:not |never )(?:be )?(?:aware|told|informed|notified|know|see|notice|realize|find out)\b`,
      ),
    ),
  },
  // What is hidden from the user.
  {
    rule: "poison-instruction",
    anchor: pattern(String.raw`(?:from|to) (?:the |your )?(?:end ?)?(?:user|human|person|operator)`),
    find: anyOf(
      pattern(
        String.raw`\b(?:hid(?:e|den|ing)|conceal(?:ed|ing)?|keep|kept|secret|invisible|confidential) (?:[\w'’]{1,20} ){0,5}?(?:from|to) (?:the |your )?(?:end ?)?(?:user|human|person|operator)s?\b`,
      ),
    ),
  },
  // Orders to act unseen.
  {
    rule: "poison-instruction",
    anchor: pattern(
      String.raw`silently|secretly|covertly|discreetly|quietly|invisibly|stealthily|surreptitiously`,
    ),
    find: anyOf(pattern(SECRETLY, words(2), ACT)),
  },
  {
    rule: "poison-instruction",
    anchor: pattern(String.raw`</?(?:imp|sys|cri|ins|hid|adm|ove|pri)|<\||\[/?INST|SYS>|<<SYS`),
    find: anyOf(
      // Marks that models take for another speaker.
      /<\/?(?:important|system|critical|instructions?|hidden|admin|override|system[-_ ]?(?:prompt|message|note|instructions?)|priority)>/gi,
      /<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|>|\[\/?INST\]|<<\/?SYS>>/gi,
    ),
  },
  // Words put into another's mouth.
  {
    rule: "poison-instruction",
    anchor: pattern(
      String.raw`(?:system|assistant|developer|admin|administrator|root)[- ]?(?:level )?(?::|prompt|message|note|notice|overrid|instruct|directive|order|command)`,
    ),
    find: anyOf(
      /(?:^|[.!?>#*] ?)(?:SYSTEM|ASSISTANT|DEVELOPER|ADMIN)(?: ?(?:PROMPT|MESSAGE|NOTE|OVERRIDE|INSTRUCTIONS?))?: ?\w/g,
      /(?:^|[.!?>#*] ?)(?:system|assistant|developer|admin) (?:prompt|message|note|override|instructions?): ?\w/gi,
      pattern(
        String.raw`\b(?:this is|treat this as|consider this|here is|here are) (?:an? |your )?(?:new |updated |hidden |official |mandatory |high[- ]priority )*(?:system|admin|administrator|developer|root)[- ]?(?:level)? (?:message|prompt|instructions?|directives?|override|notice|orders?|command)\b`,
      ),
    ),
  },
  // Another order, or another role.
  {
    rule: "poison-instruction",
    anchor: pattern(
      String.raw`new (?:system )?(?:instruct|directive|persona|objective)|you are now|mode and\b|jailbr|do anything now`,
    ),
    find: anyOf(
      pattern(
        String.raw`\b(?:your )?new (?:system )?(?:instructions?|directives?|persona|objective) (?:are|is|follow|below)\b`,
      ),
      // Another role.
      pattern(
        String.raw`\byou are now (?:an? |the |in |my )?(?:\w{1,20} ){0,3}?(?:mode|assistant|agent|model|ai|bot|unrestricted|jailbroken|dan|admin|developer|free)\b`,
      ),
      pattern(
        String.raw`\b(?:enable|enter|activate|switch to|in) (?:developer|god|debug|admin|unrestricted|jailbreak|dan) mode and\b`,
      ),
      /\bjailbr(?:eak|oken)|\bdo anything now\b/gi,
    ),
  },
  // Orders to send all of something to one address.
  {
    rule: "poison-exfiltration",
    anchor: pattern(
      String.raw`https?:|@\w|\+\d{7}|\b(?:curl|wget|nc|invoke-webrequest)\b|ngrok|requestbin|pipedream|oastify|interact\.sh|burpcoll|webhook\.site`,
    ),
    find: anyOf(
      pattern(
        String.raw`\b(?:all|any|every|each|always|must|also|secretly|instead|whenever) `,
        words(8),
        String.raw`(?:send|sent|sends|sending|forward|forwarded|post|posted|upload|uploaded|bcc|bcc'd|cc|copied|copy|route|routed|redirect|redirected|transmit|transmitted|report|reported|addressed|go|transferred) `,
        words(8),
        String.raw`(?:to|at|via|through|bcc|cc)[: ]{1,2}["'<(\x60]{0,2}`,
        ADDRESS,
      ),
      pattern(
        String.raw`\b(?:change|replace|set|switch|swap|substitute|modify|override) (?:[\w'’]{1,20} ){0,3}?(?:recipients?|destination|payee|beneficiary|address(?:ee)?|phone number|account number|iban|wallet|to field) (?:[\w'’]{1,20} ){0,5}?(?:to|with|by) ["'<(\x60]{0,2}`,
        ADDRESS,
      ),
      pattern(
        String.raw`\b(?:curl|wget|nc|invoke-webrequest)\b[^.\n]{0,120}(?:\$\((?:cat|env|base64|printenv)\b|@~|@/etc/|< ?~/|\| ?(?:ba|z)?sh\b)`,
      ),
      pattern(String.raw`(?:\$\(|\b)(?:cat|base64|printenv|env)\b[^.\n]{0,80}\| ?(?:curl|wget|nc)\b`),
      pattern(
        String.raw`\b[\w-]{1,60}\.(?:ngrok(?:-free)?\.(?:io|app|dev)|requestbin\.(?:com|net)|pipedream\.net|oastify\.com|interact\.sh|burpcollaborator\.net)\b|\bwebhook\.site/`,
      ),
    ),
  },
  // Orders about what other tools do.
  {
    rule: "poison-cross-tool-reference",
    anchor: pattern(
      String.raw`(?:any|all|every|each|other|another|different|an?)(?: of the)?(?: other)?(?: mcp| available)? (?:tools?|functions?|servers?)|other (?:\w{1,20} )?tools?|the (?:tools|functions)`,
    ),
    find: anyOf(
      pattern(
        String.raw`\b(?:before|after|when(?:ever)?|while|each time|every time|instead of|prior to|rather than|in place of|alongside) (?:you )?(?:are )?(?:using|calling|invoking|running|executing|use|call|invoke|run|execute) (?:any|all|every|each)(?: of the)?(?: other)?(?: mcp| available)? (?:tools?|functions?|servers?)\b`,
      ),
      pattern(
        String.raw`\b(?:when(?:ever)?|before|after|each time|every time) (?:any|an|every|all|each|another)(?: other)?(?: mcp)? tools? (?:is|are|gets|get|has been|have been|was|were) (?:called|used|invoked|run|executed)\b`,
      ),
      pattern(
        String.raw`\b(?:must|should|always|only) (?:be )?(?:call|called|use|used|invoke|invoked|run|prefer|preferred|choose|chosen)(?: this(?: tool)?)? (?:before|instead of|over|in place of|rather than) (?:any|all|every|the)(?: of the)?(?: other)? (?:tools?|functions?)\b`,
      ),
      pattern(
        String.raw`\b(?:replaces?|supersedes?|deprecates?|overrides?) (?:any|all|every|the) (?:of the )?other (?:\w{1,20} )?tools?\b`,
      ),
      pattern(
        String.raw`\b(?:never|do not|don['’]t|stop) (?:use|using|call|calling|invoke|invoking) (?:any )?(?:the )?other (?:\w{1,20} )?tools?\b`,
      ),
      pattern(String.raw`\b(?:other|another|different) (?:mcp )?servers?(?:['’]s?)? (?:tools?|functions?)\b`),
      pattern(
        String.raw`\b(?:results?|outputs?|arguments|behaviou?r|calls?) (?:of|to|from|for) (?:any|all|every|the) other tools?\b`,
      ),
    ),
  },
  // A tool of another name that is spoken of.
  {
    rule: "poison-cross-tool-reference",
    anchor: pattern(
      String.raw`(?:is|are|gets|was|has been) (?:called|invoked|used|executed|run|present|available|triggered)\b`,
    ),
    find: findMentions,
  },
];

function findMentions(text: string, offset: number, isOwn: (name: string) => boolean): readonly Span[] {
  return [...text.matchAll(MENTION)].flatMap((match): readonly Span[] => {
    const [whole, subject = "", name = "", does = ""] = match;
    const isCalled = /tool|function/i.test(subject) || /call|invo/i.test(does);
    const isName = NAME.test(name) || (HYPHENATED.test(name) && isCalled);
    const from = offset + match.index;
    return isName && !isOwn(name) ? [[from, from + whole.length]] : [];
  });
}

function spansOf(text: string, patterns: readonly RegExp[], offset: number): readonly Span[] {
  return patterns.flatMap((each) =>
    [...text.matchAll(each)].map((match): Span => {
      const from = offset + match.index;
      return [from, from + match[0].length];
    }),
  );
}

import type { Span } from "../../../core/change.js";
import { foldText, matchesOf, spansOf } from "../texts.js";
import { findCombinations } from "./combinations.js";
import {
  APPROVAL_PATTERNS,
  COMMAND_PATTERNS,
  DECEIT_PATTERNS,
  OTHER_TOOL_PATTERNS,
  SECRECY_PATTERNS,
} from "./commands.js";
import {
  ADDRESS,
  anyOf,
  HYPHENATED,
  type InjectionContext,
  type InjectionPattern,
  type InjectionRule,
  NAME,
  OVERRIDE_PATTERNS,
  pattern,
  SPEAKER_PATTERNS,
  words,
} from "./pattern.js";

const SECRET_FILE = String.raw`(?:~|\$HOME|/root|/home/[\w.-]{1,40}|%USERPROFILE%)[\\/]\.(?:ssh|aws|gnupg|kube|docker|cursor|config|npmrc|netrc|env|git-credentials|pgpass|bash_history|zsh_history|azure|claude)\b|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|/etc/(?:passwd|shadow|sudoers)\b|\.aws/credentials\b|\.cursor/mcp\.json|\bmcp\.json\b|claude_desktop_config|\.git-credentials\b|\.netrc\b|\.npmrc\b|\.pgpass\b|\bwallet\.dat\b|\bauthorized_keys\b|\.bash_history\b|\.kube/config\b|\.docker/config\.json|\.ssh (?:folder|directory)\b|(?:^|[ "'\x60(/])\.env(?:\.\w{1,20})?(?=$|[ "'\x60),;:.])`;
const CREDENTIALS = String.raw`ssh keys?|private keys?|ssh private keys?|(?:api|access|secret) (?:keys?|tokens?)|(?:tokens|secrets|passwords) and (?:credentials|tokens|secrets|passwords)|credentials|(?:saved )?passwords|session (?:cookies?|tokens?)|cookies|keychain|key file|seed phrases?|secrets`;
const PRIVATE = String.raw`environment variables?|env vars?|clipboard|browser history|private repositories|(?:integration|access|api|auth|user)_tokens|passport numbers?|(?:credit )?card (?:numbers?|details)|social security numbers?|medical records|(?:names|list|descriptions) of (?:all|your|the)(?: other)? tools`;
const TALK = String.raw`(?:chat|conversation|message) history|(?:entire|full|whole|complete|previous|prior|earlier) (?:conversation|chat|messages?|context|prompts?)|conversation so far|(?:last|previous) (?:\w{1,12} )?messages(?: of the user)?|(?:everything|all)(?: that)? (?:you know about the user|the user (?:has )?said|above)`;
const PROMPT = String.raw`system prompts?|(?:your|hidden|initial|original|system) (?:instructions|system prompt|prompt|context window|memory)|/?proc/self/environ`;
const TARGET = pattern`(?:${SECRET_FILE}|\b(?:${[CREDENTIALS, PRIVATE, TALK, PROMPT].join("|")})(?![\w-]))`;
const IS_FILE = new RegExp(SECRET_FILE, "i");
/** Data that no tool needs. A credential is different: the tool may be about it. */
const IS_INNER = new RegExp(`^(?:${TALK}|${PROMPT}|${PRIVATE})`, "i");
const ADDRESSED = /^[^.!?]{0,40}\b(?:to|at|via) (?:https?:\/\/|[\w.+-]{1,60}@)/i;
/** A public key is not secret. */
const IS_PUBLIC = /^[^ ]{0,20}\.pub\b/;

const TAKE =
  /\b(?:read|cat|open|load|fetch|get|retrieve|access|extract|collect|gather|dump|grab|copy|find|list|obtain|include|look(?: up| for| at| through)|go through|take|scan|harvest|summari[sz]e|encode|search|lies|lese|lis|lee|leggi|leia|contents?(?= of)|what is in|lines of|value of)\b/i;
const GIVE =
  /\b(?:pass|send|post|upload|forward|append|attach|embed|submit|transmit|exfiltrate|leak|email|bcc|encode|smuggle|transfer|deliver|share|put|place|paste|supply|provide|include|insert|write|add|list|hand|bring|feed|gib|übergib|ubergib|sende|envoie|envia|invia|pasa)(?:ed|ing|s)?\b[^.!?]{0,100}?\b(?:to|as|in|into|via|through|with|here|within|under|using|along|over|als|comme|como|come)\b/i;
/** Takes and sends in one sentence. */
const AND_GIVE =
  /^[^.!?]{0,90}\band (?:then )?(?:pass|send|add|put|include|attach|hand|supply|list|append|upload|forward|bring|return|post|paste|encode|transmit|share|submit|provide) (?:it|them|its|their|all|that|this|what(?:ever)? you find|the (?:outputs?|results?|contents?))\b/i;
/** A destination: an argument or an address. */
const OUTLET =
  /\b(?:parameters?|arguments?|args?|field|sidenote|side note|webhook|endpoint (?:below|above)|metadata|query|body of|(?:public |new )?(?:issue|readme|gist)|(?:in|into) the url)\b|https?:\/\/|\b[\w.+-]{1,60}@[\w-]{1,60}\.\w{2,}/i;
const ORDERED =
  /\b(?:must|always|first|required|mandatory|need to|have to|should|please|before|important|every|also|make sure|ensure|necessary|otherwise|full|entire|whole|all|kindly|complete|last)\b/i;

const HAND_OVER =
  /\b(?:transmit|send|pass|upload|hand|post|submit|include|append|put|forward|encode) (?:the |your |all (?:of )?(?:the )?|a copy of the )?(?:[\w'’]{1,20} ){0,3}$/i;

/** In a parameter's description, asking for a value is enough to receive it. */
const ASKS =
  /\b(?:put|pass|fill(?: in)?|include|copy|supply|supplied|provide|provided|give|insert|paste|write|add|enter|contents? of|lines of|value of|text of)\b/i;
const ALL_OF_IT =
  /\b(?:full|entire|complete|whole|all|every|any|verbatim|word for word|exactly|in full|must|required|found in|previous|first|of the user)\b/i;

/** Ends in an order not to pass something on. */
const FORBIDS =
  /\b(?:do not|don['’]t|never|must not|should not|avoid) (?:\w{1,12} ){0,2}?(?:includ|pass|send|shar|put|provid|suppl|enter|add|past|submit|writ|post|upload|expos)(?:e|es|ing|ting|y|ying)?\b[^.!?;:]*$/i;
/** Words that make such an order an exception, or take it back. */
const RESTRICTS =
  /\b(?:but|unless|instead|except|however|then|only|without|until|other than)\b|[;:]|\b(?:includ|pass|send|put|provid|suppl|add|past|submit|post|upload)\w* (?:it|them|that|those|these)\b/i;

/** Verbs without a harmless meaning as instructions. */
const STEAL =
  /(?<!\b(?:to|can|could|may|might|would|or|and|that|which) )\b(?:exfiltrate|smuggle|steal) (?:the|all|any|every|user|its|their|your)\b/gi;
/** Permission to send secrets that the model happens to know. */
const WELCOME = pattern`\b(?:feel free to|you (?:may|can)|servers? needs?|we need) [^.!?]{0,40}\b(?:credentials|secrets|passwords|tokens|api keys)\b[^.!?]{0,40}\b(?:you come across|in your context)\b`;
const VERBATIM =
  /\bverbatim (?:copy|text|transcript) of (?:everything|all|the (?:text|conversation|prompt|instructions))|\b(?:everything|all(?: of the)? text) above this (?:line|text|description)\b/gi;

function findTheft(text: string, isOfParameter: boolean): readonly Span[] {
  return spansOf(text, TARGET).filter((span) => isTaken(text, span, isOfParameter));
}

/** Other wording of theft. */
const THEFT_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-exfiltration",
    anchor: pattern`exfiltrate|smuggle|\bsteal|come across|in your context|verbatim|above this`,
    find: anyOf(STEAL, WELCOME, VERBATIM),
  },
];

function isTaken(text: string, [from, to]: Span, isOfParameter: boolean): boolean {
  const [before, after] = [text.slice(Math.max(0, from - 180), from), text.slice(to, to + 180)];
  const target = text.slice(from, to);
  if (IS_PUBLIC.test(after)) return false;
  const start = before.slice(before.search(/[^.!?]*$/));
  const rest = after.replace(/[.!?](?=\s|$)[^]*$/, "");
  const sentence = `${start} ${rest}`;
  if (FORBIDS.test(start) && !RESTRICTS.test(sentence)) return false;
  const isFile = IS_FILE.test(target);
  if (isOfParameter) {
    const isWanted =
      ASKS.test(sentence) &&
      (isFile
        ? /\b(?:contents?|lines|text|value|copy|output) of\b/i.test(sentence)
        : ALL_OF_IT.test(sentence));
    if (isWanted && !isAboutPath(target, after)) return true;
  }
  const around = `${before}\0${after}`;
  if (!TAKE.test(before.slice(-100))) return isHandedOver(target, before, after);
  if (AND_GIVE.test(after)) return true;
  if (!GIVE.test(around)) return false;
  return isFile || (OUTLET.test(around) && ORDERED.test(around));
}

/** "Transmit the complete chat to the endpoint": the model already has the data, so no verb of taking is needed. */
function isHandedOver(target: string, before: string, after: string): boolean {
  if (!HAND_OVER.test(before)) return false;
  if (ADDRESSED.test(after)) return true;
  const isGiven = /^[^.!?]{0,80}\b(?:to|in|into|as|via)\b/i.test(after) && OUTLET.test(after);
  const isMine = IS_INNER.test(target) || (/\b(?:user['’]s|all|every) $/i.test(before) && /s$/.test(target));
  return (
    isMine && isGiven && (ORDERED.test(`${before.slice(-80)} ${target} ${after}`) || !IS_INNER.test(target))
  );
}

function isAboutPath(target: string, after: string): boolean {
  return IS_FILE.test(target) && /^[^.!?]{0,20}\b(?:path|location)\b/i.test(after);
}

const SEND = String.raw`(?:send|sent|sends|sending|forward|forwarded|post|posted|upload|uploaded|bcc|bcc'd|cc|copied|copy|route|routed|redirect|redirected|transmit|transmitted|report|reported|addressed|go|transferred)`;
const TO = String.raw`(?:to|at|via|through|bcc|cc)[: ]{1,2}["'<(\x60]{0,2}`;
const RECIPIENT = String.raw`(?:recipients?|destination|payee|beneficiary|address(?:ee)?|phone number|account(?: number)?|iban|wallet|to field)`;

/** Instructions to send something to one address. A statement about the tool ("is forwarded to") is not an instruction. */
const TO_ONE_ADDRESS = [
  pattern`\b(?:must|also|secretly|instead|always|has to|have to|should) ${words(8)}${SEND} ${words(8)}${TO}${ADDRESS}`,
  pattern`\b(?:send|forward|post|upload|copy|report) (?:all|any|every|each) ${words(8)}${TO}${ADDRESS}`,
  pattern`\b(?:copy|copies|duplicate) of (?:all|any|every|each) ${words(4)}(?:goes|go|must go|is sent|are sent|has to go|should go) ${TO}${ADDRESS}`,
  pattern`\b(?:change|replace|set|switch|swap|substitute|modify|override) (?:[\w'’]{1,20} ){0,3}?${RECIPIENT} (?:[\w'’]{1,20} ){0,7}?(?:to(?: include)?|with|by) ["'<(\x60]{0,2}${ADDRESS}`,
  pattern`\b(?:must|should|have to|has to|always) use the ${RECIPIENT} ["'<(\x60]{0,2}${ADDRESS}`,
  pattern`\b(?:add|include|put|insert) ["'<(\x60]{0,2}${ADDRESS}["'>)\x60]{0,2} (?:to|in|into|as) (?:the |an? )?(?:bcc|cc|recipients?|copy)\b`,
];

/** Services that only collect requests, and an image whose URL carries data. */
const DROPS = [
  pattern`\b[\w-]{1,60}\.(?:ngrok(?:-free)?\.(?:io|app|dev)|requestbin\.(?:com|net)|pipedream\.net|oastify\.com|interact\.sh|burpcollaborator\.net)\b|\bwebhook\.site/`,
  /!\[[^\]]{0,60}\]\(https?:\/\/[^)\s]{0,200}=(?:\{|<|%7B|\$|\[|[A-Z_]{3,})/g,
];

const COMMANDS = [
  pattern`\b(?:curl|wget|nc|invoke-webrequest)\b[^\n]{0,160}(?:\$\((?:cat|env|base64|printenv)\b|@~|@/etc/|< ?~/)`,
  pattern`(?:\$\(|\b)(?:cat|base64|printenv|env)\b[^|\n]{0,80}\| ?(?:curl|wget|nc)\b`,
  /\$\((?:env|printenv|history|whoami|cat (?:~|\/etc)\/[^)]{1,60})[^)]{0,40}\)\.[\w-]{1,60}\.\w{2,}/gi,
];

const ADDRESS_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-exfiltration",
    anchor: pattern`https?:|@\w|\+\d{7}|\b[A-Z]{2}\d{2} ?[\dA-Z]{4}|ngrok|requestbin|pipedream|oastify|interact\.sh|burpcoll|webhook\.site`,
    find: anyOf(...TO_ONE_ADDRESS, ...DROPS),
  },
  {
    rule: "poison-exfiltration",
    anchor: pattern`\b(?:curl|wget|nc|invoke-webrequest)\b|\$\(`,
    find: anyOf(...COMMANDS),
  },
];

export type { InjectionContext, InjectionRule } from "./pattern.js";

/** Instructions to decode something and to follow it. */
const DECODE_PATTERNS: readonly InjectionPattern[] = [
  {
    rule: "poison-instruction",
    anchor: pattern`decod|rot-?13|decrypt|unscramble|reverse the`,
    find: anyOf(
      pattern`\b(?:decod|decrypt|unscrambl|revers|apply(?:ing)? rot-?13|rot-?13)(?:e|es|ing)?\b[^.!?]{0,80}\band (?:then )?(?:do|follow|execute|obey|run|act|comply)\b`,
    ),
  },
];

const PATTERNS: readonly InjectionPattern[] = [
  ...OVERRIDE_PATTERNS,
  ...SECRECY_PATTERNS,
  ...APPROVAL_PATTERNS,
  ...SPEAKER_PATTERNS,
  ...COMMAND_PATTERNS,
  ...DECEIT_PATTERNS,
  ...DECODE_PATTERNS,
  ...ADDRESS_PATTERNS,
  ...THEFT_PATTERNS,
  ...OTHER_TOOL_PATTERNS,
];

/** Most texts have no anchor, so one pass is enough for them. */
const ANY_ANCHOR = pattern`${PATTERNS.map(({ anchor }) => anchor.source).join("|")}`;
/** The greatest distance of a match from its anchor. */
const REACH = 420;

const IDENTIFIER = /[A-Za-z][\w.-]{3,62}\w/g;

/**
 * Finds wording of published attacks in a folded text, by rule. A heuristic: a harmless text may match, and an attack
 * may not.
 */
export function findPromptInjection(
  text: string,
  context: InjectionContext,
): ReadonlyMap<InjectionRule, readonly Span[]> {
  const { isOwn, isForeign, isOfParameter } = context;
  const found = new Map<InjectionRule, Span[]>();
  // Appends in place: copying would take quadratic time on a text with many matches.
  const add = (rule: InjectionRule, spans: readonly Span[]): void => {
    if (spans.length === 0) return;
    const known = found.get(rule) ?? [];
    for (const span of spans) known.push(span);
    found.set(rule, known);
  };
  add("poison-exfiltration", findTheft(text, isOfParameter));
  add("poison-instruction", findObfuscated(text));
  add(
    "poison-cross-tool-reference",
    findNames(text, (name) => isForeign(name) && !isOwn(name)),
  );
  for (const [rule, span] of findCombinations(text, context)) add(rule, [span]);
  if (text.search(ANY_ANCHOR) === -1) return found;
  for (const { rule, anchor, find } of PATTERNS) {
    for (const [from, to] of partsNear(anchor, text)) add(rule, find(text.slice(from, to), from, context));
  }
  return found;
}

/** Returns the parts of a text near an anchor. Joins parts that touch. */
function partsNear(anchor: RegExp, text: string): readonly Span[] {
  const parts: [number, number][] = [];
  for (const { index } of matchesOf(text, anchor)) {
    const [from, to] = [Math.max(0, index - REACH), index + REACH];
    const last = parts.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = to;
    else parts.push([from, to]);
  }
  return parts;
}

/** Whether a text has such a name, once it is folded. */
export function hasName(text: string, isMatch: (name: string) => boolean): boolean {
  return (foldText(text).match(IDENTIFIER) ?? []).some(isMatch);
}

/** Finds names that are not plain words, since `search` may be a tool or just a word. */
function findNames(text: string, isMatch: (name: string) => boolean): readonly Span[] {
  // Most texts have plain words alone.
  if (!NAME.test(text) && !HYPHENATED.test(text)) return [];
  const isName = (name: string): boolean => (NAME.test(name) || HYPHENATED.test(name)) && isMatch(name);
  return spansOf(text, IDENTIFIER, isName);
}

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
function findObfuscated(text: string): readonly Span[] {
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
  return matchesOf(letters.join(""), SQUEEZED).flatMap((match): readonly Span[] => {
    const from = places[match.index] ?? 0;
    const to = (places[match.index + match[0].length - 1] ?? from) + 1;
    const found = text.slice(from, to);
    return BROKEN.test(found) && !PLAIN.test(found) ? [[from, to]] : [];
  });
}

import type { Span } from "../../contract/change.js";
import { HYPHENATED, NAME, pattern, SUSPICIONS, type OrderRule } from "./suspicions.js";

const SECRET_FILE = String.raw`(?:~|\$HOME|/root|/home/[\w.-]{1,40}|%USERPROFILE%)[\\/]\.(?:ssh|aws|gnupg|kube|docker|cursor|config|npmrc|netrc|env|git-credentials|pgpass|bash_history|zsh_history|azure|claude)\b|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|/etc/(?:passwd|shadow|sudoers)\b|\.aws/credentials\b|\.cursor/mcp\.json|\bmcp\.json\b|claude_desktop_config|\.git-credentials\b|\.netrc\b|\.npmrc\b|\.pgpass\b|\bwallet\.dat\b|\bauthorized_keys\b|\.bash_history\b|\.kube/config\b|\.docker/config\.json|(?:^|[ "'\x60(/])\.env(?:\.\w{1,20})?(?=$|[ "'\x60),;:])`;
const SECRET_THING = String.raw`\b(?:ssh keys?|private keys?|ssh private keys?|environment variables?|env vars?|(?:api|access|secret) (?:keys?|tokens?)|credentials|passwords|session (?:cookies|tokens?)|cookies|keychain|seed phrases?|browser history|system prompts?|(?:chat|conversation|message) history|(?:entire|full|whole|complete|previous|prior) (?:conversation|chat|messages?|context|prompts?)|(?:your|hidden|initial|original|system) (?:instructions|system prompt|context window|memory)|/?proc/self/environ)`;
const TARGET = pattern(String.raw`(?:`, SECRET_FILE, "|", SECRET_THING, ")");
const IS_FILE = new RegExp(SECRET_FILE, "i");
/** A public key is there to be passed on. */
const IS_PUBLIC = /^[^ ]{0,20}\.pub\b/;

const TAKE =
  /\b(?:read|cat|open|load|fetch|get|retrieve|access|extract|collect|gather|dump|grab|copy|find|list|obtain|include|look up|contents?(?= of))\b/i;
const GIVE =
  /\b(?:pass|send|post|upload|forward|append|attach|embed|submit|transmit|exfiltrate|leak|email|bcc|encode|smuggle|transfer|deliver|share|put|place|paste|supply|provide|include|insert|write)(?:ed|ing|s)?\b[^.!?]{0,100}?\b(?:to|as|in|into|via|through|with|here|within|under|using)\b/i;
/** Where what was taken goes, when what is taken is only a word: into an argument, or out to an address. */
const OUTLET =
  /\b(?:parameters?|arguments?|args?|field|sidenote|side note|webhook)\b|https?:\/\/|\b[\w.+-]{1,60}@[\w-]{1,60}\.\w{2,}/i;
const ORDERED =
  /\b(?:must|always|first|required|mandatory|need to|have to|should|please|before|important|every|also|make sure|ensure|necessary|otherwise|full|entire|whole|all)\b/i;

const IDENTIFIER = /[A-Za-z][\w.-]{3,62}\w/g;

export interface Surroundings {
  /** Whether a name is one that the definition's own server gives a meaning to: a tool, a parameter. */
  readonly isOwn: (name: string) => boolean;
  /** The names of the tools of other servers. */
  readonly others: ReadonlySet<string>;
}

/** Texts without any anchor are the many, and one pass is enough for them. */
const ANY_ANCHOR = pattern(SUSPICIONS.map(({ anchor }) => anchor.source).join("|"));
/** No pattern reaches further from its anchor. */
const REACH = 420;

/** Where each rule finds something in a folded text. Heuristic: words may be innocent. */
export function findOrders(
  text: string,
  { isOwn, others }: Surroundings,
): ReadonlyMap<OrderRule, readonly Span[]> {
  const found = new Map<OrderRule, readonly Span[]>();
  const add = (rule: OrderRule, spans: readonly Span[]): void => {
    if (spans.length > 0) found.set(rule, [...(found.get(rule) ?? []), ...spans]);
  };
  add("poison-exfiltration", findTheft(text));
  if (others.size > 0)
    add(
      "poison-cross-tool-reference",
      findNames(text, (name) => others.has(name) && !isOwn(name)),
    );
  if (text.search(ANY_ANCHOR) === -1) return found;
  for (const { rule, anchor, find } of SUSPICIONS) {
    for (const [from, to] of partsNear(anchor, text)) add(rule, find(text.slice(from, to), from, isOwn));
  }
  return found;
}

/** The parts of a text near an anchor; those that touch are one. */
function partsNear(anchor: RegExp, text: string): readonly Span[] {
  const parts: [number, number][] = [];
  for (const { index } of text.matchAll(anchor)) {
    const [from, to] = [Math.max(0, index - REACH), index + REACH];
    const last = parts.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = to;
    else parts.push([from, to]);
  }
  return parts;
}

/** Names that are no plain words: a tool called `search` may be spoken of as anything. */
function findNames(text: string, isMeant: (name: string) => boolean): readonly Span[] {
  return [...text.matchAll(IDENTIFIER)].flatMap(({ 0: name, index }): readonly Span[] =>
    (NAME.test(name) || HYPHENATED.test(name)) && isMeant(name) ? [[index, index + name.length]] : [],
  );
}

/** Something secret that is to be taken and to be given away, close together. */
function findTheft(text: string): readonly Span[] {
  return [...text.matchAll(TARGET)].flatMap((match): readonly Span[] => {
    const [from, to] = [match.index, match.index + match[0].length];
    const [before, after] = [text.slice(Math.max(0, from - 180), from), text.slice(to, to + 180)];
    const around = `${before}\0${after}`;
    if (IS_PUBLIC.test(after) || !TAKE.test(before.slice(-100)) || !GIVE.test(around)) return [];
    if (!IS_FILE.test(match[0]) && !(OUTLET.test(around) && ORDERED.test(around))) return [];
    return [[from, to]];
  });
}

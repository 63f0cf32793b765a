import { actionOf, isVerb, type Action } from "../../core/words/verbs.js";
import { splitWords, STOP_WORDS } from "../../core/words/words.js";
import { ABBREVIATIONS, PHRASES } from "./vocabulary.js";
import { WEIGHTS } from "./weights.js";

/** One request of a query. */
export interface Intent {
  /** The words of the query. */
  readonly text: string;
  /** The words that are searched. */
  readonly words: readonly { readonly word: string; readonly weight: number }[];
  readonly action: Action | undefined;
  /** Whether it has a verb besides its object. */
  readonly hasVerb: boolean;
  /** Whether it asks for facts: a question, or things in a state ("cancelled orders"). Tools that write do not answer it. */
  readonly asks: boolean;
}

const LONGEST_QUERY = 1000;
const MOST_WORDS = 40;
const MOST_INTENTS = 3;

const JOINTS: ReadonlySet<string> = new Set(["and", "then", "afterwards", "also", "plus", "later", "next"]);
const ARTICLES: ReadonlySet<string> = new Set(["a", "an", "another"]);
const FILLERS: ReadonlySet<string> = new Set("to please i want you can could me we it the".split(" "));
const QUESTIONS: ReadonlySet<string> = new Set(["who", "whose", "what", "which", "where", "when", "why"]);
/** Words that begin a question which is answered with yes or no. */
const COPULAS: ReadonlySet<string> = new Set("is are was were do does did has have".split(" "));
/** Words after "how", and the words that "how many", "how big" and "how long" are replaced by. */
const EXTENTS: ReadonlySet<string> = new Set("often old far fast full count size duration".split(" "));
/** States that do not end in "ed". */
const STATES: ReadonlySet<string> = new Set(
  "open due overdue unpaid paid sold sent hidden broken live pending active inactive late".split(" "),
);

/** Splits a query into its requests, which "and" or "then" join. Returns none if the query has no words. */
export function readQuery(text: string): readonly Intent[] {
  const parts = splitIntents(text.slice(0, LONGEST_QUERY));
  const contents = parts.map(contentOf);
  return parts.flatMap((part, index) => {
    const content = contents[index] ?? [];
    // "…and delete it": another part names the object.
    const isBare = content.length === 1 && content.every(isVerb);
    const weights = new Map(content.map((word) => [word, 1]));
    for (const word of contents.flatMap((words, i) => (i === index ? [] : withoutVerb(words))))
      weights.set(word, weights.get(word) ?? (isBare ? 1 : WEIGHTS.context));
    const words = [...weights].map(([word, weight]) => ({ word, weight }));
    const said = parts.length === 1 ? text.slice(0, LONGEST_QUERY) : part.join(" ");
    const full = part.flatMap(expand);
    const asks = asksForFacts(part, content);
    const action = asks ? "read" : actionOf(full);
    // A single word such as "post" may be a noun.
    const hasVerb = content.length > 1 && full.some(isVerb);
    return words.length === 0 ? [] : [{ text: said, words, action, hasVerb, asks }];
  });
}

/** The words of a short form: "rm" means "delete file". */
function expand(word: string): readonly string[] {
  const phrase = PHRASES.find(([short]) => short === word);
  return phrase === undefined ? [ABBREVIATIONS.get(word) ?? word] : phrase[1].split(" ");
}

/** Verbs in a question, such as "which post did she delete", name no task. "How do I delete a post" does. */
function asksForFacts(words: readonly string[], content: readonly string[]): boolean {
  const said = words[0] === "and" || words[0] === "so" ? words.slice(1) : words;
  const [first = "", second = ""] = said;
  if (QUESTIONS.has(first) || COPULAS.has(first)) return said.length > 1;
  if (first === "how") return EXTENTS.has(second);
  if (EXTENTS.has(first)) return said.length > 1;
  return namesState(said, content);
}

/** Whether it begins with a state and things that are in it: "open orders", but not "open an order". */
function namesState(words: readonly string[], [state = "", object = ""]: readonly string[]): boolean {
  if (object === "" || words.indexOf(object) !== words.indexOf(state) + 1) return false;
  if (STATES.has(state)) return !isVerb(state) || object.endsWith("s");
  return state.length > 4 && state.endsWith("ed") && !isVerb(state);
}

function withoutVerb(words: readonly string[]): readonly string[] {
  const [first] = words;
  return first !== undefined && isVerb(first) ? words.slice(1) : words;
}

function contentOf(words: readonly string[]): readonly string[] {
  const content = words.filter((word) => !STOP_WORDS.has(word));
  return content.length > 0 ? content : words;
}

function splitIntents(text: string): readonly (readonly string[])[] {
  const clauses = text
    .split(/(?<![,;.!?])[,;.!?]+(?=\s|$)|\n/)
    .map((clause) => joinPhrasalVerbs(splitWords(clause)));
  let left = MOST_WORDS;
  const parts: string[][] = [];
  for (const clause of clauses) {
    const words = clause.slice(0, left);
    left -= words.length;
    const chunks = splitAtJoints(words);
    for (const chunk of chunks) {
      const last = parts.at(-1);
      const added = last === undefined ? chunk : readNextRequest(chunk, last);
      if (last === undefined || (added !== undefined && parts.length < MOST_INTENTS))
        parts.push([...(added ?? chunk)]);
      else last.push(...chunk);
    }
  }
  return parts.filter((part) => part.length > 0);
}

function splitAtJoints(words: readonly string[]): readonly (readonly string[])[] {
  const chunks: string[][] = [[]];
  for (const word of words) {
    if (JOINTS.has(word)) chunks.push([]);
    else chunks.at(-1)?.push(word);
  }
  return chunks.filter((chunk) => chunk.length > 0);
}

/** Returns the words of a chunk that begins another request; undefined if it continues the previous chunk. */
function readNextRequest(chunk: readonly string[], before: readonly string[]): readonly string[] | undefined {
  const first = chunk.findIndex((word) => !FILLERS.has(word));
  const word = chunk[first];
  if (word === undefined) return undefined;
  if (isVerb(word) && chunk.length > first + 1) return chunk.slice(first);
  if (QUESTIONS.has(word) && chunk.length > 2) return chunk.slice(first);
  const verb = before.find(isVerb);
  // "Create a mailbox and an alias" has one verb for both.
  if (ARTICLES.has(word) && verb !== undefined && ARTICLES.has(before[before.indexOf(verb) + 1] ?? ""))
    return [verb, ...chunk.slice(first)];
  return undefined;
}

/**
 * Verbs of several words, and the single verb of the same meaning. Longer ones first. Those of two words may have an object
 * between them: "take the tag off".
 */
const PHRASAL_VERBS: readonly string[] = [
  "get rid of: delete, throw away: delete, throw out: remove, take away: remove, take down: remove, take off: remove",
  "take out: remove, take back: revert, wipe out: delete, kick out: remove, leave out: exclude, keep out: block",
  "keep away: block, put away: archive, look up: find, look for: find, look at: view, let through: allow, let in: allow",
  "let know: notify, find out: get, set up: create, put up: publish, put together: create, write down: write",
  "sign up: register, sign in: login, sign out: logout, log in: login, log out: logout, turn on: enable",
  "switch on: enable, turn off: disable, switch off: disable, shut down: stop, turn into: convert, make into: convert",
  "start over: restart, start again: restart, run again: rerun, roll back: rollback, go back: back",
  "call off: cancel, put off: postpone, carry out: execute, fill in: fill, fill out: fill",
  "hand over: transfer, pass on: forward, give back: return, pay back: refund, send back: return, back up: backup",
  "put back: restore, bring back: restore, get back: revert, write back: reply, make a copy: copy, make copy: copy",
  "make bigger: resize, make smaller: resize, make wider: resize, make faster: optimize, make quicker: optimize",
  "make sure: verify, speed up: optimize, clean up: cleanup, tidy up: cleanup, count up: count, look like: show",
  "up and running: health, how many: count, how much: cost, how big: size, how large: size, how long: duration",
  "kick off: start, sign off: approve, give to me: get, give to: add, give me: get, give us: get",
];
/** The longest object of such a verb, in words. */
const LONGEST_OBJECT = 4;
/** Particles that are prepositions before the end of a request: "switch the theme on this site". */
const PREPOSITIONS: ReadonlySet<string> = new Set(["on", "in"]);

/** Words before things that exist: "make the box wider" changes a box, "make a box" creates one. */
const DEFINITE: ReadonlySet<string> = new Set("the this that these it them my our his her their".split(" "));

const phrases = PHRASAL_VERBS.flatMap((line) => line.split(", ")).map((entry) => {
  const [phrase = "", verb = ""] = entry.split(": ");
  return { words: phrase.split(" "), verb };
});

function joinPhrasalVerbs(words: readonly string[]): readonly string[] {
  const joined: string[] = [];
  const rest = [...words];
  while (rest.length > 0) {
    const match = phrases.find((phrase) => phrase.words.every((word, i) => rest[i] === word));
    const apart =
      match === undefined ? phrases.find((phrase) => endOfObject(phrase.words, rest) > 0) : undefined;
    if (apart !== undefined) rest.splice(endOfObject(apart.words, rest), 1);
    const [word = ""] = rest.splice(0, match?.words.length ?? 1);
    joined.push(
      match?.verb ?? apart?.verb ?? (word === "make" && DEFINITE.has(rest[0] ?? "") ? "change" : word),
    );
  }
  return joined;
}

/** The place of the particle if the words begin with this verb, an object, and its particle; 0 otherwise. */
function endOfObject([verb, particle = "", third]: readonly string[], words: readonly string[]): number {
  // "How do I delete many posts" does not ask how many.
  if (words[0] !== verb || verb === "how" || third !== undefined) return 0;
  const end = words.slice(0, LONGEST_OBJECT + 2).indexOf(particle, 2);
  const isInside = words.slice(1, end).every((word) => !JOINTS.has(word));
  const isParticle = !PREPOSITIONS.has(particle) || end === words.length - 1;
  return end > 0 && isInside && isParticle ? end : 0;
}

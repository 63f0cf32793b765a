import type { Span } from "../../../core/change.js";
import { groupBy } from "../../../core/collections.js";
import { type InjectionContext, type InjectionRule, isQuoted } from "./pattern.js";
import { findWords, type FoundWord } from "./lexicon.js";
import type { Idea } from "./words.js";
import { matchesOf } from "../texts.js";

/** An idea, or a verb that is negated. */
type Sign = Idea | `not ${Idea}`;

const ideaOf = (sign: Sign): Idea => sign.replace("not ", "") as Idea;

/** Ideas that are an attack if one sentence has them, in any order. */
interface Combination {
  /** One sign of each list occurs. */
  readonly needs: readonly (readonly Sign[])[];
  /** The greatest distance of each sign from the first, in characters. */
  readonly reach: number;
  /** Whether two sentences may share the signs. */
  readonly isAcross?: true;
  /** Whether only the description of a parameter can be the attack, since the server receives what it asks for. */
  readonly isOfParameter?: true;
}

const COMBINATIONS: { readonly [rule in InjectionRule]: readonly Combination[] } = {
  "poison-exfiltration": [
    { needs: [["secretPlace"], ["give"], ["outlet", "take"]], reach: 100, isAcross: true },
    { needs: [["secretPlace"], ["take"], ["must"]], reach: 60 },
    { needs: [["secretPlace"], ["give", "take"]], reach: 60, isOfParameter: true },
    { needs: [["secret"], ["give"], ["outlet"], ["must", "address"]], reach: 80 },
    { needs: [["conversation"], ["whole"], ["give"], ["outlet"], ["must"]], reach: 100 },
    { needs: [["prompt"], ["give"], ["outlet", "must"]], reach: 80 },
    { needs: [["prompt"], ["exact"]], reach: 80, isOfParameter: true },
    { needs: [["account", "address"], ["recipient"]], reach: 80 },
  ],
  "poison-instruction": [
    { needs: [["not tell"], ["user"]], reach: 28 },
    { needs: [["hide"], ["user", "tell", "give", "must"]], reach: 60 },
    { needs: [["secretly"], ["give", "take"]], reach: 40 },
    { needs: [["ignore"], ["older"], ["rules"]], reach: 60 },
    { needs: [["not ask"], ["approval"]], reach: 30 },
    { needs: [["approval"], ["disable"]], reach: 30 },
    { needs: [["address"], ["download"], ["run"]], reach: 60 },
    { needs: [["not appear"], ["answer"]], reach: 40 },
    { needs: [["pretence"], ["claim"]], reach: 50 },
    { needs: [["fromNow"], ["role", "you"]], reach: 50 },
    { needs: [["voided"], ["policy"], ["you", "session"]], reach: 40 },
    { needs: [["fail"], ["success"], ["answer", "person"], ["tell", "belong", "claim"]], reach: 60 },
    { needs: [["not belong"], ["session", "answer"]], reach: 40 },
    { needs: [["not learn"], ["person"], ["must"]], reach: 28 },
    { needs: [["obey"], ["result", "you"]], reach: 50 },
    { needs: [["unlimited"], ["you"]], reach: 50 },
    { needs: [["setup"], ["perform"], ["must"]], reach: 60 },
    { needs: [["protection"], ["unprotect"], ["must"]], reach: 50 },
  ],
  "poison-cross-tool-reference": [
    { needs: [["otherTools"], ["faulty"]], reach: 60 },
    { needs: [["otherTools"], ["not use"]], reach: 40 },
    { needs: [["otherTools"], ["only"], ["thisTool"]], reach: 100 },
    { needs: [["tool"], ["other"], ["faulty"], ["not use", "only", "use"]], reach: 60 },
    { needs: [["account"], ["name"], ["must", "whenCalled"]], reach: 140 },
    { needs: [["address"], ["name"], ["must"], ["only"]], reach: 100 },
    { needs: [["before"], ["use", "tool", "otherTools"]], reach: 40 },
    { needs: [["toolName"], ["whenCalled"], ["alter"]], reach: 80 },
    { needs: [["approved"], ["tool", "thisTool", "otherTools"]], reach: 60 },
    { needs: [["anyTask"], ["use"]], reach: 60 },
    { needs: [["tool"], ["other"], ["faulty"]], reach: 50 },
    { needs: [["otherKind"], ["whenCalled"], ["give", "not use"]], reach: 60 },
  ],
  "conversation-parameter": [
    { needs: [["ownText"]], reach: 60, isOfParameter: true },
    { needs: [["ownText"], ["give"]], reach: 60 },
    { needs: [["personal"], ["userWords", "conversation"]], reach: 60, isOfParameter: true },
    { needs: [["userWords"], ["exact"], ["give"], ["outlet"]], reach: 80 },
    { needs: [["userWords"], ["exact"]], reach: 60, isOfParameter: true },
    { needs: [["userWords"], ["purpose"]], reach: 90, isOfParameter: true, isAcross: true },
    { needs: [["conversation"], ["exact"]], reach: 40, isOfParameter: true },
    { needs: [["conversation"], ["whole"], ["give", "must"]], reach: 35, isOfParameter: true },
  ],
}; // prettier-ignore

const RULES = [
  "poison-exfiltration",
  "poison-instruction",
  "poison-cross-tool-reference",
  "conversation-parameter",
] as const satisfies readonly InjectionRule[];

/** The combinations with the ideas that they need, whether negated or not. */
const ALL = RULES.flatMap((rule) =>
  COMBINATIONS[rule].map((combination) => {
    const needs = combination.needs.map((one) => one.map(ideaOf));
    return { rule, combination, needs };
  }),
);
/** Those that are attacks in any text. */
const ANYWHERE = ALL.filter(({ combination }) => combination.isOfParameter !== true);

function ideasOf(words: readonly FoundWord[], more: readonly Idea[] = []): ReadonlySet<Idea> {
  return new Set([...words.map(({ idea }) => idea), ...more]);
}

function haveAll(ideas: ReadonlySet<Idea>, needs: readonly (readonly Idea[])[]): boolean {
  return needs.every((any) => any.some((idea) => ideas.has(idea)));
}

/** Finds attacks in any words: ideas that occur together in a sentence of a folded text. */
export function findCombinations(
  text: string,
  { isOfParameter, isOwn }: InjectionContext,
): readonly (readonly [InjectionRule, Span])[] {
  const candidates = isOfParameter ? ALL : ANYWHERE;
  const words = withoutPublic(text, findWords(text));
  const allIdeas = ideasOf(
    words,
    SHAPES.map(([idea]) => idea),
  );
  // Most texts lack an idea of each combination, whatever their shapes are.
  if (!candidates.some(({ needs }) => haveAll(allIdeas, needs))) return [];
  const all = [...words, ...findShapes(text, isOwn)].sort((one, other) => one.from - other.from);
  const sentences = splitAt(endsOfSentences(text), all);
  return sentences.flatMap((sentence, at) => {
    if (sentence.length === 0) return [];
    const pair = [...(sentences[at - 1] ?? []), ...sentence];
    const [ideas, ideasOfPair] = [ideasOf(sentence), ideasOf(pair)];
    const possible = candidates.filter(({ combination: { isAcross }, needs }) =>
      haveAll(isAcross === true ? ideasOfPair : ideas, needs),
    );
    const [here, both] = [signsOf(sentence), signsOf(pair)];
    return possible.flatMap(({ rule, combination }): readonly (readonly [InjectionRule, Span])[] => {
      const signs = combination.isAcross === true ? both : here;
      const span = findCombination(combination.needs, signs, combination.reach, text);
      return span === undefined ? [] : [[rule, span]];
    });
  });
}

/** Ideas that are found by their shape, not by words. */
const SHAPES: readonly (readonly [Idea, RegExp])[] = [
  ["address", /https?:\/\/[^\s"'<>]{4,200}/gi],
  // Mail addresses, phone numbers, IBANs and numbers of cards and accounts.
  ["account", /[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,30}){1,4}|\+\d[\d -]{8,18}\d|\b[A-Z]{2}\d{2}(?: ?[\dA-Z]{3,4}){3,7}\b|\b\d{4}(?: \d{3,4}){2,4}\b/g],
  ["name", /\b[A-Za-z][A-Za-z\d]{1,30}(?:_[A-Za-z\d]{1,30}){1,5}\b|\b[a-z]{2,30}[A-Z][A-Za-z\d]{1,30}\b/g],
  // Names of tools that act outside of their server.
  ["toolName", /\b(?:send|create|delete|remove|write|post|pay|make|transfer|push|upload|share|publish|forward|reply|execute|git|mail|email|gmail|slack|payment)_[a-z]{2,20}(?:_[a-z]{2,20}){0,2}\b|\b[a-z]{3,20}_(?:email|mail|message|payment|transfer|invoice)\b/g],
]; // prettier-ignore

/** Finds addresses, and names that are not of this server. */
function findShapes(text: string, isOwn: (name: string) => boolean): readonly FoundWord[] {
  let addressed = 0;
  const found = SHAPES.flatMap(([idea, shape]) =>
    matchesOf(text, shape).map(({ 0: { length }, index: from }): FoundWord => ({
      idea,
      from,
      to: from + length,
    })),
  ).sort((one, other) => one.from - other.from);
  return found.filter(({ idea, from, to }) => {
    if (idea === "address") addressed = to;
    return idea === "address" || idea === "account" || (from >= addressed && !isOwn(text.slice(from, to)));
  });
}

/** Leaves out the names of public keys, and of examples of `.env`: these have no secrets. */
function withoutPublic(text: string, words: readonly FoundWord[]): readonly FoundWord[] {
  if (!text.includes(".pub") && !text.includes(".env.")) return words;
  return words.filter(
    ({ from, to }) =>
      !/^[^ ]{0,30}\.pub\b/.test(text.slice(to, to + 40)) &&
      !/^\.env\.(?:example|sample|template|dist)\b/.test(text.slice(from, from + 20)),
  );
}

const END = /[!?。।؟]|\.(?=\s|$|[^\0-\x7f])/g;
const LONG_SENTENCE = 400;

/** Returns the ends of sentences, and of parts of long ones. */
function endsOfSentences(text: string): readonly number[] {
  const ends: number[] = [];
  const add = (end: number): void => {
    for (let last = ends.at(-1) ?? 0; end - last > LONG_SENTENCE; last += LONG_SENTENCE)
      ends.push(last + LONG_SENTENCE);
    ends.push(end);
  };
  for (const { index } of matchesOf(text, END)) add(index + 1);
  add(text.length);
  return ends;
}

function splitAt(ends: readonly number[], words: readonly FoundWord[]): readonly (readonly FoundWord[])[] {
  let at = 0;
  return ends.map((end) => {
    const first = at;
    while ((words[at]?.from ?? Infinity) < end) at += 1;
    return words.slice(first, at);
  });
}

const VERBS: ReadonlySet<Idea> = new Set([
  "appear", "ask", "belong", "give", "learn", "obey", "take", "tell", "use",
]); // prettier-ignore
/** The greatest distance of a negation from its verb. */
const NEAR = 30;
/** Groups the words of a sentence. A negation applies to the nearest verb after it, or to the verb that contains it. */
function signsOf(words: readonly FoundWord[]): ReadonlyMap<Sign, readonly FoundWord[]> {
  const longest = new Map<number, number>();
  for (const { from, to } of words) longest.set(from, Math.max(to, longest.get(from) ?? 0));
  // "use" in "user" is not a verb.
  const verbs = words.filter(({ idea, from, to }) => VERBS.has(idea) && longest.get(from) === to);
  const negated = new Set<number>();
  for (const not of words.filter(({ idea }) => idea === "not")) {
    const later = verbs.filter((verb) => verb.from >= not.from && verb.to > not.to);
    const same = verbs.filter((verb) => gapBetween(not, verb) === 0);
    for (const side of [later, same]) {
      const least = Math.min(NEAR, ...side.map((verb) => gapBetween(not, verb)));
      for (const verb of side) if (gapBetween(not, verb) === least) negated.add(verb.from);
    }
  }
  return groupBy(words, ({ idea, from }): Sign =>
    VERBS.has(idea) && negated.has(from) ? `not ${idea}` : idea,
  );
}

function gapBetween(a: FoundWord, b: FoundWord): number {
  return Math.max(a.from - b.to, b.from - a.to, 0);
}

function findCombination(
  needs: Combination["needs"],
  signs: ReadonlyMap<Sign, readonly FoundWord[]>,
  reach: number,
  text: string,
): Span | undefined {
  const [firsts = [], ...others] = needs.map((any) => any.flatMap((sign) => signs.get(sign) ?? []));
  for (const first of firsts) {
    if (isQuoted(text, first.from)) continue;
    const all = [first];
    for (const any of others) {
      const near = any.find(
        (word) => all.every(({ from }) => from !== word.from) && gapBetween(first, word) <= reach,
      );
      if (near !== undefined) all.push(near);
    }
    if (all.length === needs.length)
      return [Math.min(...all.map(({ from }) => from)), Math.max(...all.map(({ to }) => to))];
  }
  return undefined;
}

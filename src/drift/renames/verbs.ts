import { areAlike } from "./similarity.js";

/** The verbs that names of tools are made of, by what they do. A general verb does several things. */
const KINDS = {
  read: ["get", "list", "read", "fetch", "search", "find", "show", "query", "describe", "view", "check", "retrieve"],
  create: ["create", "add", "insert", "new", "write", "upsert", "save", "put", "manage"],
  update: ["update", "edit", "set", "modify", "change", "patch", "write", "upsert", "save", "put", "manage"],
  delete: ["delete", "remove", "destroy", "drop", "clear", "manage"],
}; // prettier-ignore

const VERBS: ReadonlyMap<string, readonly string[]> = Object.entries(KINDS).reduce((kinds, [kind, verbs]) => {
  for (const verb of verbs) kinds.set(verb, [...(kinds.get(verb) ?? []), kind]);
  return kinds;
}, new Map<string, readonly string[]>());

/** Words that name the opposite of one another. A word and the same word after `un`, `dis` or `de` do, too. */
const OPPOSITES: readonly (readonly string[])[] = [
  ["start", "stop"], ["start", "end"], ["open", "close"], ["enable", "disable"], ["pause", "resume"], ["allow", "deny"],
  ["approve", "reject"], ["before", "after"], ["first", "last"], ["from", "to"], ["min", "max"], ["input", "output"],
  ["source", "target"], ["x", "y"], ["limit", "offset"], ["sender", "recipient"], ["any", "all"],
]; // prettier-ignore

/** What a verb does, or any other word itself. */
export function kindsOf(word: string): readonly string[] {
  return VERBS.get(word) ?? [word];
}

/** Verbs that names use one for another. */
const SYNONYMS: readonly (readonly string[])[] = [
  ["list", "search", "find", "query"],
  ["get", "read", "fetch", "show", "describe", "view", "retrieve"],
  ["create", "add", "insert", "new"],
  ["update", "edit", "modify", "change", "patch"],
  ["delete", "remove", "destroy", "drop"],
];

/** Whether two words say the same: one abbreviates the other, or both are verbs for the same. */
export function saySame(word: string, other: string): boolean {
  return areAlike(word, other) || SYNONYMS.some((verbs) => verbs.includes(word) && verbs.includes(other));
}

export function isVerb(word: string): boolean {
  return VERBS.has(word);
}

/** Whether the verbs of two names do different things, or a word of one is the opposite of a word of the other. */
export function areOpposed(before: readonly string[], after: readonly string[]): boolean {
  const [was, is] = [before, after].map((words) => words.filter(isVerb).flatMap(kindsOf));
  if (was === undefined || is === undefined) return false;
  if (was.length > 0 && is.length > 0 && !was.some((kind) => is.includes(kind))) return true;
  const [gone, come] = [
    before.filter((word) => !after.includes(word)),
    after.filter((word) => !before.includes(word)),
  ];
  return gone.some((word) => come.some((other) => isOpposite(word, other) || isOpposite(other, word)));
}

function isOpposite(word: string, other: string): boolean {
  const isListed = OPPOSITES.some((pair) => pair.includes(word) && pair.includes(other));
  return isListed || ["un", "dis", "de"].some((prefix) => `${prefix}${word}` === other);
}

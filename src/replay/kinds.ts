import { isCreatingVerb, isVerbInName, PREPOSITIONS, singularOf } from "../vocabulary/verbs.js";
import { splitWords } from "../vocabulary/split-words.js";

/**
 * What a name says about the thing it names, in lower-case words: `create_blog_post` makes a "blog post", and so
 * `blogPostId` and `post_id` may be its id. These are guesses, and callers have to treat them so.
 */

const ID_WORDS: ReadonlySet<string> = new Set(["id", "ids", "uuid", "guid"]);

/** Things of a kind refer to others of the kind by these. */
const RELATIONS: ReadonlySet<string> = new Set(["parent", "reply to", "in reply to"]);

/** Objects that hold an answer and are not the thing itself. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...["data", "result", "results", "item", "items", "response", "value", "record", "object", "entity"],
  ...["body", "payload", "previous", "input", "created", "updated"],
]);

/** What a tool deals with, by its name: `content/create-post` a "post". Empty where the name is all verb. */
export function nounOf(tool: string): string {
  const words = splitWords(tool);
  const verb = words.findIndex((word) => isVerbInName(word));
  const after = words.slice(verb + 1);
  const end = after.findIndex((word) => PREPOSITIONS.has(word));
  const noun = end === -1 ? after : after.slice(0, end);
  // `comments/create`
  return singular(noun.length === 0 ? words.slice(0, Math.max(verb, 0)) : noun);
}

/** Whether a tool's name says that it creates something. */
export function isCreating(tool: string): boolean {
  const verb = splitWords(tool).find((word) => isVerbInName(word));
  return verb !== undefined && isCreatingVerb(verb);
}

export interface NamedKind {
  readonly kind: string;
  /** Whether the name says that the value is an id. */
  readonly isId: boolean;
}

/** What a value's path says that it is, within a tool that deals with `noun`. */
export function kindAt(path: readonly (string | number)[], noun: string): NamedKind {
  const keys = path.filter((step) => typeof step === "string");
  const words = splitWords(keys.at(-1) ?? "");
  const isId = ID_WORDS.has(words.at(-1) ?? "");
  const named = isId ? words.slice(0, -1) : words;
  if (RELATIONS.has(named.join(" "))) return { kind: noun, isId: true };
  if (named.length > 0) return { kind: singular(named), isId };
  const around = splitWords(keys.at(-2) ?? "");
  const isBare = around.length === 0 || WRAPPERS.has(around.join(" "));
  return { kind: isBare ? noun : singular(around), isId };
}

/** Whether an id of one kind may be one of the other: a "blog post" is a "post". */
export function isRelated(one: string, other: string): boolean {
  return one === other || (one !== "" && other !== "" && (isTail(one, other) || isTail(other, one)));
}

function isTail(long: string, short: string): boolean {
  return long.endsWith(` ${short}`);
}

function singular(words: readonly string[]): string {
  const last = words.at(-1);
  if (last === undefined) return "";
  return [...words.slice(0, -1), singularOf(last)].join(" ");
}

import { groupBy } from "../../core/collections.js";
import {
  canonicalJson,
  findOwn,
  getOwn,
  isJsonObject,
  type JsonValue,
  listOrEmpty,
} from "../../core/json.js";
import type { ToolSnapshot } from "../../core/snapshot.js";
import {
  areSynonyms,
  effectOfVerb,
  PREPOSITIONS,
  singularOf,
  type VerbEffect,
  verbOfName,
} from "../../core/words/verbs.js";
import {
  alikeOf,
  areAlike,
  diceOf,
  haveOppositeWords,
  haveOtherActions,
  isActionVerb,
  kindsOf,
  meanOf,
  partsOfName,
  shareOf,
  type Weigh,
  weighByRarity,
  wordsOfName,
  wordsOfText,
} from "./similarity.js";

/** The least score for names with the same words in another spelling. */
const SAME_WORDS = 0.9;
/** The factor for tools with other actions, such as `create` and `update`. */
const CONTRADICTED = 0.5;
/** The factor for names that each have their own word. */
const REPLACED = 0.8;
/** The factor if the names of other tools contain one of these words, so that the word distinguishes tools. */
const DISTINGUISHED = 0.65;
/** The similarity of properties and descriptions that makes own words in the names irrelevant. */
const SAME_USE = 0.75;
/** The least share of the topic of a name that the name of a merged tool must contain. */
const LEAST_TOPIC = 0.4;
/** The least share of the rest of that name that the choices of one property must contain. */
const LEAST_OFFERED = 0.5;

/** Returns how likely a tool was renamed, from 0 to 1. */
export function scoreRename(before: Traits, after: Traits, server: ServerWords): number {
  if (haveOppositeEffects(before, after)) return 0;
  const verbs = new Set([...before.verb, ...after.verb]);
  const isSame = (word: string, other: string): boolean =>
    areAlike(word, other) || (verbs.has(word) && verbs.has(other) && areSynonyms(word, other));
  const name = alikeOf(before.name, after.name, server.name, isSame);
  const properties = diceOf(typed(before, after), typed(after, before), server.property);
  const description = diceOf(before.description, after.description, server.description);
  const score = meanOf([[0.4, name], [0.35, properties], [0.25, description]]); // prettier-ignore
  if (haveOtherActions(before.verb, after.verb) || haveOppositeWords(before.name, after.name))
    return score * CONTRADICTED;
  if (before.spelt === after.spelt) return Math.max(score, SAME_WORDS);
  const removed = ownWords(before, after);
  const added = ownWords(after, before);
  if (removed.length === 0 || added.length === 0) return score;
  // A word that other tools still use, or used before, does not replace another word.
  if (removed.some((word) => server.after.has(word)) || added.some((word) => server.before.has(word)))
    return score * DISTINGUISHED;
  const use = meanOf([[0.5, properties], [0.5, description]]); // prettier-ignore
  return use >= SAME_USE ? score : score * REPLACED;
}

/**
 * Returns how likely a tool was merged into a tool that replaces several, from 0 to 1. The new tool must have the same topic
 * and a property that selects the old tool's action: a tool with many properties resembles every other tool.
 */
export function scoreMerge(before: Traits, after: Traits, server: ServerWords): number {
  const topic = before.name.filter((word) => !before.verb.includes(word));
  const isAbout = topic.some((word) => after.name.includes(word) && !server.common.has(word));
  if (!isAbout || (shareOf(topic, after.name) ?? 0) < LEAST_TOPIC) return 0;
  const rest = before.name.filter((word) => !after.name.includes(word));
  const extra = after.properties.filter((name) => !before.properties.includes(name));
  const [choice] = extra
    .map((property) => after.choices.get(property) ?? [])
    .map((words) => ({ words, offered: shareOf(rest, words) ?? 0 }))
    .sort((a, b) => b.offered - a.offered);
  const { words = [], offered = 0 } = choice ?? {};
  if (rest.length > 0 && offered < LEAST_OFFERED) return 0;
  const wordsAfter = [...after.name, ...words];
  if (after.annotated === "reads" && before.annotated === "writes") return 0;
  const actions = [...after.verb, ...words].filter(isActionVerb);
  if (haveOtherActions(before.verb, actions) || haveOppositeWords(before.verb, actions)) return 0;
  const name = shareOf(before.name.flatMap(kindsOf), wordsAfter.flatMap(kindsOf), server.name);
  const properties = shareOf(before.properties, after.properties, server.property);
  const description = shareOf(before.description, [...after.description, ...wordsAfter], server.description);
  return meanOf([[0.5, name], [0.3, properties], [0.2, description]]); // prettier-ignore
}

/**
 * Returns how likely a tool is a part of a larger tool with the same action, from 0 to 1: the larger one has all its
 * properties and more, and is about the same thing. `get_user_by_id` is a part of a `get_user` that takes an id or an address.
 */
export function scorePart(part: Traits, whole: Traits, server: ServerWords): number {
  if (haveOppositeEffects(part, whole) || haveOtherActions(part.verb, whole.verb)) return 0;
  const hasAll = typed(part, whole).every((name) => whole.properties.includes(name));
  if (part.properties.length === 0 || part.properties.length >= whole.properties.length || !hasAll) return 0;
  const topic = topicOf(part, part);
  const wider = topicOf(whole, whole);
  const isAbout = topic.some((word) => !server.common.has(word));
  if (!isAbout || !topic.every((word) => whole.name.includes(word))) return 0;
  const name = shareOf(wider, part.name) ?? 0;
  const description = shareOf(part.description, whole.description, server.description);
  return name < LEAST_TOPIC ? 0 : meanOf([[0.5, 1], [0.3, name], [0.2, description]]); // prettier-ignore
}

/** The words of a name without its verb, prepositions and the properties of a tool: the thing that the tool is about. */
function topicOf({ name, verb }: Traits, { properties }: Traits): readonly string[] {
  const propertyWords = properties.flatMap((property) => property.split(" "));
  const others = name.filter((word) => !verb.includes(word) && !PREPOSITIONS.has(word));
  return others.filter((word) => !propertyWords.includes(word));
}

/** The words of a tool's name without a similar word in the name of another tool. */
function ownWords(tool: Traits, other: Traits): readonly string[] {
  const shares = tool.verb.flatMap(kindsOf).some((kind) => other.verb.flatMap(kindsOf).includes(kind));
  return tool.name.filter(
    (word) => !(shares && tool.verb.includes(word)) && !other.name.some((each) => areAlike(word, each)),
  );
}

/** The names of properties, with their types if the other tool's property has another type. */
function typed(tool: Traits, other: Traits): readonly string[] {
  return tool.properties.map((name) => {
    const schema = tool.schemas.get(name);
    const others = other.schemas.get(name);
    return others === undefined || schema === others ? name : `${name}: ${schema ?? ""}`;
  });
}

/** Whether two tools have opposite effects, such as reading and deleting: then neither is the other under a new name. */
export function areOppositeTools(before: ToolSnapshot, after: ToolSnapshot): boolean {
  return haveOppositeEffects(traitsOf(before), traitsOf(after));
}

/** As {@link areOppositeTools}, by verbs or by annotations. A tool that lacks one of these is compared by the other. */
function haveOppositeEffects(before: Traits, after: Traits): boolean {
  const { named: namedBefore, annotated: annotatedBefore } = before;
  const { named: namedAfter, annotated: annotatedAfter } = after;
  const differ = (effect: VerbEffect | undefined, other: VerbEffect | undefined): boolean =>
    effect !== undefined && other !== undefined && effect !== other;
  if (differ(namedBefore, namedAfter) || differ(annotatedBefore, annotatedAfter)) return true;
  // An annotation does not say what is written, so only reading is the opposite.
  const oppose = (named: VerbEffect | undefined, annotated: VerbEffect | undefined): boolean =>
    named !== undefined && annotated !== undefined && (named === "reads") !== (annotated === "reads");
  return (
    (namedAfter === undefined && annotatedBefore === undefined && oppose(namedBefore, annotatedAfter)) ||
    (namedBefore === undefined && annotatedAfter === undefined && oppose(namedAfter, annotatedBefore))
  );
}

interface Traits {
  readonly name: readonly string[];
  /** The verb of the name; empty without one. */
  readonly verb: readonly string[];
  readonly named: VerbEffect | undefined;
  /** The effect that the annotations state: reading, or writing of any kind. */
  readonly annotated: "reads" | "writes" | undefined;
  readonly spelt: string;
  readonly description: readonly string[];
  readonly properties: readonly string[];
  readonly schemas: ReadonlyMap<string, string>;
  /**
   * The words of the enumerated values of each property. For a required property also the words of its description, because
   * some servers describe the values in words.
   */
  readonly choices: ReadonlyMap<string, readonly string[]>;
}

export function traitsOf(tool: ToolSnapshot): Traits {
  const keyed = propertiesOf(tool);
  // Several names may have the same words, such as `userId` and `user_id`.
  const byWords = [...groupBy(keyed, ([key]) => key)];
  const required = requiredOf(tool);
  const verb = verbOfName(partsOfName(tool.name));
  return {
    name: wordsOfName(tool.name),
    verb: verb === undefined ? [] : [singularOf(verb)],
    named: verb === undefined ? undefined : effectOfVerb(verb),
    annotated: annotatedEffectOf(tool),
    spelt: [...partsOfName(tool.name)].sort().join(" "),
    description: wordsOfDescription(tool),
    properties: keyed.map(([key]) => key),
    schemas: new Map(
      byWords.map(([key, all]) => [key, [...new Set(all.map(([, item]) => typeTextOf(item)))].sort().join()]),
    ),
    choices: new Map(
      byWords.map(([key, all]) => [key, all.flatMap(([, item]) => choicesOf(item, required.includes(key)))]),
    ),
  };
}

function annotatedEffectOf(tool: ToolSnapshot): "reads" | "writes" | undefined {
  const annotations = getOwn(tool, "annotations");
  const reads = findOwn(annotations, "readOnlyHint");
  if (reads === true) return "reads";
  return reads === false || findOwn(annotations, "destructiveHint") === true ? "writes" : undefined;
}

/** Properties by the words of their names. */
export function propertiesOf(tool: ToolSnapshot): readonly (readonly [string, JsonValue])[] {
  const map = findOwn(getOwn(tool, "inputSchema"), "properties");
  const properties = isJsonObject(map) ? Object.entries(map) : [];
  return properties.map(([name, item]) => [wordsOfName(name).join(" "), item]);
}

function requiredOf(tool: ToolSnapshot): readonly string[] {
  const names = listOrEmpty(findOwn(getOwn(tool, "inputSchema"), "required"));
  return names.flatMap((name) => (typeof name === "string" ? [wordsOfName(name).join(" ")] : []));
}

function wordsOfDescription(tool: ToolSnapshot): readonly string[] {
  const description = getOwn(tool, "description");
  return typeof description === "string" ? wordsOfText(description) : [];
}

function choicesOf(schema: JsonValue, isRequired: boolean): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const listed = listOrEmpty(getOwn(schema, "enum"));
  const description = getOwn(schema, "description");
  return [
    ...listed.slice(0, 50).flatMap((value) => (typeof value === "string" ? wordsOfName(value) : [])),
    ...(isRequired && typeof description === "string" ? wordsOfText(description) : []),
  ];
}

function typeTextOf(schema: JsonValue): string {
  const type = findOwn(schema, "type");
  return type === undefined ? "" : canonicalJson(type);
}

interface ServerWords {
  /** The weight of a word or a property, by its rarity. */
  readonly name: Weigh;
  readonly description: Weigh;
  readonly property: Weigh;
  /** The words of all names, before and after. */
  readonly before: ReadonlySet<string>;
  readonly after: ReadonlySet<string>;
  /** The words in most names, such as a prefix. */
  readonly common: ReadonlySet<string>;
}

const LEAST_NAMES = 4;

export function wordsOfServer(
  removed: readonly ToolSnapshot[],
  added: readonly ToolSnapshot[],
  others: readonly ToolSnapshot[],
): ServerWords {
  const tools = [...removed, ...added, ...others];
  const wordsOf = (some: readonly ToolSnapshot[]): ReadonlySet<string> =>
    new Set(some.flatMap(({ name }) => wordsOfName(name)));
  const names = tools.map(({ name }) => wordsOfName(name));
  const kept = others.map(({ name }) => wordsOfName(name));
  // If there are few tools, a word in most of them may be their topic.
  const isCommon = (word: string): boolean =>
    kept.length >= LEAST_NAMES && 2 * kept.filter((name) => name.includes(word)).length > kept.length;
  return {
    name: weighByRarity(names),
    description: weighByRarity(tools.map(wordsOfDescription)),
    property: weighByRarity(tools.map((tool) => propertiesOf(tool).map(([key]) => key))),
    before: wordsOf([...removed, ...others]),
    after: wordsOf([...added, ...others]),
    common: new Set([...wordsOf(others)].filter(isCommon)),
  };
}

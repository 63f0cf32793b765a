import { canonicalJson } from "../../contract/canonical-json.js";
import { findOwn, getOwn, isJsonObject, type JsonValue } from "../../contract/json.js";
import type { ToolSnapshot } from "../../contract/snapshot.js";
import {
  type Action,
  actionsOf,
  areOpposites,
  areSynonyms,
  singularOf,
  verbOfName,
} from "../../vocabulary/verbs.js";
import {
  alikeOf,
  areAlike,
  areOpposed,
  diceOf,
  isVerb,
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
/** The factor for tools with opposite effects. */
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

/** Returns how likely a tool was renamed, from 0 to 1; 0 if one tool reads and the other destroys. */
export function scoreRename(before: Traits, after: Traits, server: ServerWords): number {
  if (haveOppositeEffects(before, after)) return 0;
  const verbs = [before.verb, after.verb];
  const areEquivalent = (word: string, other: string): boolean =>
    areAlike(word, other) || (verbs.includes(word) && verbs.includes(other) && areSynonyms(word, other));
  const name = alikeOf(before.name, after.name, server.name, areEquivalent);
  const properties = diceOf(typed(before, after), typed(after, before), server.property);
  const description = diceOf(before.description, after.description, server.description);
  const score = meanOf([[0.4, name], [0.35, properties], [0.25, description]]); // prettier-ignore
  if (contradictsReader(before, after) || haveOtherActions(before, after)) return score * CONTRADICTED;
  if (before.spelt === after.spelt) return Math.max(score, SAME_WORDS);
  const [removed, added] = [ownWords(before, after), ownWords(after, before)];
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
  const topic = before.name.filter((word) => word !== before.verb && !isVerb(word));
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
  const known = [...after.name, ...words];
  if (after.isReader === true && (before.isReader === false || before.effect === "destroys")) return 0;
  if (areOpposed(before.name.filter(isVerb), known.filter(isVerb))) return 0;
  const name = shareOf(before.name.flatMap(kindsOf), known.flatMap(kindsOf), server.name);
  const properties = shareOf(before.properties, after.properties, server.property);
  const description = shareOf(before.description, [...after.description, ...known], server.description);
  return meanOf([[0.5, name], [0.3, properties], [0.2, description]]); // prettier-ignore
}

/** The words of a name without a similar word in another name. The verbs are similar if they share an action. */
function ownWords(tool: Traits, other: Traits): readonly string[] {
  const isShared = tool.actions.some((action) => other.actions.includes(action));
  return tool.name.filter(
    (word) => !(isShared && word === tool.verb) && !other.name.some((each) => areAlike(word, each)),
  );
}

/** The names of properties, with their types if the other tool's property has another type. */
function typed(tool: Traits, other: Traits): readonly string[] {
  return tool.properties.map((name) => {
    const [own, others] = [tool.schemas.get(name), other.schemas.get(name)];
    return others === undefined || own === others ? name : `${name}: ${own ?? ""}`;
  });
}

/** Whether one tool only reads and the other does not. */
function contradictsReader(before: Traits, after: Traits): boolean {
  const [was, is] = [before.isReader, after.isReader];
  return was !== undefined && is !== undefined && was !== is;
}

/** Whether the verbs of two names have no action in common, or the names contain opposite words. */
function haveOtherActions(before: Traits, after: Traits): boolean {
  const [was, is] = [before.actions, after.actions];
  if (was.length > 0 && is.length > 0 && !was.some((action) => is.includes(action))) return true;
  const lacks = ({ name }: Traits, other: Traits): readonly string[] =>
    name.filter((word) => !other.name.includes(word));
  const added = lacks(after, before);
  return lacks(before, after).some((word) => added.some((other) => areOpposites(word, other)));
}

/**
 * Whether one tool only reads and the other destroys, by its annotations, or else by its verb. No similarity outweighs
 * this: a permission may follow a rename.
 */
export function haveOppositeEffects(before: Traits, after: Traits): boolean {
  return (
    (before.effect === "reads" && after.effect === "destroys") ||
    (before.effect === "destroys" && after.effect === "reads")
  );
}

/** The parts of a tool that are compared. */
export interface Traits {
  readonly name: readonly string[];
  /** The verb of the name, in the singular like every word. */
  readonly verb: string | undefined;
  /** What the verb may do. */
  readonly actions: readonly Action[];
  readonly effect: "reads" | "destroys" | undefined;
  /** The words of the name, sorted. */
  readonly spelt: string;
  readonly description: readonly string[];
  readonly properties: readonly string[];
  /** The type of each property as text. */
  readonly schemas: ReadonlyMap<string, string>;
  /**
   * The words of the enumerated values of each property. For a required property also the words of its description, because
   * some servers describe the values in words.
   */
  readonly choices: ReadonlyMap<string, readonly string[]>;
  readonly isReader: boolean | undefined;
}

export function traitsOf(tool: ToolSnapshot): Traits {
  const reads = findOwn(getOwn(tool, "annotations"), "readOnlyHint");
  const [keyed, required] = [propertiesOf(tool), requiredOf(tool)];
  const parts = partsOfName(tool.name);
  const verb = verbOfName(parts);
  const actions = (verb === undefined ? undefined : actionsOf(verb)) ?? [];
  return {
    name: wordsOfName(tool.name),
    verb: verb && singularOf(verb),
    actions,
    effect: effectOf(tool, actions),
    spelt: [...parts].sort().join(" "),
    description: wordsOfDescription(tool),
    properties: keyed.map(([key]) => key),
    schemas: new Map(keyed.map(([key, item]) => [key, typeTextOf(item)])),
    choices: new Map(keyed.map(([key, item]) => [key, choicesOf(item, required.includes(key))])),
    isReader: typeof reads === "boolean" ? reads : undefined,
  };
}

/** Both annotations are hints (MCP specification, "ToolAnnotations"); the verb says the effect where they are absent. */
function effectOf(tool: ToolSnapshot, actions: readonly Action[]): Traits["effect"] {
  const annotations = getOwn(tool, "annotations");
  if (findOwn(annotations, "readOnlyHint") === true) return actions.includes("delete") ? "destroys" : "reads";
  if (findOwn(annotations, "destructiveHint") === true || actions.join() === "delete") return "destroys";
  return actions.join() === "read" && findOwn(annotations, "readOnlyHint") !== false ? "reads" : undefined;
}

/** Properties by the words of their names. */
export function propertiesOf(tool: ToolSnapshot): readonly (readonly [string, JsonValue])[] {
  const map = findOwn(getOwn(tool, "inputSchema"), "properties");
  const properties = isJsonObject(map) ? Object.entries(map) : [];
  return properties.map(([name, item]) => [wordsOfName(name).join(" "), item]);
}

function requiredOf(tool: ToolSnapshot): readonly string[] {
  const names = findOwn(getOwn(tool, "inputSchema"), "required");
  const list: readonly JsonValue[] = Array.isArray(names) ? names : [];
  return list.flatMap((name) => (typeof name === "string" ? [wordsOfName(name).join(" ")] : []));
}

function wordsOfDescription(tool: ToolSnapshot): readonly string[] {
  const description = getOwn(tool, "description");
  return typeof description === "string" ? wordsOfText(description) : [];
}

function choicesOf(schema: JsonValue, isRequired: boolean): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const [values, description] = [getOwn(schema, "enum"), getOwn(schema, "description")];
  const listed: readonly JsonValue[] = Array.isArray(values) ? values : [];
  return [
    ...listed.slice(0, 50).flatMap((value) => (typeof value === "string" ? wordsOfName(value) : [])),
    ...(isRequired && typeof description === "string" ? wordsOfText(description) : []),
  ];
}

function typeTextOf(schema: JsonValue): string {
  const type = findOwn(schema, "type");
  return type === undefined ? "" : canonicalJson(type);
}

/** The words of all tools of a server. */
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

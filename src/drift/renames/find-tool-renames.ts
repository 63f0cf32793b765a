import { canonicalJson } from "../../contract/canonical-json.js";
import { getOwn, isJsonObject, type JsonValue } from "../../contract/json.js";
import type { ToolSnapshot } from "../../contract/snapshot.js";
import {
  diceOf,
  meanOf,
  partsOfName,
  shareOf,
  weighByRarity,
  type Weigh,
  wordsOfName,
  wordsOfText,
} from "./similarity.js";

/** A tool that goes on under another name, or as a part of another tool. */
export interface ToolRename {
  readonly before: string;
  readonly after: string;
  /** From 0 to 1. */
  readonly confidence: number;
}

/**
 * Below this a removal and an addition are told apart. On the history of one large server, every pair above it was a
 * renaming; the next unrelated pair follows at 0.5.
 */
const LEAST_RENAME = 0.6;
/** For several tools that became one, where each of them supports the claim about the others. */
const LEAST_MERGE = 0.6;
/** How much better than the next the best candidate must be: between two that fit alike nothing is claimed. */
const LEAD = 0.08;
/** What is the same but for its name. */
const IDENTICAL = 0.97;
/** The same name but for how it is written. */
const SAME_WORDS = 0.9;
/** What is left of a score where one tool does the opposite of the other. */
const CONTRADICTED = 0.6;
/** What is left of a score where each name has a word of its own. */
const REPLACED = 0.8;
/** More pairs than this are compared only where they are the same but for the name: someone has replaced everything. */
const MAX_PAIRS = 20_000;

/**
 * Which tools that are gone live on under the name of one that is new: one for one, or several in one. Matched on the
 * words of names, the names and schemas of properties, and descriptions, of which those that few of the `others` have
 * count most. Ordered by the old name.
 */
export function findToolRenames(
  removed: readonly ToolSnapshot[],
  added: readonly ToolSnapshot[],
  others: readonly ToolSnapshot[],
): readonly ToolRename[] {
  if (removed.length === 0 || added.length === 0) return [];
  const identical = matchIdentical(removed, added);
  const taken = new Set(identical.flatMap(({ before, after }) => [before, after]));
  const [old, now] = [removed, added].map((tools) => tools.filter(({ name }) => !taken.has(name)));
  if (old === undefined || now === undefined || old.length * now.length > MAX_PAIRS) return identical;
  const weights = weigh([...removed, ...added, ...others]);
  const traits = new Map([...old, ...now].map((tool) => [tool, traitsOf(tool)]));
  const pairs = old.flatMap((before) =>
    now.map((after): Pair => {
      const [left, right] = [traits.get(before) ?? traitsOf(before), traits.get(after) ?? traitsOf(after)];
      return {
        before: before.name,
        after: after.name,
        rename: scoreRename(left, right, weights),
        merge: scoreMerge(left, right, weights),
      };
    }),
  );
  return [...identical, ...claim(pairs)].sort((a, b) => (a.before < b.before ? -1 : 1));
}

interface Pair {
  readonly before: string;
  readonly after: string;
  readonly rename: number;
  readonly merge: number;
}

function matchIdentical(
  removed: readonly ToolSnapshot[],
  added: readonly ToolSnapshot[],
): readonly ToolRename[] {
  const group = (tools: readonly ToolSnapshot[]): ReadonlyMap<string, readonly string[]> => {
    const groups = new Map<string, string[]>();
    for (const tool of tools) {
      // A definition that says nothing is like any other of its kind.
      const isTelling = typeof getOwn(tool, "description") === "string" || propertiesOf(tool).length > 0;
      const key = isTelling ? canonicalJson({ ...tool, name: "", title: "" }) : "";
      groups.set(key, [...(groups.get(key) ?? []), tool.name]);
    }
    groups.delete("");
    return groups;
  };
  const candidates = group(added);
  return [...group(removed)].flatMap(([key, names]): readonly ToolRename[] => {
    const [before, ...more] = names;
    const [after, ...others] = candidates.get(key) ?? [];
    const isClear = before !== undefined && after !== undefined && more.length + others.length === 0;
    return isClear ? [{ before, after, confidence: IDENTICAL }] : [];
  });
}

/** What of a tool is compared. */
interface Traits {
  readonly name: readonly string[];
  /** The words of the name as they are written, in any order. */
  readonly spelt: string;
  readonly description: readonly string[];
  readonly properties: readonly string[];
  /** Schemas without what is said to people, by the name of the property. */
  readonly schemas: ReadonlyMap<string, string>;
  /** Words of what each property says and may be chosen from: what a tool of many uses can be told to do. */
  readonly details: ReadonlyMap<string, readonly string[]>;
  readonly isReader: boolean | undefined;
}

function traitsOf(tool: ToolSnapshot): Traits {
  const annotations = getOwn(tool, "annotations");
  const reads = isJsonObject(annotations) ? getOwn(annotations, "readOnlyHint") : undefined;
  const keyed = propertiesOf(tool);
  return {
    name: wordsOfName(tool.name),
    spelt: partsOfName(tool.name).sort().join(" "),
    description: wordsOfDescription(tool),
    properties: keyed.map(([key]) => key),
    schemas: new Map(keyed.map(([key, item]) => [key, typeTextOf(item)])),
    details: new Map(keyed.map(([key, item]) => [key, detailsOf(item)])),
    isReader: typeof reads === "boolean" ? reads : undefined,
  };
}

/** Properties by the words of their names. */
function propertiesOf(tool: ToolSnapshot): readonly (readonly [string, JsonValue])[] {
  const schema = getOwn(tool, "inputSchema");
  const map = isJsonObject(schema) ? getOwn(schema, "properties") : undefined;
  const properties = isJsonObject(map) ? Object.entries(map) : [];
  return properties.map(([name, item]) => [wordsOfName(name).join(" "), item]);
}

function wordsOfDescription(tool: ToolSnapshot): readonly string[] {
  const description = getOwn(tool, "description");
  return typeof description === "string" ? wordsOfText(description) : [];
}

function detailsOf(schema: JsonValue): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const [values, description] = [getOwn(schema, "enum"), getOwn(schema, "description")];
  const choices: readonly JsonValue[] = Array.isArray(values) ? values : [];
  return [
    ...choices.slice(0, 50).flatMap((value) => (typeof value === "string" ? wordsOfName(value) : [])),
    ...(typeof description === "string" ? wordsOfText(description) : []),
  ];
}

function typeTextOf(schema: JsonValue): string {
  const type = isJsonObject(schema) ? getOwn(schema, "type") : undefined;
  return type === undefined ? "" : canonicalJson(type);
}

interface Weights {
  readonly name: Weigh;
  readonly description: Weigh;
  readonly property: Weigh;
}

function weigh(tools: readonly ToolSnapshot[]): Weights {
  return {
    name: weighByRarity(tools.map(({ name }) => wordsOfName(name))),
    description: weighByRarity(tools.map(wordsOfDescription)),
    property: weighByRarity(tools.map((tool) => propertiesOf(tool).map(([key]) => key))),
  };
}

function scoreRename(before: Traits, after: Traits, weights: Weights): number {
  const name = diceOf(before.name, after.name, weights.name);
  const properties = diceOf(typed(before, after), typed(after, before), weights.property);
  const description = diceOf(before.description, after.description, weights.description);
  const score = meanOf([[0.4, name], [0.35, properties], [0.25, description]]); // prettier-ignore
  if (contradicts(before, after, after.name)) return score * CONTRADICTED;
  if (before.spelt === after.spelt) return Math.max(score, SAME_WORDS);
  return isAboutAnother(before.name, after.name) ? score * REPLACED : score;
}

/** Of a tool that became a part of another, the other holds more than it did. */
function scoreMerge(before: Traits, after: Traits, weights: Weights): number {
  const extra = after.properties.filter((name) => !before.properties.includes(name));
  const known = [...after.name, ...extra.flatMap((name) => after.details.get(name) ?? [])];
  const name = shareOf(before.name.flatMap(kindsOf), known.flatMap(kindsOf), weights.name);
  const properties = shareOf(before.properties, after.properties, weights.property);
  const description = shareOf(before.description, [...after.description, ...known], weights.description);
  const score = meanOf([[0.5, name], [0.3, properties], [0.2, description]]); // prettier-ignore
  return contradicts(before, after, known) ? score * CONTRADICTED : score;
}

/** Whether each name has a word that the other has nothing for, as `start_job` and `start_server` do. */
function isAboutAnother(before: readonly string[], after: readonly string[]): boolean {
  const lacks = (words: readonly string[], others: readonly string[]): boolean =>
    words.some(
      (word) =>
        !others.some(
          (other) =>
            kindsOf(other).some((kind) => kindsOf(word).includes(kind)) ||
            other.startsWith(word) ||
            word.startsWith(other),
        ),
    );
  return lacks(before, after) && lacks(after, before);
}

/** The names of properties; with their types where the other's type of that name is another one. */
function typed(tool: Traits, other: Traits): readonly string[] {
  return tool.properties.map((name) => {
    const [own, others] = [tool.schemas.get(name), other.schemas.get(name)];
    return others === undefined || own === others ? name : `${name}: ${own ?? ""}`;
  });
}

/** What a tool does, by the verb in its name; a general verb does several things. */
const VERBS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    read: [
      "get",
      "list",
      "read",
      "fetch",
      "search",
      "find",
      "show",
      "query",
      "describe",
      "view",
      "check",
      "retrieve",
    ],
    create: ["create", "add", "insert", "new", "write", "upsert", "save", "put", "manage"],
    update: [
      "update",
      "edit",
      "set",
      "modify",
      "change",
      "patch",
      "write",
      "upsert",
      "save",
      "put",
      "manage",
    ],
    delete: ["delete", "remove", "destroy", "drop", "clear", "manage"],
  }).reduce((kinds, [kind, verbs]) => {
    for (const verb of verbs) kinds.set(verb, [...(kinds.get(verb) ?? []), kind]);
    return kinds;
  }, new Map<string, readonly string[]>()),
);

/** What a verb does, or any other word itself. */
function kindsOf(word: string): readonly string[] {
  return VERBS.get(word) ?? [word];
}

/** Whether one tool reads what the other writes, or writes what it deletes: a pair of opposites, however alike. */
function contradicts(before: Traits, after: Traits, known: readonly string[]): boolean {
  if (before.isReader !== undefined && after.isReader !== undefined && before.isReader !== after.isReader)
    return true;
  const doneBy = (words: readonly string[]): readonly string[] =>
    words.flatMap((word) => VERBS.get(word) ?? []);
  const [was, is] = [doneBy(before.name), doneBy(known)];
  return was.length > 0 && is.length > 0 && !was.some((kind) => is.includes(kind));
}

function claim(pairs: readonly Pair[]): readonly ToolRename[] {
  const chosen = new Map<string, Pair[]>();
  for (const options of groupBy(pairs, ({ before }) => before)) {
    const best = leaderOf(options, (pair) => Math.max(pair.rename, pair.merge));
    if (best !== undefined) chosen.set(best.after, [...(chosen.get(best.after) ?? []), best]);
  }
  return [...chosen.values()].flatMap((candidates): readonly ToolRename[] => {
    const merged = candidates.filter(({ merge }) => merge >= LEAST_MERGE);
    if (merged.length > 1) return merged.map((pair) => toRename(pair, Math.max(pair.merge, pair.rename)));
    const best = leaderOf(candidates, ({ rename }) => rename);
    return best !== undefined && best.rename >= LEAST_RENAME ? [toRename(best, best.rename)] : [];
  });
}

function toRename({ before, after }: Pair, confidence: number): ToolRename {
  return { before, after, confidence: Math.round(Math.min(confidence, 0.99) * 100) / 100 };
}

/** The pair with the highest score, when it leads by enough. */
function leaderOf(pairs: readonly Pair[], scoreOf: (pair: Pair) => number): Pair | undefined {
  const [best, next] = [...pairs].sort((a, b) => scoreOf(b) - scoreOf(a));
  if (best === undefined) return undefined;
  return next === undefined || scoreOf(best) - scoreOf(next) >= LEAD ? best : undefined;
}

function groupBy(pairs: readonly Pair[], keyOf: (pair: Pair) => string): readonly (readonly Pair[])[] {
  const groups = new Map<string, Pair[]>();
  for (const pair of pairs) groups.set(keyOf(pair), [...(groups.get(keyOf(pair)) ?? []), pair]);
  return [...groups.values()];
}

import {
  findOwn,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  tryParseJson,
  listOrEmpty,
  findText,
} from "../../core/json.js";
import type { ObservedTool } from "../../core/observed.js";
import {
  assertLearned,
  joinSchemas,
  KINDS,
  type Knowledge,
  type LearnedSchema,
  MOST_VALUES,
  schemaOf,
  unionOf,
} from "./learned-schema.js";
import { groupBy } from "../../core/collections.js";
import { hasFormat } from "../validation/format.js";
import { isOfType } from "../validation/misfit.js";
import { splitWords } from "../../core/words/words.js";

/**
 * Adds results of `tools/call` to the observations of a tool. Later answers only widen the schema. Results that report an
 * error are not answers.
 *
 * @param count `further` counts all answers; `same` is for answers that may have been counted before
 * @returns `before` if there is no answer
 */
export function observe(
  digest: string,
  results: readonly JsonObject[],
  before: ObservedTool | undefined,
  count: "same" | "further",
): ObservedTool | undefined {
  const answers = results.flatMap((result) => readObservedAnswer(result) ?? []);
  // Answers of another definition say nothing about this one.
  const tool = before?.digest === digest ? before : undefined;
  if (answers.length === 0) return before;
  const samples =
    count === "same" ? Math.max(answers.length, tool?.samples ?? 0) : answers.length + (tool?.samples ?? 0);
  const kinds = new Set([...answers.map(({ kind }) => kind), ...(tool ? [tool.answers] : [])]);
  if (kinds.has("text")) return { digest, samples, answers: "text" };
  const earlier = tool?.schema ?? {};
  assertLearned(earlier);
  const schema = joinSchemas(earlier, inferSchema(answers.map(({ value }) => value)));
  return { digest, samples, answers: kinds.has("json") ? "json" : "structured", schema };
}

interface ObservedAnswer {
  readonly kind: ObservedTool["answers"];
  /** Structured content, the value of a text that is JSON, or all texts. */
  readonly value: JsonValue;
}

/** Returns the answer in a result of `tools/call`; undefined for a result that reports an error. */
function readObservedAnswer(result: JsonObject): ObservedAnswer | undefined {
  if (getOwn(result, "isError") === true) return undefined;
  const structured = getOwn(result, "structuredContent");
  if (structured !== undefined && structured !== null) return { kind: "structured", value: structured };
  const blocks = listOrEmpty(getOwn(result, "content"));
  const texts = blocks.flatMap((block) =>
    findOwn(block, "type") === "text" ? (findText(block, "text") ?? []) : [],
  );
  const value = blocks.length === 1 ? parseStructure(texts[0] ?? "") : undefined;
  return value === undefined ? { kind: "text", value: texts.join("\n") } : { kind: "json", value };
}

/** Returns the object or array in a text of JSON. A text such as "12" is rarely meant as JSON. */
function parseStructure(text: string): JsonValue | undefined {
  const value = tryParseJson(text);
  return isJsonObject(value) || isJsonArray(value) ? value : undefined;
}

/**
 * Returns the schema of all samples. Joining the schemas of single samples would give a wider one, since enumerations, unions
 * and maps need several samples as evidence.
 *
 * @param key the key of the samples: an enumeration depends on it
 */
export function inferSchema(samples: readonly JsonValue[], key = ""): LearnedSchema {
  const kinds = new Set(samples.flatMap((sample) => KINDS.find((kind) => isOfType(sample, kind)) ?? []));
  const items = samples.filter(isJsonArray).flat();
  const objects = samples.filter(isJsonObject);
  const earlier: Knowledge = {
    ...inferText(
      samples.filter((sample) => typeof sample === "string"),
      key,
    ),
    // The items of `statuses` are like the value of `status`.
    items: items.length > 0 ? inferSchema(items, key.replace(/(?:es|s)$/, "")) : undefined,
  };
  if (objects.length === 0) return schemaOf(kinds, earlier);
  if (isMap(objects)) {
    const values = objects.flatMap((object) => Object.values(object));
    return schemaOf(kinds, { ...earlier, additionalProperties: inferSchema(values) });
  }
  const [tag, records] = findUnion(objects) ?? [];
  if (records === undefined) return schemaOf(kinds, { ...earlier, ...inferRecord(objects) });
  kinds.delete("object");
  return unionOf(tag ?? "", records, schemaOf(kinds, earlier));
}

/** The formats to look for, the narrowest first. Without a colon, a text is rarely meant as a URI. */
const FORMATS = ["uuid", "date-time", "date", "email", "uri"];

function inferText(texts: readonly string[], key: string): Knowledge {
  if (texts.length === 0) return {};
  const format = FORMATS.find((name) =>
    texts.every((text) => hasFormat(text, name) && (name !== "uri" || text.includes("://"))),
  );
  return { format, enum: isOfChoices(key) ? findValues(texts) : undefined };
}

/** The last words of keys whose values are chosen from a few. Under other keys, an enumeration would hold people's data. */
const CHOICES: ReadonlySet<string> = new Set(
  (
    "access action category channel currency direction effect event format kind level locale method mode outcome " +
    "phase plan platform priority reason relation result role scope severity stage state status tier type unit " +
    "visibility"
  ).split(" "),
);

function isOfChoices(key: string): boolean {
  return CHOICES.has(splitWords(key).at(-1) ?? "");
}

/** How often each value must be seen, on average, for an enumeration. */
const REPEATED = 3;

function findValues(texts: readonly string[]): readonly string[] | undefined {
  const values = [...new Set(texts)];
  return texts.length >= values.length * REPEATED && values.every(isWord) ? values : undefined;
}

/** Whether a text can be a value of an enumeration: a short word, and not an ID. */
function isWord(text: string): boolean {
  return /^[A-Za-z][\w.:/-]{0,39}$/.test(text) && !/\d{3}/.test(text);
}

/** From this number on, keys are data if each is in at most half of the objects. */
const MANY_KEYS = 20;

/** Whether the keys of objects are data: none is a name, or there are many and each is rare. */
function isMap(objects: readonly JsonObject[]): boolean {
  const keys = objects.map((object) => Object.keys(object));
  const all = new Set(keys.flat());
  if (all.size === 0) return false;
  if ([...all].every(isData)) return true;
  if ([...all].some((key) => key.length > 64 || key.includes("@"))) return true;
  if (all.size < MANY_KEYS || objects.length < 3) return false;
  const uses = groupBy(keys.flat(), (key) => key);
  const most = Math.max(...Array.from(uses.values(), ({ length }) => length));
  return most * 2 <= objects.length;
}

/** Whether a key is an ID, a date, a path or a URL, not a name. */
function isData(key: string): boolean {
  return (
    /^-?\d/.test(key) || /^[\da-f]{8}(?:-|[\da-f]{8})/i.test(key) || key.includes("/") || key.includes("://")
  );
}

/** Keys that identify the record of a union, the most likely first. */
const TAGS = ["type", "kind", "__typename", "object", "event"];

/** Returns the records of a union if a tag distinguishes them: each of its values is seen twice, and decides about a key. */
function findUnion(
  objects: readonly JsonObject[],
): readonly [tag: string, records: readonly (readonly [string, LearnedSchema])[]] | undefined {
  for (const tag of TAGS) {
    const groups = groupBy(objects, (object) => getOwn(object, tag));
    const values = [...groups.keys()].filter((value) => typeof value === "string" && isWord(value));
    if (values.length < groups.size) continue;
    if (groups.size < 2 || groups.size > MOST_VALUES) continue;
    if ([...groups.values()].some((group) => group.length < 2)) continue;
    if (!areDistinct([...groups.values()])) continue;
    const records = [...groups].flatMap(([value, group]): readonly [string, LearnedSchema][] =>
      typeof value === "string" ? [[value, schemaOf(new Set(["object"]), inferRecord(group))]] : [],
    );
    return [tag, records];
  }
  return undefined;
}

/** Whether some key is in every object of one group and in no object of another. */
function areDistinct(groups: readonly (readonly JsonObject[])[]): boolean {
  const sets = groups.map((group) => ({
    all: Object.keys(group[0] ?? {}).filter((key) => group.every((object) => Object.hasOwn(object, key))),
    any: new Set(group.flatMap((object) => Object.keys(object))),
  }));
  return sets.some(({ all }) => all.some((key) => sets.some(({ any }) => !any.has(key))));
}

function inferRecord(objects: readonly JsonObject[]): Knowledge {
  const members = [...groupBy(objects.flatMap(Object.entries<JsonValue>), ([key]) => key)];
  const properties = members.map(
    ([key, values]) => [key, inferSchema(values.map(([, value]) => value), key)] as const, // prettier-ignore
  );
  const required = members.filter(([, values]) => values.length === objects.length).map(([key]) => key);
  return { properties: Object.fromEntries(properties), required };
}

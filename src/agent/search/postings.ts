import { actionOf, effectOfVerb, verbOfName, type Action } from "../../core/words/verbs.js";
import { groupBy } from "../../core/collections.js";
import { isJsonObject, objectOrEmpty } from "../../core/json.js";
import { splitWords, STOP_WORDS } from "../../core/words/words.js";
import { ownNameOf } from "../../core/tool-name.js";
import { stem } from "./stem.js";
import { FIELDS } from "./weights.js";
import { PHRASES } from "./vocabulary.js";

type SchemaSource = { readonly [keyword: string]: unknown } | (() => unknown);

/** The properties of a tool that the search reads. Every `RegisteredTool` has them. */
export interface SearchableTool {
  /** Identifies the tool among those that are searched: `server__tool`, or the tool's own name. */
  readonly name: string;
  readonly server?: string;
  readonly title?: string;
  readonly description?: string;
  readonly category?: string;
  /** Of tools that match equally well, those that only read come first. */
  readonly annotations?: { readonly readOnlyHint?: boolean };
  /**
   * The raw input schema, as in a `tools/list` result, or a function that returns it, which is called when the index is
   * built. The names of its properties and the values of its enums are searched.
   */
  readonly inputSchema?: SchemaSource;
  /** The raw output schema, declared or observed. The names of its properties are searched. */
  readonly outputSchema?: SchemaSource;
}

interface Posting {
  readonly tools: number[];
  /** The weighted number of occurrences in each of the tools, over all fields. */
  readonly amounts: number[];
}

export interface Postings {
  readonly byStem: ReadonlyMap<string, Posting>;
  /** The words before stemming. */
  readonly words: ReadonlySet<string>;
  readonly actions: readonly (Action | undefined)[];
  /** By tool, the words of its name before stemming. */
  readonly names: readonly ReadonlySet<string>[];
  /** By tool, whether it only reads or writes, by its annotations or the verb of its name; undefined if neither says so. */
  readonly effects: readonly ("reads" | "writes" | undefined)[];
}

export type PackedPostings = ReturnType<typeof packPostings>;

/** Returns {@link Postings} as JSON. */
export function packPostings({ byStem, words, actions, names, effects }: Postings) {
  return {
    byStem: [...byStem].map(([stemmed, { tools, amounts }]) => [stemmed, tools, amounts] as const),
    words: [...words],
    actions: actions.map((action) => action ?? null),
    names: names.map((name) => [...name]),
    effects: effects.map((effect) => effect ?? null),
  };
}

export function unpackPostings({ byStem, words, actions, names, effects }: PackedPostings): Postings {
  return {
    byStem: new Map(byStem.map(([stemmed, tools, amounts]) => [stemmed, { tools, amounts }])),
    words: new Set(words),
    actions: actions.map((action) => action ?? undefined),
    names: names.map((name) => new Set(name)),
    effects: effects.map((effect) => effect ?? undefined),
  };
}

type SearchField = keyof typeof FIELDS;
const FIELD_NAMES = Object.keys(FIELDS) as SearchField[];

const LONGEST_NAME = 300;
const LONGEST_TEXT = 2000;
const LONGEST_SUMMARY = 240;

export function buildPostings(tools: readonly SearchableTool[]): Postings {
  const texts = tools.map(fieldsOf);
  const prose = new Set(texts.flatMap((fields) => [...fields.summary, ...fields.title, ...fields.server]));
  const lengths = averageLengths(texts);
  const byStem = new Map<string, Posting>();
  const words = new Set<string>();
  const stems = new Map<string, string>();
  const stemOf = (word: string): string => {
    let stemmed = stems.get(word);
    if (stemmed === undefined) stems.set(word, (stemmed = stem(word)));
    return stemmed;
  };
  texts.forEach((fields, index) => {
    const amounts = new Map<string, number>();
    for (const field of FIELD_NAMES) {
      const { weight, lengthMatters } = FIELDS[field];
      const fieldWords = fields[field];
      const amount = weight / (1 - lengthMatters + lengthMatters * (fieldWords.length / lengths[field]));
      for (const word of [
        ...fieldWords,
        ...joinedWords(fieldWords, field, prose),
        ...phraseWords(fieldWords, stemOf),
      ]) {
        words.add(word);
        const key = stemOf(word);
        amounts.set(key, (amounts.get(key) ?? 0) + amount);
      }
    }
    for (const [key, amount] of amounts) {
      const posting = byStem.get(key) ?? { tools: [], amounts: [] };
      byStem.set(key, posting);
      posting.tools.push(index);
      posting.amounts.push(amount);
    }
  });
  const actions = texts.map(({ name }) => actionOf(name));
  const effects = tools.map((tool, index) => effectOf(tool, texts[index]?.name ?? []));
  return { byStem, words, actions, names: texts.map(({ name }) => new Set(name)), effects };
}

function effectOf({ annotations }: SearchableTool, name: readonly string[]): "reads" | "writes" | undefined {
  if (annotations?.readOnlyHint === true) return "reads";
  const verb = verbOfName(name);
  const effect = verb === undefined ? undefined : effectOfVerb(verb);
  if (effect === undefined) return annotations?.readOnlyHint === false ? "writes" : undefined;
  return effect === "reads" ? "reads" : "writes";
}

function fieldsOf(tool: SearchableTool): Readonly<Record<SearchField, readonly string[]>> {
  const { server, title = "", category = "" } = tool;
  const ownName = ownNameOf(tool);
  const description = (tool.description ?? "").slice(0, LONGEST_TEXT);
  const end = endOfSentence(description);
  const input = readSchemaTexts(tool.inputSchema);
  const output = readSchemaTexts(tool.outputSchema);
  return {
    name: contentOf(ownName.slice(0, LONGEST_NAME)),
    title: contentOf(title.slice(0, LONGEST_NAME)),
    category: contentOf(category.slice(0, LONGEST_NAME)),
    server: contentOf((server ?? "").slice(0, LONGEST_NAME)),
    summary: contentOf(description.slice(0, end)),
    details: contentOf(description.slice(end)),
    parameters: input.parameters.flatMap(contentOf),
    nested: unique(input.nested.flatMap(contentOf)),
    values: unique(input.values.flatMap(contentOf)),
    outputs: unique([...output.parameters, ...output.nested].flatMap(contentOf)),
  };
}

function contentOf(text: string): readonly string[] {
  return splitWords(text).filter((word) => !STOP_WORDS.has(word));
}

function unique(words: readonly string[]): readonly string[] {
  return [...new Set(words)];
}

function endOfSentence(text: string): number {
  const end = text.slice(0, LONGEST_SUMMARY).search(/[.!?](?:\s|$)|\n\s*\n/);
  // "e.g." and the like end no sentence.
  return end < 20 ? Math.min(text.length, LONGEST_SUMMARY) : end + 1;
}

function averageLengths(
  texts: readonly Readonly<Record<SearchField, readonly string[]>>[],
): Record<SearchField, number> {
  const average = (field: SearchField): number =>
    Math.max(1, texts.reduce((sum, fields) => sum + fields[field].length, 0) / Math.max(1, texts.length));
  const lengths = Object.fromEntries(FIELD_NAMES.map((field) => [field, average(field)]));
  return lengths as Record<SearchField, number>;
}

/** Joins adjacent words of a name, such as `Word` and `Press`, if a text has the joined word. */
function joinedWords(
  words: readonly string[],
  field: SearchField,
  prose: ReadonlySet<string>,
): readonly string[] {
  if (field !== "name") return [];
  return words.slice(1).flatMap((word, i) => {
    const joined = `${words[i] ?? ""}${word}`;
    return prose.has(joined) && !words.includes(joined) ? [joined] : [];
  });
}

/** Read for the first index. */
let phrases: ReturnType<typeof readPhrases> | undefined;

function readPhrases() {
  const all = PHRASES.map(([short, text]) => {
    const words = text.split(" ");
    return { short, words, stems: words.map(stem) };
  });
  return {
    byFirst: groupBy(all, ({ stems }) => stems[0]),
    byShort: groupBy(all, ({ short }) => short),
  };
}

/** Returns short forms of the phrases in a text, and the words of the phrases whose short forms it has. */
function phraseWords(words: readonly string[], stemOf: (word: string) => string): readonly string[] {
  const { byFirst, byShort } = (phrases ??= readPhrases());
  const shortForms: string[] = [];
  words.forEach((word, at) => {
    for (const phrase of byFirst.get(stemOf(word)) ?? []) {
      if (phrase.stems.every((part, i) => part === stemOf(words[at + i] ?? "")))
        shortForms.push(phrase.short);
    }
    const singular = word.endsWith("s") ? word.slice(0, -1) : word;
    for (const phrase of [
      ...(byShort.get(word) ?? []),
      ...(singular === word ? [] : (byShort.get(singular) ?? [])),
    ])
      shortForms.push(...phrase.words);
  });
  return shortForms.filter((word) => !words.includes(word));
}

interface SchemaTexts {
  /** Names of the arguments. */
  readonly parameters: readonly string[];
  /** Names of properties inside arguments. */
  readonly nested: readonly string[];
  /** Values of `enum` and `const`: states, kinds, formats. */
  readonly values: readonly string[];
}

const MOST_TEXTS = 200;
const DEEPEST = 6;
/** Longer values are texts, not names. */
const LONGEST_VALUE = 40;

function readSchemaTexts(source: SchemaSource | undefined): SchemaTexts {
  const parameters: string[] = [];
  const nested: string[] = [];
  const values = new Set<string>();
  const seen = new Set<object>();
  const walk = (schema: unknown, depth: number): void => {
    if (!isJsonObject(schema) || depth > DEEPEST || seen.has(schema)) return;
    seen.add(schema);
    for (const [keyword, value] of Object.entries(schema)) {
      switch (keyword) {
        case "properties":
          for (const [name, inner] of Object.entries(objectOrEmpty(value))) {
            const names = depth === 0 ? parameters : nested;
            if (names.length < MOST_TEXTS) names.push(name.slice(0, LONGEST_NAME));
            walk(inner, depth + 1);
          }
          break;
        case "$defs":
        case "definitions":
          for (const inner of Object.values(objectOrEmpty(value))) walk(inner, 1);
          break;
        case "enum":
          if (Array.isArray(value)) for (const item of value) addValue(item);
          break;
        case "const":
          addValue(value);
          break;
        case "items":
        case "additionalProperties":
          walk(value, Math.max(1, depth));
          break;
        case "anyOf":
        case "oneOf":
        case "allOf":
          if (Array.isArray(value)) for (const inner of value) walk(inner, depth);
          break;
        default:
      }
    }
  };
  const addValue = (value: unknown): void => {
    if (typeof value === "string" && value.length <= LONGEST_VALUE && values.size < MOST_TEXTS)
      values.add(value);
  };
  walk(typeof source === "function" ? source() : source, 0);
  return { parameters, nested, values: [...values] };
}

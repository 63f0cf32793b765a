import { isJsonArray, isJsonObject, type JsonValue } from "../../../core/json.js";
import type { PageTool } from "../page-data.js";

interface Entry {
  readonly tool: PageTool;
  readonly texts: Readonly<Record<Field, readonly string[]>>;
}

/** The scores of a term that a text equals, begins with, has at the start of a word, or has elsewhere. */
const SCORES = {
  name: { equal: 100, start: 60, word: 40, inside: 30 },
  generatedName: { equal: 90, start: 30, word: 30, inside: 30 },
  title: { equal: 20, start: 20, word: 20, inside: 20 },
  /** Names at any depth, of input and output. */
  properties: { equal: 15, start: 15, word: 10, inside: 10 },
  /** Of enumerations. */
  values: { equal: 12, start: 9, word: 0, inside: 0 },
  place: { equal: 8, start: 8, word: 8, inside: 8 },
  description: { equal: 5, start: 5, word: 5, inside: 2 },
} as const;

type Field = keyof typeof SCORES;
const FIELDS = Object.keys(SCORES) as readonly Field[];

/** Returns a search for tools that match all words, best first. An empty query matches all tools. */
export function createSearch(tools: readonly PageTool[]): (query: string) => readonly PageTool[] {
  const entries = tools.map(entryOf);
  return (query) => {
    const terms = query
      .toLowerCase()
      .split(/\s+/)
      .filter((term) => term !== "");
    if (terms.length === 0) return tools;
    return entries
      .map((entry) => ({ entry, score: scoreOf(entry, terms) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || a.entry.tool.name.length - b.entry.tool.name.length)
      .map(({ entry }) => entry.tool);
  };
}

function entryOf(tool: PageTool): Entry {
  const { server, name, title = "", generatedName = "", category, effect, ability } = tool;
  const lower = (texts: readonly string[]): readonly string[] => texts.map((text) => text.toLowerCase());
  return {
    tool,
    texts: {
      ...wordsOfSchemas([tool.input, tool.output ?? true]),
      // `getOrder` has two words, as `get-order` has.
      name: lower([name, name.replace(/([a-z\d])([A-Z])/g, "$1 $2")]),
      generatedName: lower([generatedName]),
      title: lower([title]),
      place: lower([[server, category, effect, ability?.name, ability?.plugin].join(" ")]),
      description: lower([tool.description]),
    },
  };
}

/** The most parts of the schemas of a tool that are read. */
const MOST_PARTS = 4_000;

function wordsOfSchemas(schemas: readonly JsonValue[]): Pick<Entry["texts"], "properties" | "values"> {
  const properties = new Set<string>();
  const values = new Set<string>();
  const open = [...schemas];
  for (let read = 0; read < MOST_PARTS; read += 1) {
    const part = open.pop();
    if (part === undefined) break;
    if (isJsonArray(part)) open.push(...part);
    if (!isJsonObject(part)) continue;
    for (const [key, inner] of Object.entries(part)) {
      if (key === "properties" && isJsonObject(inner))
        for (const name of Object.keys(inner)) properties.add(name.toLowerCase());
      if (key !== "enum" && key !== "const") open.push(inner);
      else
        for (const value of [inner].flat())
          values.add((typeof value === "string" ? value : JSON.stringify(value)).toLowerCase());
    }
  }
  return { properties: [...properties], values: [...values] };
}

/** Zero if a term does not occur. */
function scoreOf({ texts }: Entry, terms: readonly string[]): number {
  const scores = terms.map((term) =>
    FIELDS.reduce(
      (best, field) =>
        texts[field].reduce((most, text) => Math.max(most, scoreIn(text, term, SCORES[field])), best),
      0,
    ),
  );
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
}

function scoreIn(text: string, term: string, scores: (typeof SCORES)[Field]): number {
  if (text === term) return scores.equal;
  const at = text.indexOf(term);
  if (at <= 0) return at < 0 ? 0 : scores.start;
  return /[\p{L}\p{N}]/u.test(text.charAt(at - 1)) ? scores.inside : scores.word;
}

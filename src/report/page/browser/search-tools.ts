import { isJsonArray, isJsonObject, type JsonValue } from "../../../core/json.js";
import type { PageTool } from "../page-data.js";

/** A tool with its texts in lower case. */
interface Entry {
  readonly tool: PageTool;
  readonly name: string;
  readonly words: readonly string[];
  readonly title: string;
  readonly generatedName: string;
  /** Names of properties at any depth, of input and output. */
  readonly properties: readonly string[];
  /** The values of enumerations. */
  readonly values: readonly string[];
  readonly place: string;
  readonly description: string;
}

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
      .sort((a, b) => b.score - a.score || a.entry.name.length - b.entry.name.length)
      .map(({ entry }) => entry.tool);
  };
}

function entryOf(tool: PageTool): Entry {
  const { properties, values } = wordsOfSchemas([tool.input, tool.output ?? true]);
  return {
    tool,
    name: tool.name.toLowerCase(),
    words: wordsOf(tool.name),
    title: (tool.title ?? "").toLowerCase(),
    generatedName: (tool.generatedName ?? "").toLowerCase(),
    properties,
    values,
    place: [tool.server, tool.category, tool.effect, tool.ability?.name ?? "", tool.ability?.plugin ?? ""]
      .join(" ")
      .toLowerCase(),
    description: tool.description.toLowerCase(),
  };
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
}

/** The most parts of the schemas of a tool that are read. */
const MOST_PARTS = 4_000;

/** Returns the names of properties and the values of enumerations in schemas, in lower case. */
function wordsOfSchemas(schemas: readonly JsonValue[]): Pick<Entry, "properties" | "values"> {
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
function scoreOf(entry: Entry, terms: readonly string[]): number {
  let sum = 0;
  for (const term of terms) {
    const score = scoreOfTerm(entry, term);
    if (score === 0) return 0;
    sum += score;
  }
  return sum;
}

function scoreOfTerm(entry: Entry, term: string): number {
  const { name, words, title, generatedName, properties, values, place, description } = entry;
  if (name === term) return 100;
  if (generatedName === term) return 90;
  if (name.startsWith(term)) return 60;
  if (words.some((word) => word.startsWith(term))) return 40;
  if (name.includes(term) || generatedName.includes(term)) return 30;
  if (title.includes(term)) return 20;
  if (properties.some((property) => property.startsWith(term))) return 15;
  if (values.includes(term)) return 12;
  if (properties.some((property) => property.includes(term))) return 10;
  if (values.some((value) => value.startsWith(term))) return 9;
  if (place.includes(term)) return 8;
  const at = description.indexOf(term);
  if (at < 0) return 0;
  return at === 0 || /\W/.test(description.charAt(at - 1)) ? 5 : 2;
}

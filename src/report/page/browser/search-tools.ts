import { findOwn, isJsonObject } from "../../../core/json.js";
import type { PageTool } from "../page-data.js";

/** A tool with its texts in lower case. */
interface Entry {
  readonly tool: PageTool;
  readonly name: string;
  readonly words: readonly string[];
  readonly title: string;
  readonly parameters: readonly string[];
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
  return {
    tool,
    name: tool.name.toLowerCase(),
    words: wordsOf(tool.name),
    title: (tool.title ?? "").toLowerCase(),
    parameters: parametersOf(tool).map((name) => name.toLowerCase()),
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

/** The names of the properties at the top of the input. */
function parametersOf({ input }: PageTool): readonly string[] {
  const properties = findOwn(input, "properties");
  return isJsonObject(properties) ? Object.keys(properties) : [];
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

function scoreOfTerm({ name, words, title, parameters, place, description }: Entry, term: string): number {
  if (name === term) return 100;
  if (name.startsWith(term)) return 60;
  if (words.some((word) => word.startsWith(term))) return 40;
  if (name.includes(term)) return 30;
  if (title.includes(term)) return 20;
  if (parameters.some((parameter) => parameter.startsWith(term))) return 15;
  if (parameters.some((parameter) => parameter.includes(term))) return 10;
  if (place.includes(term)) return 8;
  const at = description.indexOf(term);
  if (at < 0) return 0;
  return at === 0 || /\W/.test(description.charAt(at - 1)) ? 5 : 2;
}

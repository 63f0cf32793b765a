import type { PageTool } from "../page-data.js";

/** Returns a search for tools whose texts and schemas have all words of a query, those with words in their names first. */
export function createSearch(tools: readonly PageTool[]): (query: string) => readonly PageTool[] {
  const entries = tools.map((tool) => ({
    tool,
    name: tool.name.toLowerCase(),
    text: JSON.stringify(Object.values(tool)).toLowerCase(),
  }));
  return (query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return tools;
    return entries
      .filter(({ text }) => words.every((word) => text.includes(word)))
      .map(({ tool, name }) => {
        const left = words.reduce((rest, word) => rest.replace(word, ""), name);
        return { tool, score: words.filter((word) => name.includes(word)).length - left.length / 1_000 };
      })
      .sort((a, b) => b.score - a.score)
      .map(({ tool }) => tool);
  };
}

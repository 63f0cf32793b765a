/** One fenced block of a Markdown file. */
export interface Snippet {
  /** The file and the line number of the block. */
  readonly place: string;
  readonly language: string;
  /** The text after the language. */
  readonly note: string;
  readonly text: string;
}

/** The fenced blocks of a Markdown text, in order. */
export function readSnippets(file: string, markdown: string): readonly Snippet[] {
  const fences = markdown.matchAll(/^```([^\n`]*)\n([\s\S]*?)^```$/gmu);
  return [...fences].map((match) => {
    const [language = "", ...note] = (match[1] ?? "").split(" ");
    const line = markdown.slice(0, match.index).split("\n").length;
    return { place: `${file}:${line}`, language, note: note.join(" "), text: match[2] ?? "" };
  });
}

/** A report with a day of this page instead of the last day of the waiver that it proposes. */
export function withoutToday(report: string): string {
  return report.replace(/--until \d{4}-\d\d-\d\d/g, "--until 2027-06-30");
}

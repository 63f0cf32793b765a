import { printable } from "../contract/printable.js";
import { quoteForShell } from "../report/layout.js";

/** Returns a command line to copy: `npx mcp-codegen call 'get sum'`. */
export function printCommand(command: string, words: readonly string[]): string {
  return ["npx mcp-codegen", command, ...words.map(quoteForShell)].join(" ");
}

/** Returns the lines of a server's text without truncation. Keeps tabs and escapes all other control characters. */
export function printServerText(text: string): readonly string[] {
  return text.split(/\r?\n/).map((line) =>
    line
      .split("\t")
      .map((part) => printable(part, part.length + 1))
      .join("\t"),
  );
}

import { printable } from "../contract/printable.js";

/** Returns the lines of a server's text without truncation. Keeps tabs and escapes all other control characters. */
export function printServerText(text: string): readonly string[] {
  return text.split(/\r?\n/).map((line) =>
    line
      .split("\t")
      .map((part) => printable(part, part.length + 1))
      .join("\t"),
  );
}

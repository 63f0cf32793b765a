import { printable } from "../contract/printable.js";

/** A text of a server's, whole and line by line; its tabs are kept, and what else a terminal would act on is written out. */
export function printServerText(text: string): readonly string[] {
  return text.split(/\r?\n/).map((line) =>
    line
      .split("\t")
      .map((part) => printable(part, part.length + 1))
      .join("\t"),
  );
}

import { hardline, ifBreak, join, line, softline, type Doc } from "./document.js";
import { isIdentifier } from "../../schema/identifiers.js";
import type { Layout } from "./layout-options.js";
import type { Comment, Key } from "./syntax.js";
import { Unsure } from "./unsure.js";

/** With the quotes that need fewer escapes, the preferred ones where both need as many. */
export function printString(json: string, { quote }: Layout): string {
  const inner = json.slice(1, -1);
  if (quote === '"' && !inner.includes('"')) return json;
  const doubles = inner.split('"').length;
  const singles = inner.split("'").length;
  const usesSingle = quote === "'" ? singles <= doubles : doubles > singles;
  if (!usesSingle) return json;
  const text = inner.replace(/\\(.)|'/g, (found: string, escaped: string | undefined) =>
    escaped === undefined ? "\\'" : escaped === '"' ? '"' : found,
  );
  return `'${text}'`;
}

/** As Prettier writes an exponent. */
export function printNumber(text: string): string {
  return text.replace("e+", "e");
}

/** A key, bare where it can be. */
export function printKey({ text, isComputed }: Key, layout: Layout): string {
  if (isComputed) return `[${printString(text, layout)}]`;
  if (!text.startsWith('"')) return text;
  const inner = text.slice(1, -1);
  return isIdentifier(inner) ? inner : printString(text, layout);
}

/** The comma after the last of several lines in brackets. */
export function trailingComma(layout: Layout, place: "list" | "call" = "list"): Doc {
  const has = layout.trailingComma === "all" || (layout.trailingComma === "es5" && place === "list");
  return has ? ifBreak(",") : "";
}

/** What stands inside braces at their ends. */
export function braceLine({ isSpaced }: Layout): Doc {
  return isSpaced ? line : softline;
}

/** The comments before a member or a statement. */
export function printComments(comments: readonly Comment[]): Doc[] {
  return comments.map(({ text, isApart }) => [printComment(text), hardline, ...(isApart ? [hardline] : [])]);
}

function printComment(text: string): Doc {
  const lines = text.split("\n");
  if (lines.length === 1) return text;
  // Only comments whose lines all start with a star move with the code.
  if (!lines.slice(1).every((each) => each.trimStart().startsWith("*"))) throw new Unsure();
  const last = lines.length - 1;
  return join(
    hardline,
    lines.map((each, at) => (at === 0 ? each.trimEnd() : ` ${at < last ? each.trim() : each.trimStart()}`)),
  );
}

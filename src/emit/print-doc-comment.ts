import { escapeComment } from "../schema/print/identifiers.js";

const WIDTH = 100;
const CODE_FENCE = /^\s*(```|~~~)/;

/** Returns a JSDoc comment of paragraphs, wrapped at spaces; empty without text. */
export function printDocComment(paragraphs: readonly string[], deprecated?: string): string {
  const text = paragraphs
    .map((paragraph) => escapeComment(paragraph).split("\n").map(cleanLine))
    .map(trimBlankLines)
    .filter((paragraph) => paragraph.length > 0)
    .flatMap((paragraph, at) => (at === 0 ? wrap(paragraph) : ["", ...wrap(paragraph)]));
  const lines =
    deprecated === undefined ? text : [...text, ...(text.length > 0 ? [""] : []), ...printTag(deprecated)];
  const [only] = lines;
  if (only === undefined) return "";
  if (lines.length === 1) return `/** ${only} */`;
  return ["/**", ...lines.map((line) => (line === "" ? " *" : ` * ${line}`)), " */"].join("\n");
}

function printTag(deprecated: string): readonly string[] {
  return wrapLine(`@deprecated ${escapeComment(deprecated).replace(/\s+/g, " ")}`.trimEnd());
}

/** Escapes a line so that it contains no JSDoc tag and no compiler directive. */
function cleanLine(line: string): string {
  return line
    .replace(/\t/g, "  ")
    .replace(/^(\s*)@/, "$1\\@")
    .trimEnd();
}

function trimBlankLines(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line !== "");
  const last = lines.findLastIndex((line) => line !== "");
  return first === -1 ? [] : lines.slice(first, last + 1);
}

/** Code blocks are not wrapped, since a line break would change the code. */
function wrap(lines: readonly string[]): readonly string[] {
  let isCode = false;
  return lines.flatMap((line) => {
    if (CODE_FENCE.test(line)) isCode = !isCode;
    return isCode || line.startsWith("|") ? [line] : wrapLine(line);
  });
}

function wrapLine(line: string): readonly string[] {
  const indent = /^\s*/.exec(line)?.[0] ?? "";
  const lines: string[] = [];
  let current = indent;
  for (const word of line.trim().split(/ +/)) {
    const isFirst = current.trim() === "";
    if (!isFirst && current.length + 1 + word.length > WIDTH) {
      lines.push(current);
      current = indent + word.replace(/^@/, "\\@");
    } else {
      current = isFirst ? indent + word : `${current} ${word}`;
    }
  }
  return [...lines, current];
}

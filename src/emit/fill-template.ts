import { isJsonObject, type JsonValue } from "../core/json.js";
import { escapeComment, isName, quoteLiteral } from "../schema/print/identifiers.js";

/**
 * A piece of a compiled template: fixed text; a placeholder for a name or code, or for JSON, which is printed as a literal;
 * or pieces that are conditional, or repeated for every item of a list.
 */
export type Piece =
  | string
  | { readonly text: string }
  | { readonly literal: string }
  | { readonly when: string; readonly pieces: readonly Piece[] }
  | { readonly each: string; readonly pieces: readonly Piece[] };

/** Code that was printed here, and is not only a name. No text of a file or a server becomes one as it is. */
export class PrintedCode {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Values of the placeholders, by name. In a list, an item's values take precedence over outer ones. */
export interface TemplateValues {
  readonly [slot: string]: SlotValue | undefined;
}

type SlotValue = JsonValue | PrintedCode | readonly TemplateValues[];

/** Fills every placeholder of a template. Throws for a placeholder without a value, which is a bug. */
export function fillTemplate(pieces: readonly Piece[], values: TemplateValues): string {
  return pieces.map((piece) => fillPiece(piece, values)).join("");
}

function fillPiece(piece: Piece, values: TemplateValues): string {
  if (typeof piece === "string") return piece;
  if ("text" in piece) return textOf(piece.text, values);
  if ("literal" in piece) return literalOf(piece.literal, values);
  if ("when" in piece) return values[piece.when] === undefined ? "" : fillTemplate(piece.pieces, values);
  return itemsOf(piece.each, values)
    .map((item) => fillTemplate(piece.pieces, { ...values, ...item }))
    .join("");
}

function valueOf(slot: string, values: TemplateValues): SlotValue {
  const value = values[slot];
  if (value === undefined) throw new TypeError(`The template's placeholder "${slot}" has no value.`);
  return value;
}

function literalOf(slot: string, values: TemplateValues): string {
  const value = valueOf(slot, values);
  if (value instanceof PrintedCode)
    throw new TypeError(`The template's placeholder "${slot}" holds JSON, not code.`);
  // In parentheses, an object literal is valid anywhere, even as the body of an arrow function.
  const literal = quoteLiteral(value as JsonValue);
  return isJsonObject(value) ? `(${literal})` : literal;
}

function textOf(slot: string, values: TemplateValues): string {
  const value = valueOf(slot, values);
  if (value instanceof PrintedCode) return value.text;
  if (typeof value === "string" && (isName(value) || FILE_NAME.test(value))) return value;
  throw new TypeError(`The template's placeholder "${slot}" holds a name or code.`);
}

/** The name of a file or folder that generated code imports, without an extension. */
const FILE_NAME = /^[\w$-]+$/;

function itemsOf(slot: string, values: TemplateValues): readonly TemplateValues[] {
  const value = valueOf(slot, values);
  if (!Array.isArray(value)) throw new TypeError(`The template's placeholder "${slot}" holds a list.`);
  return value as readonly TemplateValues[];
}

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
  let isBlank = true;
  for (const word of line.trim().split(/ +/)) {
    const isWrapped = !isBlank && current.length + 1 + word.length > WIDTH;
    if (isWrapped) lines.push(current);
    if (isBlank || isWrapped) {
      current = indent + (isWrapped ? word.replace(/^@/, "\\@") : word);
      isBlank = word.trim() === "";
    } else current += ` ${word}`;
  }
  return [...lines, current];
}

import { isJsonObject, type JsonValue } from "../core/json.js";
import { escapeComment, isName, quoteLiteral } from "../schema/print/identifiers.js";

/** Code that was printed here. No text of a file or a server becomes one as it is. */
export class PrintedCode {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A name, code, several of them, or nothing. */
type CodePart = string | PrintedCode | false | undefined | readonly CodePart[];

/** Prints code with names and code in it. Throws for any other text, which is a bug: {@link literal} prints data. */
export function code(texts: TemplateStringsArray, ...parts: readonly CodePart[]): PrintedCode {
  return new PrintedCode(texts.map((text, at) => text + printPart(parts[at])).join(""));
}

function printPart(part: CodePart): string {
  if (part === undefined || part === false) return "";
  if (part instanceof PrintedCode) return part.text;
  if (typeof part !== "string") return part.map(printPart).join("");
  if (isName(part) || FILE_NAME.test(part)) return part;
  throw new TypeError(`${JSON.stringify(part)} is neither a name nor code.`);
}

/** The name of a file or folder that generated code imports, without an extension. */
const FILE_NAME = /^[\w$-]+$/;

/** Prints JSON. An object is in parentheses, which are valid anywhere, even as the body of an arrow function. */
export function literal(value: JsonValue): PrintedCode {
  const text = quoteLiteral(value);
  return new PrintedCode(isJsonObject(value) ? `(${text})` : text);
}

/** Prints a property of an object literal with JSON, on a line of its own; nothing for an absent value. */
export function property(name: string, value: JsonValue | undefined): PrintedCode | undefined {
  return value === undefined ? undefined : code`  ${name}: ${literal(value)},\n`;
}

/** Prints names in braces, each on a line of its own, without those that are absent. */
export function braces(names: readonly CodePart[]): PrintedCode {
  const present = names.filter((name) => name !== undefined && name !== false);
  return code`{\n${present.map((name) => code`  ${name},\n`)}}`;
}

/** Prints the import of a server's module, with the type of its environments if it has any. */
export function importServer(hasEnvironments: true | undefined, extension: PrintedCode): PrintedCode {
  return code`import ${braces(["server", hasEnvironments && code`type Environment`])} from "./server${extension}";`;
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

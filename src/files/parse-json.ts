import { createRequire } from "node:module";
import type * as jsonc from "jsonc-parser";
import { codeOf, McpCodegenError } from "../core/errors.js";
import { type FileFormat, readFormat, refuseRepeatedKeys } from "../core/format.js";
import { type JsonValue, tryParseJson } from "../core/json.js";
import { DEEPEST_LOCKABLE } from "../core/limits.js";

/** The first error of a text that is not JSON. Lines and columns count from 1. */
interface JsonProblem {
  readonly line: number;
  readonly column: number;
  /** What is wrong. It quotes nothing from the text, which may hold secrets. */
  readonly reason: string;
}

type ParsedJson = { readonly value: JsonValue } | { readonly problem: JsonProblem };

interface JsonOptions {
  /** Whether comments and trailing commas are valid. By default only JSON (RFC 8259) is. */
  readonly allowComments?: boolean;
}

/** Parses a text, with or without a byte order mark. Returns the value or the first error. */
export function parseJson(text: string, { allowComments = false }: JsonOptions = {}): ParsedJson {
  const json = withoutMark(text);
  try {
    return { value: JSON.parse(json) as JsonValue };
  } catch {
    const problem = findProblem(json, allowComments);
    return problem === undefined ? { value: parseCommented(json) } : { problem };
  }
}

/** Returns the content of a JSON text, which errors call `name`. Throws with the format's code, with the place. */
export function parseFormat<T>(format: FileFormat<T>, text: string, name: string): T {
  const parsed = parseJson(text);
  if ("value" in parsed) {
    refuseRepeatedKeys(format, text, parsed.value, name);
    return readFormat(format, parsed.value, name);
  }
  const { code, hint } = format;
  const { line, column, reason } = parsed.problem;
  throw new McpCodegenError(code, `"${name}" is not JSON at line ${line}, column ${column}: ${reason}.`, {
    hint,
  });
}

/** Returns the first error of a text that `JSON.parse` rejects; undefined if jsonc-parser, an optional dependency, is missing. */
export function locateJsonError(text: string): JsonProblem | undefined {
  try {
    return findProblem(withoutMark(text), false);
  } catch (error) {
    if (codeOf(error) === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** Loaded on demand: `JSON.parse` reads most files. */
function loadParser(): typeof jsonc {
  return createRequire(import.meta.url)("jsonc-parser") as typeof jsonc;
}

/** jsonc-parser recurses. Deeper texts are rejected before it could exhaust the call stack. */
const DEEPEST = DEEPEST_LOCKABLE;

/** Returns a text that {@link parseJson} accepts, without comments. */
export function withoutComments(text: string): string {
  return tryParseJson(withoutMark(text)) === undefined ? loadParser().stripComments(text) : text;
}

const EXTENSIONS = { allowTrailingComma: true, disallowComments: false };

function parseCommented(json: string): JsonValue {
  const { getNodeValue, parseTree } = loadParser();
  const tree = parseTree(json, [], EXTENSIONS);
  // The objects of jsonc-parser have no prototype. `JSON.parse` makes ordinary ones and keeps a key `__proto__`.
  return tree === undefined ? null : (JSON.parse(JSON.stringify(getNodeValue(tree))) as JsonValue);
}

function findProblem(json: string, allowComments: boolean): JsonProblem | undefined {
  const parser = loadParser();
  const tooDeep = findOpen(parser, json, json.length);
  if (tooDeep.length > DEEPEST) {
    return { ...positionOf(json, tooDeep.at(-1)?.offset ?? 0), reason: `nested over ${DEEPEST} levels deep` };
  }
  const errors: jsonc.ParseError[] = [];
  parser.parseTree(json, errors, allowComments ? EXTENSIONS : { disallowComments: true });
  const [first, second] = errors.map(({ error, offset }) => ({
    offset,
    code: parser.printParseErrorCode(error),
  }));
  if (first === undefined) return allowComments ? undefined : { line: 1, column: 1, reason: "invalid JSON" };
  // A word such as `name` is an invalid symbol. The next error names what is missing there.
  const code = (first.code === "InvalidSymbol" && second?.code) || first.code;
  const reason =
    code === "CommaExpected"
      ? `expected "," or "${findOpen(parser, json, first.offset).at(-1)?.close ?? "}"}"`
      : (REASONS[code] ?? "invalid JSON");
  const isEnd = first.offset === json.length && reason.startsWith("expected");
  return {
    ...positionOf(json, first.offset),
    reason: isEnd ? `${reason}, found the end of the file` : reason,
  };
}

const REASONS: Readonly<Record<string, string>> = {
  InvalidSymbol: "unexpected text",
  InvalidNumberFormat: "invalid number",
  PropertyNameExpected: "expected a key in double quotes",
  ValueExpected: "expected a value",
  ColonExpected: 'expected ":"',
  CloseBraceExpected: 'expected "," or "}"',
  CloseBracketExpected: 'expected "," or "]"',
  EndOfFileExpected: "expected the end of the file",
  InvalidCommentToken: "JSON has no comments",
  UnexpectedEndOfComment: "unterminated comment",
  UnexpectedEndOfString: "unterminated string",
  UnexpectedEndOfNumber: "invalid number",
  InvalidUnicode: "invalid escape in a string",
  InvalidEscapeCharacter: "invalid escape in a string",
  InvalidCharacter: "unescaped control character in a string",
};

interface OpenBracket {
  readonly close: "}" | "]";
  readonly offset: number;
}

/** Returns the brackets that are open at an offset, or the first `DEEPEST + 1` that are open at once before it. */
function findOpen({ createScanner }: typeof jsonc, json: string, offset: number): readonly OpenBracket[] {
  const open: OpenBracket[] = [];
  const scanner = createScanner(json, true);
  scanner.scan();
  while (scanner.getTokenLength() > 0 && scanner.getTokenOffset() < offset && open.length <= DEEPEST) {
    const start = scanner.getTokenOffset();
    const token = scanner.getTokenLength() === 1 ? json[start] : undefined;
    if (token === "{" || token === "[") open.push({ close: token === "{" ? "}" : "]", offset: start });
    else if (token === "}" || token === "]") open.pop();
    scanner.scan();
  }
  return open;
}

function positionOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: before.length - before.lastIndexOf("\n") };
}

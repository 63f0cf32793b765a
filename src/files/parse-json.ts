import { createRequire } from "node:module";
import type * as jsonc from "jsonc-parser";
import { codeOf, McpCodegenError } from "../core/errors.js";
import { tryParseExactly } from "../core/exact-json.js";
import { type FileFormat, findNewer, findProblems, type FormatProblem, failNewer } from "../core/format.js";
import { type JsonValue, tryParseJson } from "../core/json.js";
import { formatKeyPath, joinPointer } from "../core/json-pointer.js";
import { findRepeatedKey, locateInJson } from "../core/json-text.js";
import { DEEPEST_LOCKABLE } from "../core/limits.js";

/** The first error of a text. Lines and columns count from 1. */
interface JsonProblem {
  readonly line: number;
  readonly column: number;
  /** What is wrong. It quotes nothing from the text, which may hold secrets. */
  readonly reason: string;
  /** True for a file of a later version. */
  readonly isNewer?: true;
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

/** A further rule for the content of a file: returns the part that breaks it. */
type ContentRule<T> = (content: T, text: string) => FormatProblem | undefined;

/**
 * Returns the content of a JSON text, or why it does not have the format. Numbers keep their digits.
 *
 * @param rule a further rule
 */
export function readFormatted<T>(
  format: FileFormat<T>,
  text: string,
  rule?: ContentRule<T>,
): { readonly value: T } | { readonly problem: JsonProblem } {
  const json = withoutMark(text);
  const value = tryParseExactly(json);
  if (value === undefined) {
    // Without jsonc-parser, an optional dependency, the place is not known.
    const problem = locateJsonError(json) ?? { line: 1, column: 1, reason: "not JSON" };
    const isConflicted = /^(?:<{7}|={7}|>{7})/m.test(json);
    return { problem: isConflicted ? { ...problem, reason: CONFLICT } : problem };
  }
  const newer = findNewer(format, value);
  if (newer !== undefined)
    return {
      problem: { ...positionIn(json, `/${format.version?.[0] ?? ""}`), reason: newer, isNewer: true },
    };
  const repeated = findRepeatedKey(json, value);
  const broken =
    (repeated && { path: repeated, text: "the key is repeated" }) ??
    findProblems(format.format, value)[0] ??
    // The format has checked it.
    rule?.(value as T, json);
  if (broken === undefined) return { value: value as T };
  const place = broken.path.length === 0 ? "" : `${formatKeyPath(broken.path)}: `;
  return {
    problem: { ...positionIn(json, joinPointer("", ...broken.path)), reason: `${place}${broken.text}` },
  };
}

const CONFLICT = "merge conflict";
/** The lock has a hint of its own. All other files are lists, whose entries do not depend on each other. */
const KEEP_BOTH =
  "Keep the entries of both sides, each with braces and keys of its own and a comma between them, and delete the lines that begin with <<<<<<<, ======= and >>>>>>>.";

/** As {@link readFormatted}, but throws with the format's code and the place. Errors call the text `name`. */
export function parseFormat<T>(format: FileFormat<T>, text: string, name: string, rule?: ContentRule<T>): T {
  const read = readFormatted(format, text, rule);
  if ("value" in read) return read.value;
  const { line, column, reason, isNewer } = read.problem;
  if (isNewer === true) throw failNewer(format, reason, name);
  const message = `"${name}" is invalid at ${line}:${column}: ${reason}.`;
  throw new McpCodegenError(format.code, message, {
    hint: reason === CONFLICT ? KEEP_BOTH : format.hint,
  });
}

/** The line and the column of a value in a text, from its key. */
export function positionIn(text: string, pointer: string): Pick<JsonProblem, "line" | "column"> {
  const region = locateInJson(text, [pointer]).get(pointer);
  return { line: region?.startLine ?? 1, column: region?.startColumn ?? 1 };
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
  // jsonc-parser recurses, so deeper texts are rejected before it could exhaust the call stack.
  const tooDeep = findOpen(parser, json, json.length);
  if (tooDeep.length > DEEPEST_LOCKABLE) {
    return {
      ...positionOf(json, tooDeep.at(-1)?.offset ?? 0),
      reason: `nested over ${DEEPEST_LOCKABLE} levels deep`,
    };
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

/** Returns the brackets that are open at an offset, or the first `DEEPEST_LOCKABLE + 1` that are open at once before it. */
function findOpen({ createScanner }: typeof jsonc, json: string, offset: number): readonly OpenBracket[] {
  const open: OpenBracket[] = [];
  const scanner = createScanner(json, true);
  scanner.scan();
  while (
    scanner.getTokenLength() > 0 &&
    scanner.getTokenOffset() < offset &&
    open.length <= DEEPEST_LOCKABLE
  ) {
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

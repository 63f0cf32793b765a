import { posix } from "node:path";
import { ts } from "ts-morph";
import { findErrors } from "../find-mismatches.js";
import { type Generated, posixPath } from "../open-project.js";
import { isModuleName } from "../syntax.js";
import type { FileEdit, PlacedRename } from "./find-edits.js";
import type { OpenedCode } from "./open-code.js";
import { applyEdits } from "./text-edits.js";

/** A place that a person has to look at. */
export interface Leftover {
  /** Posix, relative to the configuration. */
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

interface CompilerError {
  readonly file: ts.SourceFile;
  readonly start: number;
  readonly message: string;
}

/** Returns the new errors after edits, against the new generated files, and the names of renamed properties that no type checks. */
export function findLeftovers(
  code: OpenedCode,
  dir: string,
  edits: readonly FileEdit[],
  renames: readonly PlacedRename[],
  after: Generated,
): readonly Leftover[] {
  const { program, users, compile } = code;
  const files = users.flatMap((path) => program.getSourceFile(path) ?? []);
  const editsOf = (path: string): readonly FileEdit[] => edits.filter((edit) => edit.path === path);
  const texts = new Map(files.map(({ fileName, text }) => [fileName, applyEdits(text, editsOf(fileName))]));
  const edited = compile(after.tree, undefined, texts);
  const findings = files.flatMap((file) => [
    ...findNewErrors(file.fileName, program, edited),
    ...findUnchecked(code, file, renames, editsOf(file.fileName)),
  ]);
  return findings.map(({ file, start, message }) => ({
    file: posix.relative(posixPath(dir), file.fileName),
    line: file.getLineAndCharacterOfPosition(start).line + 1,
    message,
  }));
}

/** Longer messages of the compiler print whole types. */
const LONGEST = 240;

/** The errors of a file that it did not have as often before the edits, which moved the others. */
function findNewErrors(path: string, before: ts.Program, edited: ts.Program): readonly CompilerError[] {
  const wordsOf = ({ messageText }: ts.Diagnostic): string =>
    ts
      .flattenDiagnosticMessageText(messageText, " ")
      .replaceAll(/\s+/g, " ")
      .replaceAll(/import\("(?:[^"]*\/)?([^"/]+)\/index"[^)]*\)/g, "$1");
  const errors = findErrors(path, before).map(wordsOf);
  return findErrors(path, edited).flatMap((error) => {
    const words = wordsOf(error);
    const at = errors.indexOf(words);
    const { file, start = 0 } = error;
    if (at !== -1) errors.splice(at, 1);
    const message = words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words;
    return at !== -1 || file === undefined ? [] : [{ file, start, message }];
  });
}

/** The names of renamed properties that have no other declaration: texts, reads of `any`, keys of objects without a type. */
function findUnchecked(
  { service }: OpenedCode,
  file: ts.SourceFile,
  renames: readonly PlacedRename[],
  edits: readonly FileEdit[],
): readonly CompilerError[] {
  const words = new Set(file.text.split(/[^\p{L}\p{N}_$]+/u));
  // Other tools may have properties of this name.
  const used = renames.filter(
    ({ type, names }) => type !== undefined && [...names].flat().some((name) => words.has(name)),
  );
  const newNames = new Map(used.map(({ rename }) => [rename.before, rename.after]));
  const errors: CompilerError[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    const name = ts.isIdentifier(node) || ts.isStringLiteralLike(node) ? node.text : "";
    const to = newNames.get(name);
    const start = node.getStart(file);
    const { parent } = node;
    const isBound = ts.isBindingElement(parent) && parent.propertyName !== undefined && parent.name === node;
    const isVariable = isBound || ts.isVariableDeclaration(parent) || ts.isParameter(parent);
    const isEdited = edits.some((edit) => edit.start >= start && edit.start < node.getEnd());
    if (to === undefined || isVariable || isEdited || isModuleName(node)) return;
    const declared = service.getDefinitionAtPosition(file.fileName, start) ?? [];
    if (declared.every(({ fileName, textSpan }) => fileName === file.fileName && textSpan.start === start))
      errors.push({ file, start, message: `names \`${name}\`, renamed to \`${to}\`` });
  };
  if (newNames.size > 0) ts.forEachChild(file, visit);
  return errors;
}

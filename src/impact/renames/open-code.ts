import { posix } from "node:path";
import { ts } from "ts-morph";
import { sha256 } from "../../core/digest.js";
import { editSpelled, isIdentifier, type Rename, spellName, type TextEdit } from "../../core/rename.js";
import { nodeAt } from "../describe-hit.js";
import {
  type CodeUsers,
  createResolver,
  findUsers,
  type Generated,
  type OpenProject,
  posixPath,
  shareFiles,
} from "../open-project.js";
import type { ToolModule } from "../tool-finder.js";

/** A renamed tool: its modules, and its exports by their old names. */
export interface PlacedToolRename {
  readonly rename: Rename;
  readonly before: ToolModule;
  readonly after: ToolModule;
  readonly names: ReadonlyMap<string, string>;
}

/** A renamed property of a tool's arguments or results, or a renamed value of one. */
export interface PlacedPropertyRename {
  readonly rename: Rename;
  readonly tool: ToolModule;
  /** Names the type of the tool's arguments, or results. */
  readonly type: string;
  /** The same in the new generated code; absent if the tool is not there. */
  readonly now?: undefined | { readonly tool: ToolModule; readonly type: string };
}

/** Where the user's code is, and the generated files that it was written for. */
export interface CodeLocation {
  /** The configuration's folder, the output folder and the TypeScript configuration, absolute. */
  readonly dir: string;
  readonly output: string;
  /** Scripts are a project of their own. */
  readonly tsconfig: string | OpenProject;
  readonly before: Generated;
  /** Absolute paths of code that the TypeScript project may leave out. */
  readonly sources: readonly string[];
}

export interface RenameRequest {
  readonly after: Generated;
  readonly tools: readonly PlacedToolRename[];
  readonly properties: readonly PlacedPropertyRename[];
  /** Files that are also searched as files of agents, by absolute posix path. */
  readonly agentFiles: ReadonlySet<string>;
}

/** The user's code and the old generated code, compiled. */
export interface OpenedCode {
  readonly service: ts.LanguageService;
  readonly program: ts.Program;
  /** The user's files that use generated code. */
  readonly users: readonly string[];
  /** The same files, and declarations that apply to all files. */
  readonly files: readonly ts.SourceFile[];
  /** Finds the file that a module name in another file leads to. */
  readonly resolve: (name: string, from: string) => string | undefined;
  /** The output folder, posix. */
  readonly folder: string;
  readonly compile: CodeUsers["compile"];
}

/**
 * Opens the files of a project that use generated code, against the old generated files; undefined if none does.
 *
 * @param own the only files to report, if the project also has files of others
 */
export function openCode(
  project: OpenProject,
  { output, before }: CodeLocation,
  own: ReadonlySet<string> | undefined,
): OpenedCode | undefined {
  const folder = posixPath(output);
  const { users, paths, open, compile } = findUsers(project, output, [before], own);
  if (users.length === 0) return undefined;
  const host = open(before.tree);
  const modules = before.tools.map(({ path }) => posix.join(folder, path));
  const service = createService([...new Set([...paths, ...modules])], project.options, host);
  const program = service.getProgram();
  if (program === undefined) return undefined;
  const files = paths.flatMap((path) => program.getSourceFile(path) ?? []);
  const resolve = createResolver(project.options, host);
  return { service, program, users, files, folder, resolve, compile };
}

/** The files of the user's code that take part: also those that do not use generated code, but are used with it. */
export function ownFilesOf({ program, folder }: OpenedCode): readonly ts.SourceFile[] {
  return program
    .getSourceFiles()
    .filter(
      ({ fileName, isDeclarationFile }) =>
        !isDeclarationFile && !fileName.startsWith(`${folder}/`) && !fileName.includes("/node_modules/"),
    );
}

/** Adds edits of a file; those of generated files and packages are dropped. */
export type AddEdits = (rename: Rename | undefined, path: string, edits: readonly TextEdit[]) => void;

/** The places of a declared name. A name that a re-export gives stays. */
export function findLocations(
  { service, program }: OpenedCode,
  name: ts.Node,
  keepsOthers: boolean,
): readonly ts.RenameLocation[] {
  const file = name.getSourceFile();
  const options = { providePrefixAndSuffixTextForRename: keepsOthers };
  const found = service.findRenameLocations(file.fileName, name.getStart(file), false, false, options) ?? [];
  const text = textOf(name);
  return found.filter(({ fileName, textSpan: { start, length } }) => {
    const other = program.getSourceFile(fileName);
    return other !== undefined && textOf(nameAt(other, start, length)) === text;
  });
}

function textOf(name: ts.Node): string {
  return ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? name.text : name.getText();
}

function createService(
  rootNames: readonly string[],
  options: ts.CompilerOptions,
  host: ts.CompilerHost,
): ts.LanguageService {
  const versions = new Map<string, string>();
  const versionOf = (path: string): string => {
    const known = versions.get(path) ?? sha256(host.readFile(path) ?? "");
    versions.set(path, known);
    return known;
  };
  const place: ts.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...rootNames],
    // Services share parsed files, so each version has one text.
    getScriptVersion: versionOf,
    getScriptSnapshot: (path) => {
      const text = host.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => host.getCurrentDirectory(),
    getDefaultLibFileName: (wanted) => host.getDefaultLibFileName(wanted),
    fileExists: (path) => host.fileExists(path),
    readFile: (path) => host.readFile(path),
    directoryExists: (path) => host.directoryExists?.(path) === true,
    realpath: (path) => host.realpath?.(path) ?? path,
  };
  return ts.createLanguageService(place, shareFiles(options).registry);
}

/** A name in a file, and the text that the language service writes before and after the new one. */
interface NamePlace {
  readonly start: number;
  readonly length: number;
  readonly prefix?: string;
  readonly suffix?: string;
}

/**
 * Returns the edit that replaces a property's name at a place. The new name comes from a server: if it is not an identifier,
 * it is written as a string, as in `order["per-page"]`. Undefined where the syntax allows no string.
 */
export function editName(file: ts.SourceFile, place: NamePlace, to: string): TextEdit | undefined {
  const { start, length, prefix = "", suffix = "" } = place;
  const node = nameAt(file, start, length);
  const { parent } = node;
  const named = {
    start,
    length,
    text: `${prefix}${spellName(to, file.text.charAt(node.getStart(file)))}${suffix}`,
  };
  if (ts.isStringLiteralLike(node) || isIdentifier(to)) return named;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
    const dots = parent.getChildren(file).find(({ kind }) => kind === ts.SyntaxKind.DotToken);
    const from = dots?.getStart(file) ?? start;
    return { start: from, length: start + length - from, text: `[${JSON.stringify(to)}]` };
  }
  const isKey =
    ts.isBindingElement(parent) || ts.isShorthandPropertyAssignment(parent) || isNamedBy(parent, node);
  return isKey ? named : undefined;
}

/** The name at a place. In `{ limit }`, and in `import { getOrder }`, the name is not all that is there. */
export function nameAt(file: ts.SourceFile, start: number, length: number): ts.Node {
  const node = nodeAt(file, start, start + length);
  const isAlone =
    ts.isShorthandPropertyAssignment(node) ||
    ts.isBindingElement(node) ||
    ts.isImportSpecifier(node) ||
    ts.isExportSpecifier(node);
  return isAlone ? node.name : node;
}

function isNamedBy(parent: ts.Node, node: ts.Node): boolean {
  const isMember = ts.isObjectLiteralElement(parent) || ts.isClassElement(parent) || ts.isTypeElement(parent);
  return isMember && parent.name === node;
}

/** The edit of the text of a string literal, without its quotes. */
export function editText(node: ts.StringLiteralLike, text: string): TextEdit {
  return editSpelled(node.getSourceFile().text, node.getStart(), node.getEnd(), text);
}

/** The edit of a property's name. In `{ limit }`, the variable keeps its name. */
export function editKey(node: ts.Node, to: string): TextEdit | undefined {
  const { parent } = node;
  const file = node.getSourceFile();
  const quote = ts.isStringLiteralLike(node) ? 1 : 0;
  const start = node.getStart(file) + quote;
  const isShort =
    ts.isShorthandPropertyAssignment(parent) ||
    (ts.isBindingElement(parent) && parent.propertyName === undefined);
  const suffix = isShort ? `: ${node.getText(file)}` : "";
  return editName(file, { start, length: node.getEnd() - quote - start, suffix }, to);
}

/** Whether one of the edits changes a node. */
export function isEdited(node: ts.Node, edits: ReadonlyMap<string, readonly TextEdit[]>): boolean {
  const file = node.getSourceFile();
  const [from, to] = [node.getStart(file), node.getEnd()];
  return edits.get(file.fileName)?.some(({ start }) => start >= from && start < to) === true;
}

/** Joins edits by path, without those that are the same or overlap. */
export function mergeEdits(
  all: readonly { readonly edits: ReadonlyMap<string, readonly TextEdit[]> }[],
): ReadonlyMap<string, readonly TextEdit[]> {
  const edits = new Map<string, Map<string, TextEdit>>();
  for (const found of all)
    for (const [path, added] of found.edits) {
      const known = edits.get(path) ?? new Map<string, TextEdit>();
      for (const edit of added) known.set(keyOf(edit), edit);
      edits.set(path, known);
    }
  return new Map([...edits].map(([path, found]) => [path, sorted([...found.values()])]));
}

function keyOf({ start, length, text }: TextEdit): string {
  return JSON.stringify([start, length, text]);
}

function sorted(edits: readonly TextEdit[]): readonly TextEdit[] {
  let end = 0;
  return [...edits]
    .sort((a, b) => a.start - b.start || b.length - a.length)
    .filter((edit) => {
      const isFree = edit.start >= end;
      if (isFree) end = edit.start + edit.length;
      return isFree;
    });
}

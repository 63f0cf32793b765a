import type { Change } from "../../core/change.js";
import type { Generated } from "../find-impact.js";
import type { ToolModule } from "../tool-finder.js";
import { posix } from "node:path";
import { ts } from "ts-morph";
import { sha256 } from "../../core/digest.js";
import type { TextEdit } from "../../core/rename.js";
import { nameAt } from "./edit-name.js";
import {
  type OpenProject,
  type SourceCache,
  createHost,
  createResolver,
  findDependents,
  overlayOf,
  shareFiles,
} from "../open-project.js";

/** A renamed tool: its modules, and its exports by their old names. */
export interface PlacedToolRename {
  readonly before: ToolModule;
  readonly after: ToolModule;
  readonly names: ReadonlyMap<string, string>;
}

/** A renamed property of a tool's arguments or results, or a renamed value of one. */
export interface PlacedPropertyRename {
  readonly kind: "property" | "value";
  readonly tool: ToolModule;
  /** Names the type of the tool's arguments, or results. */
  readonly type: string;
  /** The same in the new generated code; absent if the tool is not there. */
  readonly now?: undefined | { readonly tool: ToolModule; readonly type: string };
  readonly change: Change;
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
  const folder = output.replaceAll("\\", "/");
  const cache: SourceCache = new Map();
  const host = createHost(project.options, overlayOf(before.tree, [folder], project), cache);
  const found = findDependents(project, host, (path) => path.startsWith(`${folder}/`));
  const users = own === undefined ? found.users : found.users.filter((path) => own.has(path));
  if (users.length === 0) return undefined;
  const paths = [...new Set([...users, ...found.ambient])];
  const modules = before.tools.map(({ path }) => posix.join(folder, path));
  const service = createService([...new Set([...paths, ...modules])], project.options, host);
  const program = service.getProgram();
  if (program === undefined) return undefined;
  const files = paths.flatMap((path) => program.getSourceFile(path) ?? []);
  const resolve = createResolver(project.options, host);
  return { service, program, users, files, folder, resolve };
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
export type AddEdits = (
  rename: PlacedToolRename | PlacedPropertyRename | undefined,
  path: string,
  edits: readonly TextEdit[],
) => void;

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

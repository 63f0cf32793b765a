import { posix } from "node:path";
import { ts } from "ts-morph";
import type { Change } from "../contract/change.js";
import { byCodeUnit } from "../contract/json.js";
import { applyEdits, type TextEdit } from "../contract/text-edit.js";
import { placeOf } from "./change-place.js";
import { createHost, overlayOf, type SourceCache } from "./create-host.js";
import type { Generated } from "./find-impact.js";
import { findErrors } from "./find-mismatches.js";
import { findDependents, openProjects, type OpenProject } from "./open-project.js";
import { renameKeys, renameModule } from "./rename-names.js";
import { renameValues } from "./rename-values.js";
import { declarationsOf, propertiesAt } from "./renamed-declarations.js";
import type { ToolModule } from "./tool-finder.js";

/** A renamed tool: its modules, and its exports by their old names. */
export interface ToolRename {
  readonly before: ToolModule;
  readonly after: ToolModule;
  readonly names: ReadonlyMap<string, string>;
}

/** A renamed property of a tool's arguments or results, or a renamed value of one. */
export interface PropertyRename {
  readonly kind: "property" | "value";
  readonly tool: ToolModule;
  /** Names the type of the tool's arguments, or results. */
  readonly type: string;
  readonly change: Change;
}

interface RenameRequest {
  /** The configuration's folder, the output folder and the TypeScript configuration, absolute. */
  readonly dir: string;
  readonly output: string;
  readonly tsconfig: string;
  readonly before: Generated;
  readonly after: Generated;
  readonly tools: readonly ToolRename[];
  readonly properties: readonly PropertyRename[];
}

export interface RenamedCode {
  /** By absolute posix path; sorted by place. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  /** What does not compile after the edits and compiled before. */
  readonly left: readonly Leftover[];
}

/** A place that a person has to look at. */
export interface Leftover {
  /** Posix, relative to the configuration. */
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/**
 * Finds the edits that renames need in the user's code. The compiler's language service finds the references in the code as
 * it was, against the old generated files, so that nothing is renamed by its spelling alone. Nothing is written.
 *
 * @throws McpCodegenError `USAGE` for a TypeScript configuration that cannot be read
 */
export function renameInCode(request: RenameRequest): RenamedCode {
  const edits = new Map<string, Map<string, TextEdit>>();
  const left: Leftover[] = [];
  for (const project of openProjects(request.tsconfig.replaceAll("\\", "/"))) {
    const found = renameInProject(project, request);
    for (const [path, own] of found.edits)
      edits.set(
        path,
        new Map([...(edits.get(path) ?? []), ...own.map((edit) => [keyOf(edit), edit] as const)]),
      );
    left.push(...found.left);
  }
  return {
    edits: new Map([...edits].map(([path, own]) => [path, sorted([...own.values()])])),
    left: [...new Map(left.map((one) => [JSON.stringify(one), one])).values()],
  };
}

function keyOf({ start, length, text }: TextEdit): string {
  return JSON.stringify([start, length, text]);
}

/** Edits in order, without those that overlap an earlier one. */
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

function renameInProject(project: OpenProject, request: RenameRequest): RenamedCode {
  const folder = request.output.replaceAll("\\", "/");
  const isGenerated = (path: string): boolean => path.startsWith(`${folder}/`);
  const cache: SourceCache = new Map();
  const host = createHost(project.options, overlayOf(request.before.tree, [folder]), cache);
  const { users, ambient } = findDependents(project, host, isGenerated);
  const modules = request.before.tools.map(({ path }) => posix.join(folder, path));
  const rootNames = [...new Set([...users, ...ambient, ...modules])];
  const service = createService(rootNames, project.options, host);
  const program = service.getProgram();
  if (users.length === 0 || program === undefined) return { edits: new Map(), left: [] };
  const edits = new Map<string, TextEdit[]>();
  const add = (path: string, edit: TextEdit): void => {
    if (isGenerated(path) || path.includes("/node_modules/")) return;
    edits.set(path, [...(edits.get(path) ?? []), edit]);
  };
  const rename = (file: ts.SourceFile, name: ts.Node, to: string, keepsOthers: boolean): void => {
    const locations = service.findRenameLocations(file.fileName, name.getStart(file), false, false, {
      providePrefixAndSuffixTextForRename: keepsOthers,
    });
    for (const { fileName, textSpan, prefixText = "", suffixText = "" } of locations ?? [])
      add(fileName, {
        start: textSpan.start,
        length: textSpan.length,
        text: `${prefixText}${to}${suffixText}`,
      });
  };
  for (const { before, names } of request.tools) {
    const file = program.getSourceFile(posix.join(folder, before.path));
    for (const [from, to] of names)
      for (const name of file === undefined || from === to ? [] : declarationsOf(file, from))
        if (file !== undefined) rename(file, name, to, false);
  }
  for (const { kind, tool, type, change } of request.properties) {
    const file = program.getSourceFile(posix.join(folder, tool.path));
    const place = placeOf(change);
    if (file === undefined || place === undefined || typeof change.after !== "string") continue;
    const names = propertiesAt(file, type, place, program.getTypeChecker());
    if (kind === "property") for (const name of names) rename(name.getSourceFile(), name, change.after, true);
    else if (typeof change.before === "string")
      for (const [path, own] of renameValues(program, users, names, [change.before, change.after]))
        for (const edit of own) add(path, edit);
  }
  for (const path of users)
    for (const { before, after } of request.tools)
      for (const edit of renameModule(path, program, posix.join(folder, before.path), [
        before.path,
        after.path,
      ]))
        add(path, edit);
  for (const path of users)
    for (const { before, names } of request.tools)
      for (const edit of renameKeys(path, program, posix.join(folder, before.path), names)) add(path, edit);
  const renamed = new Map([...edits].map(([path, own]) => [path, sorted(own)]));
  return {
    edits: renamed,
    left: findLeftovers(project, { ...request, folder, users, ambient, program, renamed }),
  };
}

function createService(
  rootNames: readonly string[],
  options: ts.CompilerOptions,
  host: ts.CompilerHost,
): ts.LanguageService {
  return ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...rootNames],
    getScriptVersion: () => "1",
    getScriptSnapshot: (path) => {
      const text = host.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => host.getCurrentDirectory(),
    getDefaultLibFileName: (wanted) => host.getDefaultLibFileName(wanted),
    fileExists: (path) => host.fileExists(path),
    readFile: (path) => host.readFile(path),
    ...(host.directoryExists && { directoryExists: (path: string) => host.directoryExists?.(path) === true }),
    ...(host.realpath && { realpath: (path: string) => host.realpath?.(path) ?? path }),
  });
}

/** The errors after the edits, against the new generated files, in files that had none before at that statement. */
function findLeftovers(
  project: OpenProject,
  {
    dir,
    after,
    folder,
    users,
    ambient,
    program,
    renamed,
  }: RenameRequest & {
    readonly folder: string;
    readonly users: readonly string[];
    readonly ambient: readonly string[];
    readonly program: ts.Program;
    readonly renamed: ReadonlyMap<string, readonly TextEdit[]>;
  },
): readonly Leftover[] {
  const texts = new Map(
    [...renamed].map(
      ([path, edits]) => [path, applyEdits(program.getSourceFile(path)?.text ?? "", edits)] as const,
    ),
  );
  const overlay = new Map([...overlayOf(after.tree, [folder]), ...texts]);
  const now = ts.createProgram({
    rootNames: [...new Set([...users, ...ambient])],
    options: project.options,
    host: createHost(project.options, overlay, new Map()),
  });
  const words = ({ messageText, code }: ts.Diagnostic): string =>
    `${code} ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  return users
    .flatMap((path) => {
      const known = new Set(findErrors(path, program).map(words));
      return findErrors(path, now).flatMap((error): readonly Leftover[] => {
        if (known.has(words(error))) return [];
        const line = (error.file?.getLineAndCharacterOfPosition(error.start ?? 0).line ?? 0) + 1;
        const message = ts.flattenDiagnosticMessageText(error.messageText, " ");
        return [{ file: posix.relative(dir.replaceAll("\\", "/"), path), line, message }];
      });
    })
    .sort((a, b) => byCodeUnit(a.file, b.file) || a.line - b.line);
}

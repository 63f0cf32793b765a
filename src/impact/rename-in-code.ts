import { posix } from "node:path";
import { ts } from "ts-morph";
import type { Change } from "../contract/change.js";
import type { TextEdit } from "../contract/text-edit.js";
import { placeOf } from "./change-place.js";
import { createHost, overlayOf, type SourceCache } from "./create-host.js";
import { editName, nameAt } from "./edit-name.js";
import type { Generated } from "./find-impact.js";
import {
  findCalls,
  findLeftovers,
  findPassedAt,
  type Leftover,
  type LeftoverNode,
} from "./find-leftovers.js";
import { findDependents, openProjects, type OpenProject } from "./open-project.js";
import { dropDoubled, renameKeys, renameModule } from "./rename-names.js";
import { renamePassed } from "./rename-passed.js";
import { renameValues } from "./rename-values.js";
import { declarationsOf, propertiesAt, rootOf } from "./renamed-declarations.js";
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
  /** The same in the new generated code; absent if the tool is not there. */
  readonly now?: { readonly tool: ToolModule; readonly type: string };
  readonly change: Change;
}

export interface RenameRequest {
  /** The configuration's folder, the output folder and the TypeScript configuration, absolute. */
  readonly dir: string;
  readonly output: string;
  readonly tsconfig: string;
  readonly before: Generated;
  readonly after: Generated;
  readonly tools: readonly ToolRename[];
  readonly properties: readonly PropertyRename[];
  /** Files that changed since the code was written for the old generated files, as they were, by absolute posix path. */
  readonly former: ReadonlyMap<string, string>;
}

export interface RenamedCode {
  /** By absolute posix path; sorted by place. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  /** The renames that concern the code: of names that it has. */
  readonly used: ReadonlySet<ToolRename | PropertyRename>;
  /** What does not compile after the edits and compiled before. */
  readonly left: readonly Leftover[];
}

/**
 * Finds the edits that renames need in the user's code. The compiler's language service finds the references in the code as
 * it was, against the old generated files, so that nothing is renamed by its spelling alone. Nothing is written.
 *
 * @throws McpCodegenError `USAGE` for a TypeScript configuration that cannot be read
 */
export function renameInCode(request: RenameRequest): RenamedCode {
  const edits = new Map<string, Map<string, TextEdit>>();
  const used = new Set<ToolRename | PropertyRename>();
  const left: Leftover[] = [];
  for (const project of openProjects(request.tsconfig.replaceAll("\\", "/"))) {
    const found = renameInProject(project, request);
    for (const [path, own] of found.edits)
      edits.set(
        path,
        new Map([...(edits.get(path) ?? []), ...own.map((edit) => [keyOf(edit), edit] as const)]),
      );
    for (const rename of found.used) used.add(rename);
    left.push(...found.left);
  }
  return {
    edits: new Map([...edits].map(([path, own]) => [path, sorted([...own.values()])])),
    used,
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
  if (users.length === 0 || program === undefined) return { edits: new Map(), used: new Set(), left: [] };
  const edits = new Map<string, TextEdit[]>();
  const used = new Set<ToolRename | PropertyRename>();
  const add: AddEdits = (rename, path, found) => {
    if (found.length === 0 || isGenerated(path) || path.includes("/node_modules/")) return;
    if (rename !== undefined) used.add(rename);
    edits.set(path, [...(edits.get(path) ?? []), ...found]);
  };
  const opened: OpenedCode = { service, program, users, folder };
  const taken = renameTools(opened, request.tools, add);
  for (const rename of renameProperties(opened, request, add)) used.add(rename);
  const renamed = new Map([...edits].map(([path, own]) => [path, sorted(own)]));
  return {
    edits: renamed,
    used,
    left: findLeftovers(project, request, { ...opened, ambient, renamed, taken }),
  };
}

/** The user's code and the old generated code, compiled. */
export interface OpenedCode {
  readonly service: ts.LanguageService;
  readonly program: ts.Program;
  /** The user's files that use generated code. */
  readonly users: readonly string[];
  /** The output folder, posix. */
  readonly folder: string;
}

type AddEdits = (
  rename: ToolRename | PropertyRename | undefined,
  path: string,
  edits: readonly TextEdit[],
) => void;

/** Adds the edits, and returns the places where the new name is that of something else. */
function renameTools(
  opened: OpenedCode,
  tools: readonly ToolRename[],
  add: AddEdits,
): readonly LeftoverNode[] {
  const { service, program, users, folder } = opened;
  const taken: LeftoverNode[] = [];
  for (const rename of tools) {
    const { before, after, names } = rename;
    const module = posix.join(folder, before.path);
    const file = program.getSourceFile(module);
    for (const [from, to] of names)
      for (const name of file === undefined || from === to ? [] : declarationsOf(file, from))
        for (const location of findLocations(service, name, false)) {
          const text = isKeyOfUser(opened, location) ? `${from}: ${to}` : to;
          add(rename, location.fileName, [{ ...location.textSpan, text }]);
          const node = findTaken(opened, location, to);
          if (node !== undefined)
            taken.push({ node, message: `\`${to}\` is the name of something else here` });
        }
    for (const path of users) {
      add(rename, path, renameModule(path, program, module, [before.path, after.path]));
      add(rename, path, renameKeys(path, program, module, names));
    }
  }
  const modules = tools.map(({ before, names }) => ({ module: posix.join(folder, before.path), names }));
  for (const path of users) add(undefined, path, dropDoubled(path, program, modules));
  return taken;
}

/** The name at a place, if something of the user's own has the new name there, which the compiler cannot report. */
function findTaken(
  { program, folder }: OpenedCode,
  { fileName, textSpan }: ts.RenameLocation,
  to: string,
): ts.Node | undefined {
  const file = program.getSourceFile(fileName);
  if (file === undefined || fileName.startsWith(`${folder}/`) || !file.text.includes(to)) return undefined;
  const node = nameAt(file, textSpan.start, textSpan.length);
  // A property is not looked up by its name alone.
  if (ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) return undefined;
  const inScope = program.getTypeChecker().getSymbolsInScope(node, ts.SymbolFlags.Value);
  const isTaken = inScope.some(
    ({ name, declarations = [] }) =>
      name === to && declarations.some((one) => !one.getSourceFile().fileName.startsWith(`${folder}/`)),
  );
  return isTaken ? node : undefined;
}

/** Whether a name is `{ getOrder }` in an object of the user's own, whose key stays. */
function isKeyOfUser({ program, folder }: OpenedCode, { fileName, textSpan }: ts.RenameLocation): boolean {
  const file = program.getSourceFile(fileName);
  if (file === undefined) return false;
  const { parent } = nameAt(file, textSpan.start, textSpan.length);
  if (!ts.isShorthandPropertyAssignment(parent)) return false;
  const type = program.getTypeChecker().getContextualType(parent.parent);
  const declarations = type?.getProperty(parent.name.text)?.declarations ?? [];
  return !declarations.some((one) => one.getSourceFile().fileName.startsWith(`${folder}/`));
}

/** Adds the edits, and returns the renames of what calls pass, edited or not. */
function renameProperties(
  { service, program, users, folder }: OpenedCode,
  { before, properties }: RenameRequest,
  add: AddEdits,
): readonly PropertyRename[] {
  const checker = program.getTypeChecker();
  const calls = properties.length === 0 ? [] : findCalls(users, program, { tools: before.tools, folder });
  return properties.filter((rename) => {
    const { kind, tool, type, change } = rename;
    const file = program.getSourceFile(posix.join(folder, tool.path));
    const place = placeOf(change);
    const { before: from, after: to } = change;
    if (file === undefined || place === undefined || typeof from !== "string" || typeof to !== "string")
      return false;
    const names = propertiesAt(file, type, place, { checker, root: rootOf(change, tool) });
    if (kind === "value") {
      for (const [path, own] of renameValues(program, users, names, [from, to])) add(rename, path, own);
      return false;
    }
    for (const name of names)
      for (const { fileName, textSpan, prefixText, suffixText } of findLocations(service, name, true)) {
        const target = program.getSourceFile(fileName);
        const at = { ...textSpan, prefix: prefixText ?? "", suffix: suffixText ?? "" };
        const edit = target === undefined ? undefined : editName(target, at, to);
        if (edit !== undefined) add(rename, fileName, [edit]);
      }
    if (place.side === "output") return false;
    const own = new Set(calls.flatMap((call) => (call.tool === tool ? [call.node] : [])));
    if (!place.isAnywhere)
      for (const [target, found] of renamePassed({ steps: place.steps, after: to, calls: own }, checker))
        add(rename, target.fileName, found);
    return [...own].some((call) => findPassedAt(call, place, checker).length > 0);
  });
}

function findLocations(
  service: ts.LanguageService,
  name: ts.Node,
  keepsOthers: boolean,
): readonly ts.RenameLocation[] {
  const file = name.getSourceFile();
  const options = { providePrefixAndSuffixTextForRename: keepsOthers };
  return service.findRenameLocations(file.fileName, name.getStart(file), false, false, options) ?? [];
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

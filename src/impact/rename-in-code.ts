import { posix } from "node:path";
import { ts } from "ts-morph";
import type { Change } from "../contract/change.js";
import { byCodeUnit } from "../contract/json.js";
import { applyEdits, type TextEdit } from "../contract/text-edit.js";
import { placeOf, type ChangePlace } from "./change-place.js";
import { createHost, overlayOf, type SourceCache } from "./create-host.js";
import type { Generated } from "./find-impact.js";
import { findErrors } from "./find-mismatches.js";
import { findDependents, openProjects, type OpenProject } from "./open-project.js";
import type { ToolModule } from "./tool-finder.js";

/** A renamed tool: its modules, and its exports by their old names. */
export interface ToolRename {
  readonly before: ToolModule;
  readonly after: ToolModule;
  readonly names: ReadonlyMap<string, string>;
}

/** A renamed property of a tool's arguments or results. */
export interface PropertyRename {
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
  for (const { tool, type, change } of request.properties) {
    const file = program.getSourceFile(posix.join(folder, tool.path));
    const place = placeOf(change);
    if (file === undefined || place === undefined || typeof change.after !== "string") continue;
    for (const name of propertiesAt(file, type, place, program.getTypeChecker()))
      rename(name.getSourceFile(), name, change.after, true);
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

/** The names of the exported declarations: an interface and a schema may share one. */
function declarationsOf(file: ts.SourceFile, name: string): readonly ts.Node[] {
  return file.statements.flatMap((statement): readonly ts.Node[] => {
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations
        .map((declaration) => declaration.name)
        .filter((node) => ts.isIdentifier(node) && node.text === name);
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    return isType && statement.name.text === name ? [statement.name] : [];
  });
}

/** The names of the property declarations at a place of a type. */
function propertiesAt(
  file: ts.SourceFile,
  type: string,
  { steps, isAnywhere }: ChangePlace,
  checker: ts.TypeChecker,
): readonly ts.Node[] {
  if (isAnywhere) return [];
  let types: readonly ts.Type[] = file.statements
    .filter(
      (statement) =>
        (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) &&
        statement.name.text === type,
    )
    .map((statement) => checker.getTypeAtLocation(statement));
  let found: readonly ts.Symbol[] = [];
  for (const step of steps) {
    const parts = types.flatMap((one) => partsOf(checker.getNonNullableType(one)));
    if (step === "item") {
      types = parts.flatMap((one) => checker.getIndexTypeOfType(one, ts.IndexKind.Number) ?? []);
      continue;
    }
    found = parts.flatMap((one) => checker.getPropertyOfType(one, step.property) ?? []);
    types = found.map((symbol) => checker.getTypeOfSymbol(symbol));
  }
  return found.flatMap((symbol) =>
    (symbol.declarations ?? []).flatMap((declaration) =>
      ts.isPropertySignature(declaration) ? [declaration.name] : [],
    ),
  );
}

function partsOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnionOrIntersection() ? type.types.flatMap(partsOf) : [type];
}

/** The edits of module names that lead to a renamed tool's module. */
function renameModule(
  path: string,
  program: ts.Program,
  target: string,
  [from, to]: readonly [string, string],
): readonly TextEdit[] {
  const file = program.getSourceFile(path);
  if (file === undefined) return [];
  const [old, now] = [from, to].map((each) => posix.basename(each, ".ts"));
  const checker = program.getTypeChecker();
  const edits: TextEdit[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && isModuleName(node)) {
      const symbol = checker.getSymbolAtLocation(node);
      const resolved = symbol?.declarations?.[0]?.getSourceFile().fileName;
      const text = node.text.replace(
        new RegExp(`(^|/)${old ?? ""}(?=(?:\\.[cm]?[jt]s)?$)`),
        `$1${now ?? ""}`,
      );
      if (resolved === target && text !== node.text)
        edits.push({ start: node.getStart(file) + 1, length: node.text.length, text });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return edits;
}

/** The edits of names in types such as `Pick<Tools, "getOrder">`, which the language service leaves. */
function renameKeys(
  path: string,
  program: ts.Program,
  target: string,
  names: ReadonlyMap<string, string>,
): readonly TextEdit[] {
  const file = program.getSourceFile(path);
  if (file === undefined) return [];
  const checker = program.getTypeChecker();
  const edits: TextEdit[] = [];
  const visit = (node: ts.Node, owner: ts.TypeNode | undefined): void => {
    if (ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal) && owner !== undefined) {
      const { literal } = node;
      const to = names.get(literal.text);
      const property = checker.getPropertyOfType(checker.getTypeFromTypeNode(owner), literal.text);
      const isOfTool =
        property?.declarations?.some((one) => one.getSourceFile().fileName === target) === true;
      if (to !== undefined && to !== literal.text && isOfTool)
        edits.push({ start: literal.getStart(file) + 1, length: literal.text.length, text: to });
    }
    const own = ts.isTypeReferenceNode(node) ? node.typeArguments?.[0] : undefined;
    const isBelow = ts.isUnionTypeNode(node) || ts.isLiteralTypeNode(node);
    ts.forEachChild(node, (child) => {
      visit(child, own !== undefined && child !== own ? own : isBelow ? owner : undefined);
    });
  };
  visit(file, undefined);
  return edits;
}

function isModuleName({ parent }: ts.StringLiteralLike): boolean {
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)) return true;
  if (ts.isLiteralTypeNode(parent)) return ts.isImportTypeNode(parent.parent);
  return ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword;
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

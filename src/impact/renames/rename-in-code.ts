import { posix } from "node:path";
import { ts } from "ts-morph";
import { byCodeUnit } from "../../core/json.js";
import type { Rename, TextEdit } from "../../core/rename.js";
import { type OpenProject, openProjects, posixPath } from "../open-project.js";
import { isDeclared, propertiesNamedBy, unionMembersOf } from "../properties.js";
import { isEquality, isModuleName } from "../syntax.js";
import { findUses, GeneratedToolFinder } from "../tool-finder.js";
import {
  type AddEdits,
  type CodeLocation,
  isEdited,
  mergeEdits,
  openCode,
  type OpenedCode,
  ownFilesOf,
  type PlacedToolRename,
  type RenameRequest,
} from "./open-code.js";
import { addWhereNone, findLeftovers, type Leftover, type LeftoverNode } from "./find-leftovers.js";
import { renamePropertiesInCode, renameValues } from "./rename-properties.js";
import { renameStrings } from "./rename-strings.js";
import { dropDoubled, renameTools } from "./rename-tools.js";
import { findRenamedProperties, type RenamedProperties } from "./renamed-declarations.js";

interface RenamedCode {
  /** By absolute posix path; sorted by place. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  /** The renames that concern the code: of names that it has. */
  readonly used: ReadonlySet<Rename>;
  /**
   * Returns the places that a person has to look at after the edits.
   *
   * @param former files that changed since the code was written for the old generated files, as they were, by absolute
   *   posix path
   */
  readonly findLeft: (former: ReadonlyMap<string, string>) => readonly Leftover[];
}

interface CodeToRename {
  /** The files that use generated code, as absolute posix paths. */
  readonly users: ReadonlySet<string>;
  /** Finds the edits that renames need. Nothing is written. */
  readonly rename: (request: RenameRequest) => RenamedCode;
}

/**
 * Opens the user's code against the old generated files. The compiler's language service finds the references there, so that
 * nothing is renamed by its spelling alone.
 *
 * @throws McpCodegenError `USAGE` for a TypeScript configuration that cannot be read
 */
export function openCodeToRename(code: CodeLocation): CodeToRename {
  const opened = openWithSources(code).flatMap(({ project, own }) => openCode(project, code, own) ?? []);
  return {
    users: new Set(opened.flatMap(({ users }) => users)),
    rename: (request) => rename(opened, { ...code, ...request }),
  };
}

type RenameInCode = CodeLocation & RenameRequest;

function rename(all: readonly OpenedCode[], request: RenameInCode): RenamedCode {
  const found = all.map((opened) => ({ opened, ...renameInProject(opened, request) }));
  // Projects may share files.
  const edits = mergeEdits(found);
  const others = [
    ...found.flatMap(({ opened, properties, ofOthers }) =>
      findInProject(opened, properties, request).filter(({ node }) => !ofOthers.has(node)),
    ),
    ...filesWithTexts(all, request).flatMap((file) => findOtherTools(file, request)),
  ].filter(({ node }) => !isEdited(node, edits));
  return {
    edits,
    used: new Set([...found.flatMap(({ used }) => [...used]), ...others.map((one) => one.rename)]),
    findLeft: (former) => {
      const left = found.flatMap((one) =>
        findLeftovers({ ...request, former }, { ...one.opened, renamed: edits, left: one.left }),
      );
      const all = addWhereNone(request.dir, left, others).toSorted(
        (a, b) => byCodeUnit(a.file, b.file) || a.line - b.line,
      );
      return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
    },
  };
}

/** The places that may name a renamed property or value of a tool that the project uses. */
function findInProject(
  opened: OpenedCode,
  { targets }: RenamedProperties,
  code: CodeLocation,
): readonly OtherName[] {
  if (targets.length === 0) return [];
  const { program, files, folder } = opened;
  const checker = program.getTypeChecker();
  const finder = new GeneratedToolFinder(checker, code.before.tools, (path) => [posix.join(folder, path)]);
  const used = new Set(files.flatMap((file) => [...findUses(file, finder, checker).tools]));
  const own = targets.filter(({ tool }) => used.has(tool));
  return ownFilesOf(opened).flatMap((file) => findOtherProperties(file, own, { checker, code }));
}

/** The user's files that may have a renamed tool's name in a string, also those that use no generated code. */
function filesWithTexts(
  all: readonly OpenedCode[],
  { sources, tools, agentFiles }: RenameInCode,
): readonly ts.SourceFile[] {
  if (tools.length === 0) return [];
  const paths = new Set([...sources, ...all.flatMap(({ users }) => users)]);
  return [...paths].flatMap((path) => {
    if (agentFiles.has(path)) return [];
    const known = all.flatMap(({ program }) => program.getSourceFile(path) ?? [])[0];
    const text = known?.text ?? ts.sys.readFile(path) ?? "";
    if (!tools.some(({ before }) => text.includes(before.tool))) return [];
    return [known ?? ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)];
  });
}

/** The projects, and one more for the sources that none of them includes, such as tests and scripts. */
function openWithSources({ tsconfig, sources }: CodeLocation): readonly {
  readonly project: OpenProject;
  readonly own?: ReadonlySet<string>;
}[] {
  if (typeof tsconfig !== "string") return [{ project: tsconfig }];
  const projects = openProjects(posixPath(tsconfig));
  const included = new Set(projects.flatMap(({ fileNames }) => fileNames));
  const others = sources.filter((path) => !included.has(path));
  const [first] = projects;
  const opened = projects.map((project) => ({ project }));
  if (first === undefined || others.length === 0) return opened;
  const options = { ...first.options, allowJs: true, checkJs: true };
  return [...opened, { project: { ...first, options, fileNames: others }, own: new Set(others) }];
}

interface ProjectRenames {
  readonly used: RenamedCode["used"];
  /** By absolute posix path. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  readonly properties: RenamedProperties;
  readonly left: readonly LeftoverNode[];
  /** The literals that are values of other properties. */
  readonly ofOthers: ReadonlySet<ts.Node>;
}

function renameInProject(opened: OpenedCode, request: RenameInCode): ProjectRenames {
  const { program, files, folder } = opened;
  const edits = new Map<string, TextEdit[]>();
  const used = new Set<Rename>();
  const add: AddEdits = (rename, path, found) => {
    if (found.length === 0 || path.startsWith(`${folder}/`) || path.includes("/node_modules/")) return;
    if (rename !== undefined) used.add(rename);
    edits.set(path, [...(edits.get(path) ?? []), ...found]);
  };
  const properties = findRenamedProperties(opened, request.properties);
  const tools = new Map(request.tools.map((rename) => [posix.join(folder, rename.before.path), rename]));
  renameTools(opened, request.tools, add);
  const ofOthers = renameValues(opened, properties.values, add);
  const left = renamePropertiesInCode(opened, properties, request, {
    add,
    use: (rename) => used.add(rename),
  });
  renameStrings(opened, { modules: tools, properties: properties.properties }, add);
  const namesOf = (module: string): PlacedToolRename["names"] | undefined => tools.get(module)?.names;
  for (const file of files)
    add(undefined, file.fileName, dropDoubled(file, program.getTypeChecker(), namesOf));
  return { edits, used, properties, left, ofOthers };
}

interface OtherName extends LeftoverNode {
  readonly rename: Rename;
}

function describe(node: ts.Node, from: string, to: string, { tsconfig }: CodeLocation): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
  const written = typeof tsconfig === "string" ? undefined : tsconfig.written?.get(file.fileName);
  const text = ((written ?? file.text).split("\n")[line] ?? "").trim();
  return `also names \`${from}\`, renamed to \`${to}\`: ${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}`;
}

const LONGEST = 80;

/**
 * Finds the names of renamed tools in the texts and keys of a file: policies, prompts, calls of a registry. A single word means
 * more than a tool, and counts with the server, as registries and hosts write it (`shop__search`), or where a property
 * says that it names tools (`{ tool: "search" }`).
 */
function findOtherTools(file: ts.SourceFile, { tools, ...code }: RenameInCode): readonly OtherName[] {
  const found: OtherName[] = [];
  const patterns = tools.map((placed) => ({ ...placed, pattern: patternOf(placed.before) }));
  const visit = (node: ts.Node): void => {
    const isKey = ts.isIdentifier(node) && ts.isPropertyAssignment(node.parent) && node.parent.name === node;
    const isText =
      ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isKey || (isText && !isModuleName(node) && !ts.isLiteralTypeNode(node.parent)))
      for (const { rename, before, after, pattern } of patterns)
        if (pattern.test(node.getText(file)) || isNamedAlone(node, before.tool))
          found.push({ node, rename, message: describe(node, before.tool, after.tool, code) });
    ts.forEachChild(node, visit);
  };
  if (tools.some(({ before }) => file.text.includes(before.tool))) visit(file);
  return found;
}

function patternOf({ server: key, tool: name }: PlacedToolRename["before"]): RegExp {
  const [server, tool] = [key, name].map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const prefix = `(?:(?:mcp_{1,2})?${server}(?:_{1,2}|[/.:]))`;
  return new RegExp(`(?<![\\w/.:-])${prefix}${/[^A-Za-z0-9]/.test(name) ? "?" : ""}${tool}(?![\\w-])`);
}

function isNamedAlone(node: ts.Node, tool: string): boolean {
  if (!ts.isStringLiteralLike(node) || node.text !== tool) return false;
  const owner = ts.isArrayLiteralExpression(node.parent) ? node.parent.parent : node.parent;
  return ts.isPropertyAssignment(owner) && /^(?:names?|tools?)$/.test(owner.name.getText());
}

/**
 * Finds the names of renamed properties and values that no type checks: reads of `any`, keys of objects without a type,
 * strings, and optional properties of the user's own types, without which these take the new results as well.
 */
function findOtherProperties(
  file: ts.SourceFile,
  targets: RenamedProperties["targets"],
  { checker, code }: { readonly checker: ts.TypeChecker; readonly code: CodeLocation },
): readonly OtherName[] {
  const found: OtherName[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isStringLiteralLike(node))
      for (const { rename } of targets)
        if (rename.before === node.text && isUnchecked(node, rename.kind, checker))
          found.push({ node, rename, message: describe(node, rename.before, rename.after, code) });
    ts.forEachChild(node, visit);
  };
  if (targets.length > 0) visit(file);
  return found;
}

function isUnchecked(
  node: ts.Identifier | ts.StringLiteralLike,
  kind: Rename["kind"],
  checker: ts.TypeChecker,
): boolean {
  const { parent } = node;
  if (ts.isObjectLiteralElement(parent) && parent.name === node)
    // A table of values is often a constant; an object of the user's own is not a result.
    return !isDeclared(parent, checker) && (kind === "value" || isGiven(parent.parent));
  if (isRead(node)) return propertiesNamedBy(node, checker).length === 0;
  if ((ts.isPropertySignature(parent) || ts.isPropertyDeclaration(parent)) && parent.name === node)
    return kind === "property" && parent.questionToken !== undefined;
  if (!ts.isStringLiteralLike(node) || isModuleName(node)) return false;
  return ts.isLiteralTypeNode(parent) ? kind === "value" : !hasCheckedType(node, checker);
}

/** Whether a name is that of a property that code reads: `a.b`, `a["b"]`, `{ b } = a`. */
function isRead(node: ts.Node): boolean {
  const { parent } = node;
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isElementAccessExpression(parent) && parent.argumentExpression === node) ||
    (ts.isBindingElement(parent) && (parent.propertyName ?? parent.name) === node)
  );
}

function isGiven(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isCallExpression(parent)) return parent.expression !== node;
  if (ts.isReturnStatement(parent) || ts.isArrowFunction(parent)) return true;
  return (ts.isExpression(parent) || ts.isPropertyAssignment(parent)) && isGiven(parent);
}

/** Whether the compiler accepts only some strings at a place, so that it reports a wrong one. */
function hasCheckedType(node: ts.StringLiteralLike, checker: ts.TypeChecker): boolean {
  const { parent } = node;
  let type = checker.getContextualType(node);
  if (ts.isCaseClause(parent)) type = checker.getTypeAtLocation(parent.parent.parent.expression);
  if (ts.isBinaryExpression(parent)) {
    const { left, operatorToken, right } = parent;
    const other = checker.getTypeAtLocation(left === node ? right : left);
    if (operatorToken.kind === ts.SyntaxKind.InKeyword) return other.getProperty(node.text) !== undefined;
    if (isEquality(operatorToken.kind)) type = other;
  }
  const parts = type === undefined ? [] : unionMembersOf(checker.getNonNullableType(type));
  // One literal alone may be inferred from this one.
  return parts.length > 1 && parts.every((part) => part.isStringLiteral());
}

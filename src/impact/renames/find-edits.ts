import { posix } from "node:path";
import { ts } from "ts-morph";
import type { Rename } from "../../core/rename.js";
import { isIdentifier } from "../../schema/print/identifiers.js";
import { nodeAt } from "../describe-hit.js";
import type { ToolModule } from "../tool-finder.js";
import type { OpenedCode } from "./open-code.js";
import type { Change } from "../../core/change.js";
import { getOwn, findOwn, objectOrEmpty } from "../../core/json.js";
import { findAt, joinPointer, splitPointer } from "../../core/json-pointer.js";
import { placeOfChange } from "../changes.js";
import { spellName, type TextEdit } from "./text-edits.js";

/** A rename, and the generated code that it is about. */
export interface PlacedRename {
  readonly rename: Rename;
  /** The module of the tool, or of the tool that has the property, and the one that replaces it. */
  readonly before: ToolModule;
  readonly after: ToolModule;
  /** The exports of the module by their old names. */
  readonly names: ReadonlyMap<string, string>;
  /** Of a property: the type of the arguments or results that have it. */
  readonly type: string | undefined;
}

export interface FileEdit extends TextEdit {
  /** Absolute, posix. */
  readonly path: string;
}

/** Finds the edits of a rename with the language service, so that nothing is renamed by its spelling. */
export function findEdits(
  code: OpenedCode,
  { rename, before, after, names, type }: PlacedRename,
): FileEdit[] {
  const { service, program, folder } = code;
  const path = posix.join(folder, before.path);
  const module = program.getSourceFile(path);
  if (module === undefined) return [];
  if (type !== undefined)
    return findProperties(module, type, rename.change, before, program.getTypeChecker())
      .flatMap((name) => findPlaces(code, name, true))
      .flatMap((place) => editProperty(place, rename.after) ?? []);
  const exported = [...names].flatMap(([from, to]) => {
    const name = from === to ? undefined : findExport(module, from);
    return name === undefined ? [] : editExport(code, name, to);
  });
  if (before.path === after.path) return exported;
  const [stemBefore = "", stemAfter = ""] = [before, after].map((tool) => posix.basename(tool.path, ".ts"));
  const moved = service.getEditsForFileRename(path, posix.join(folder, after.path), {}, {});
  const imports = moved.flatMap(({ fileName, textChanges }) =>
    textChanges.flatMap(({ span: { start, length } }) => {
      const text = isOwn(code, fileName) ? program.getSourceFile(fileName)?.text : undefined;
      const at = text?.slice(start, start + length).lastIndexOf(stemBefore) ?? -1;
      // The service may write another ending.
      if (at === -1) return [];
      return [{ path: fileName, start: start + at, length: stemBefore.length, text: stemAfter }];
    }),
  );
  return [...exported, ...imports];
}

function editExport(code: OpenedCode, name: ts.Identifier, to: string): readonly FileEdit[] {
  const places = findPlaces(code, name, false);
  // Where something else has the new name, the compiler might not report a clash: it reports the old name.
  if (places.some(({ file }) => hasName(file, to))) return [];
  return places.map(({ file, start, length }) => {
    const key = isKeyOfUser(code, file, start) ? `${name.text}: ` : "";
    return { path: file.fileName, start, length, text: `${key}${to}` };
  });
}

function hasName(node: ts.Node, name: string): boolean {
  if (ts.isIdentifier(node) && node.text === name)
    return !ts.isPropertyAccessExpression(node.parent) || node.parent.name !== node;
  return ts.forEachChild(node, (child) => hasName(child, name) || undefined) ?? false;
}

/** Whether a name is `{ getOrder }` in an object of the user's own, whose key stays. */
function isKeyOfUser({ program, folder }: OpenedCode, file: ts.SourceFile, start: number): boolean {
  const { parent } = nameAt(file, start);
  if (!ts.isShorthandPropertyAssignment(parent)) return false;
  const checker = program.getTypeChecker();
  const type = checker.getContextualType(parent.parent);
  const { declarations = [] } =
    (type && checker.getNonNullableType(type).getProperty(parent.name.text)) ?? {};
  return !declarations.some((declaration) => declaration.getSourceFile().fileName.startsWith(`${folder}/`));
}

interface EditPlace {
  readonly file: ts.SourceFile;
  readonly start: number;
  readonly length: number;
  /** The text after the new name, such as `: limit` in `{ limit }`. */
  readonly suffix: string;
}

/**
 * The places of a declared name in the user's code.
 *
 * @param keepsOthers whether variables, and names that the user's code exports, keep the old name
 */
function findPlaces(code: OpenedCode, name: ts.PropertyName, keepsOthers: boolean): readonly EditPlace[] {
  const { service, program } = code;
  const text = ts.isComputedPropertyName(name) ? name.getText() : name.text;
  const options = { providePrefixAndSuffixTextForRename: keepsOthers };
  const path = name.getSourceFile().fileName;
  const locations = service.findRenameLocations(path, name.getStart(), false, false, options) ?? [];
  return locations.flatMap(({ fileName, textSpan, suffixText = "" }): readonly EditPlace[] => {
    const file = isOwn(code, fileName) ? program.getSourceFile(fileName) : undefined;
    const { start, length } = textSpan;
    // A name that a re-export gives stays.
    return file?.text.slice(start, start + length) === text
      ? [{ file, ...textSpan, suffix: suffixText }]
      : [];
  });
}

function isOwn({ folder }: OpenedCode, path: string): boolean {
  return !path.startsWith(`${folder}/`) && !path.includes("/node_modules/");
}

/**
 * Returns the edit that gives a property its new name. The name comes from a server: if it is not an identifier, it is written
 * as a string, as in `order["per-page"]`. Undefined where the syntax allows no string.
 */
function editProperty({ file, start, length, suffix }: EditPlace, to: string): FileEdit | undefined {
  const path = file.fileName;
  const node = nameAt(file, start);
  const { parent } = node;
  const edit = (text: string): FileEdit => ({ path, start, length, text: `${text}${suffix}` });
  if (ts.isStringLiteralLike(node)) return edit(spellName(to, file.text.charAt(node.getStart(file))));
  if (isIdentifier(to)) return edit(to);
  if (ts.isPropertyAccessExpression(parent)) {
    const dot = parent.getChildren(file).find(({ kind }) => kind === ts.SyntaxKind.DotToken);
    const from = dot?.getStart(file) ?? start;
    return { path, start: from, length: start + length - from, text: `[${JSON.stringify(to)}]` };
  }
  const isKey =
    ts.isBindingElement(parent) ||
    ts.isObjectLiteralElementLike(parent) ||
    ts.isClassElement(parent) ||
    ts.isTypeElement(parent);
  return isKey ? edit(JSON.stringify(to)) : undefined;
}

/** The innermost node at a place: a name. */
function nameAt(file: ts.SourceFile, start: number): ts.Node {
  return nodeAt(file, start, -1);
}

/** The name of an exported function, interface or type. A schema has the name of its type, and is renamed with it. */
function findExport(file: ts.SourceFile, name: string): ts.Identifier | undefined {
  const names = file.statements.flatMap((statement): readonly ts.Node[] => {
    if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) return [statement.name];
    return ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map((declaration) => declaration.name)
      : [];
  });
  return names.filter(ts.isIdentifier).find(({ text }) => text === name);
}

/** The names of the properties that a change is about, in the type of a tool's arguments or results. */
function findProperties(
  file: ts.SourceFile,
  type: string,
  change: Change,
  { definition }: ToolModule,
  checker: ts.TypeChecker,
): readonly ts.PropertyName[] {
  const place = placeOfChange(change);
  const starts =
    place?.isAnywhere === true ? findShared(file, change, definition) : [findExport(file, type)?.parent];
  let types = starts.flatMap((node) => (node === undefined ? [] : checker.getTypeAtLocation(node)));
  let properties: readonly ts.Symbol[] = [];
  for (const step of place?.steps ?? []) {
    const parts = types.flatMap((member) => partsOf(checker.getNonNullableType(member)));
    if (step === "item")
      types = parts.flatMap((part) => checker.getIndexTypeOfType(part, ts.IndexKind.Number) ?? []);
    else {
      properties = parts.flatMap((part) => checker.getPropertyOfType(part, step.property) ?? []);
      types = properties.map((symbol) => checker.getTypeOfSymbol(symbol));
    }
  }
  const declarations = new Set(properties.flatMap((symbol) => symbol.declarations ?? []));
  return [...declarations].filter(ts.isPropertySignature).map((declaration) => declaration.name);
}

/** The types that may be of the shared definition that a change's path leads into: those with its properties. */
function findShared(
  file: ts.SourceFile,
  { path }: Change,
  definition: ToolModule["definition"],
): readonly ts.Node[] {
  const [side = "", ...segments] = splitPointer(path);
  const at = segments.findLastIndex((segment) => segment === "$defs" || segment === "definitions");
  const shared = findAt(getOwn(definition, side) ?? {}, joinPointer("", ...segments.slice(0, at + 2)));
  const wanted = Object.keys(objectOrEmpty(findOwn(shared, "properties")));
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isInterfaceDeclaration(node) && !ts.isTypeLiteralNode(node)) return;
    const names = node.members.flatMap(({ name }) =>
      name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? [name.text] : [],
    );
    if (names.length === wanted.length && names.every((name) => wanted.includes(name))) nodes.push(node);
  };
  if (wanted.length > 0) visit(file);
  return nodes;
}

function partsOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnionOrIntersection() ? type.types.flatMap(partsOf) : [type];
}

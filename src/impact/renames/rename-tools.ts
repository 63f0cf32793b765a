import { posix } from "node:path";
import { ts } from "ts-morph";
import { type AddEdits, findLocations, nameAt, type OpenedCode, type PlacedToolRename } from "./open-code.js";
import { originsOf } from "../properties.js";
import { declarationsOf } from "./renamed-declarations.js";

/** Adds the edits of the names of renamed tools. Names in strings are left out. */
export function renameTools(opened: OpenedCode, tools: readonly PlacedToolRename[], add: AddEdits): void {
  const { program, folder } = opened;
  for (const rename of tools) {
    const file = program.getSourceFile(posix.join(folder, rename.before.path));
    for (const [from, to] of rename.names)
      for (const name of file === undefined || from === to ? [] : declarationsOf(file, from)) {
        const locations = findLocations(opened, name, false);
        const taken = new Set(
          locations.flatMap((location) => (isTaken(opened, location, to) ? [location.fileName] : [])),
        );
        for (const location of locations) {
          const isKey = isKeyOfUser(opened, location);
          const text = taken.has(location.fileName)
            ? aliasAt(opened, location, { from, to, isKey })
            : isKey
              ? `${from}: ${to}`
              : to;
          if (text !== undefined) add(rename, location.fileName, [{ ...location.textSpan, text }]);
        }
      }
  }
}

/**
 * Returns the text for a name in a file where the new name is taken: the import has both names, and the rest of the file keeps
 * the old one. Undefined for a place that stays.
 */
function aliasAt(
  { program }: OpenedCode,
  { fileName, textSpan }: ts.RenameLocation,
  { from, to, isKey }: { readonly from: string; readonly to: string; readonly isKey: boolean },
): string | undefined {
  const file = program.getSourceFile(fileName);
  if (file === undefined) return undefined;
  const node = innermost(nameAt(file, textSpan.start, textSpan.length));
  const { parent } = node;
  if (ts.isImportSpecifier(parent)) return parent.propertyName === undefined ? `${to} as ${from}` : to;
  if (ts.isExportSpecifier(parent)) {
    const isLocal = parent.parent.parent.moduleSpecifier === undefined;
    return isLocal && parent.propertyName === undefined ? `${from} as ${to}` : isLocal ? undefined : to;
  }
  if (ts.isBindingElement(parent)) return parent.propertyName === undefined ? `${to}: ${from}` : to;
  if (ts.isShorthandPropertyAssignment(parent)) return isKey ? undefined : `${to}: ${from}`;
  const isMember =
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isQualifiedName(parent) && parent.right === node) ||
    (ts.isObjectLiteralElement(parent) && parent.name === node) ||
    ts.isImportTypeNode(parent) ||
    !ts.isIdentifier(node);
  return isMember ? to : undefined;
}

/** The name in a node that consists only of a name: a reference to a type. */
function innermost(node: ts.Node): ts.Node {
  const only = ts.forEachChild(node, (child) => (child.getEnd() === node.getEnd() ? child : undefined));
  return only !== undefined && only.getStart() === node.getStart() ? innermost(only) : node;
}

/** Whether something else has the new name at a place where a name is looked up, which the compiler may not report. */
function isTaken(
  { program, folder }: OpenedCode,
  { fileName, textSpan }: ts.RenameLocation,
  to: string,
): boolean {
  const file = program.getSourceFile(fileName);
  if (file === undefined || fileName.startsWith(`${folder}/`) || !file.text.includes(to)) return false;
  const node = nameAt(file, textSpan.start, textSpan.length);
  // A property is not looked up by its name alone.
  if (ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) return false;
  const checker = program.getTypeChecker();
  return [ts.SymbolFlags.Value, ts.SymbolFlags.Type]
    .flatMap((meaning) => checker.getSymbolsInScope(node, meaning))
    .some((symbol) => symbol.name === to && isUsed(symbol, file, { checker, folder }));
}

/** Whether a file declares something of the user's own, or uses a global such as `fetch`, which the new name would hide. */
function isUsed(
  symbol: ts.Symbol,
  file: ts.SourceFile,
  { checker, folder }: { readonly checker: ts.TypeChecker; readonly folder: string },
): boolean {
  const files = (symbol.declarations ?? []).map((declaration) => declaration.getSourceFile());
  if (files.every(({ fileName }) => fileName.startsWith(`${folder}/`))) return false;
  if (files.includes(file)) return true;
  const uses = (node: ts.Node): boolean =>
    (ts.isIdentifier(node) && node.text === symbol.name && checker.getSymbolAtLocation(node) === symbol) ||
    (ts.forEachChild(node, (child) => uses(child) || undefined) ?? false);
  return uses(file);
}

/** Whether a name is `{ getOrder }` in an object of the user's own, whose key stays. */
function isKeyOfUser({ program, folder }: OpenedCode, { fileName, textSpan }: ts.RenameLocation): boolean {
  const file = program.getSourceFile(fileName);
  if (file === undefined) return false;
  const { parent } = nameAt(file, textSpan.start, textSpan.length);
  if (!ts.isShorthandPropertyAssignment(parent)) return false;
  const checker = program.getTypeChecker();
  const type = checker.getContextualType(parent.parent);
  const symbol = type && checker.getNonNullableType(type).getProperty(parent.name.text);
  const origins = symbol === undefined ? [] : originsOf(symbol, checker);
  return !origins.some((one) => one.getSourceFile().fileName.startsWith(`${folder}/`));
}

import { posix } from "node:path";
import { ts } from "ts-morph";
import { type AddEdits, findLocations, nameAt, type OpenedCode, type PlacedToolRename } from "./open-code.js";
import { originsOf } from "../properties.js";
import { declarationsOf } from "./renamed-declarations.js";
import { followAlias } from "../syntax.js";
import type { TextEdit } from "../../core/rename.js";

/** Adds the edits of the names of renamed tools. Names in strings are left out. */
export function renameTools(opened: OpenedCode, tools: readonly PlacedToolRename[], add: AddEdits): void {
  const { program, folder } = opened;
  for (const { rename, before, names } of tools) {
    const module = program.getSourceFile(posix.join(folder, before.path));
    for (const [from, to] of names)
      for (const name of module === undefined || from === to ? [] : declarationsOf(module, from)) {
        const places = findLocations(opened, name, false).flatMap(({ fileName, textSpan }) => {
          const file = program.getSourceFile(fileName);
          const isOther = file === undefined || fileName.startsWith(`${folder}/`);
          return isOther ? [] : [{ file, textSpan, node: nameAt(file, textSpan.start, textSpan.length) }];
        });
        const taken = new Set(places.filter(({ node }) => isTaken(opened, node, to)).map(({ file }) => file));
        for (const { file, textSpan, node } of places) {
          const isKey = isKeyOfUser(opened, node);
          const text = taken.has(file)
            ? aliasAt(innermost(node), { from, to, isKey })
            : isKey
              ? `${from}: ${to}`
              : to;
          if (text !== undefined) add(rename, file.fileName, [{ ...textSpan, text }]);
        }
      }
  }
}

/**
 * Returns the text for a name in a file where the new name is taken: the import has both names, and the rest of the file keeps
 * the old one. Undefined for a place that stays.
 */
function aliasAt(
  node: ts.Node,
  { from, to, isKey }: { readonly from: string; readonly to: string; readonly isKey: boolean },
): string | undefined {
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

/**
 * Whether something else has the new name at a place where a name is looked up, which the compiler may not report: a
 * declaration of the user's own in this file, or a global that it uses, such as `fetch`.
 */
function isTaken({ program, folder }: OpenedCode, node: ts.Node, to: string): boolean {
  const file = node.getSourceFile();
  // A property is not looked up by its name alone.
  const isProperty = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node;
  if (isProperty || !file.text.includes(to)) return false;
  const checker = program.getTypeChecker();
  return checker.getSymbolsInScope(node, ts.SymbolFlags.Value | ts.SymbolFlags.Type).some((symbol) => {
    const files = (symbol.declarations ?? []).map((declaration) => declaration.getSourceFile());
    const isOther = symbol.name !== to || files.every(({ fileName }) => fileName.startsWith(`${folder}/`));
    const uses = (at: ts.Node): boolean =>
      (ts.isIdentifier(at) && at.text === to && checker.getSymbolAtLocation(at) === symbol) ||
      (ts.forEachChild(at, (child) => uses(child) || undefined) ?? false);
    return !isOther && (files.includes(file) || uses(file));
  });
}

/** Whether a name is `{ getOrder }` in an object of the user's own, whose key stays. */
function isKeyOfUser({ program, folder }: OpenedCode, { parent }: ts.Node): boolean {
  if (!ts.isShorthandPropertyAssignment(parent)) return false;
  const checker = program.getTypeChecker();
  const type = checker.getContextualType(parent.parent);
  const symbol = type && checker.getNonNullableType(type).getProperty(parent.name.text);
  const origins = symbol === undefined ? [] : originsOf(symbol, checker);
  return !origins.some((one) => one.getSourceFile().fileName.startsWith(`${folder}/`));
}

/**
 * The edits that drop names which renames would import or export twice, where several tools became one. They cover the
 * edits of these names.
 *
 * @param namesOf returns the renamed exports of a module, by its path
 */
export function dropDoubled(
  file: ts.SourceFile,
  checker: ts.TypeChecker,
  namesOf: (module: string) => ReadonlyMap<string, string> | undefined,
): readonly TextEdit[] {
  const moduleOf = (symbol: ts.Symbol | undefined): string | undefined =>
    symbol && followAlias(symbol, checker).declarations?.[0]?.getSourceFile().fileName;
  const nameAfter = ({ name, propertyName }: Specifier): string | undefined => {
    const module = propertyName === undefined ? moduleOf(checker.getSymbolAtLocation(name)) : undefined;
    return module === undefined ? undefined : namesOf(module)?.get(name.text);
  };
  const keyOf = (specifier: Specifier, isType: boolean): string =>
    JSON.stringify([specifier.kind, nameAfter(specifier) ?? specifier.name.text, isType]);
  const all = file.statements.flatMap(specifiersOf);
  // A type is also imported with the value of its name.
  const values = new Set(all.filter((one) => !isType(one)).map((one) => keyOf(one, false)));
  const seen = new Set<string>();
  return file.statements.flatMap((statement): readonly TextEdit[] => {
    const list = specifiersOf(statement);
    const isDoubled = list.map((specifier) => {
      const key = keyOf(specifier, isType(specifier));
      const isKnown = seen.has(key) || (isType(specifier) && values.has(keyOf(specifier, false)));
      seen.add(key);
      return isKnown && nameAfter(specifier) !== undefined;
    });
    if (isDoubled.length > 0 && !isDoubled.includes(false)) {
      const start = statement.getStart(file);
      const isLineEnd = /^\r?\n/.exec(file.text.slice(statement.getEnd()))?.[0] ?? "";
      return [{ start, length: statement.getEnd() + isLineEnd.length - start, text: "" }];
    }
    return list.flatMap((specifier, index): readonly TextEdit[] => {
      if (isDoubled[index] !== true) return [];
      const next = list[index + 1];
      const kept = list.findLast((_, at) => at < index && isDoubled[at] !== true);
      const start = next === undefined && kept !== undefined ? kept.getEnd() : specifier.getStart(file);
      return [{ start, length: (next?.getStart(file) ?? specifier.getEnd()) - start, text: "" }];
    });
  });
}

type Specifier = ts.ImportSpecifier | ts.ExportSpecifier;

function isType(specifier: Specifier): boolean {
  return ts.isTypeOnlyImportOrExportDeclaration(specifier);
}

/** The names that a statement imports or exports from another module, if it imports nothing else. */
function specifiersOf(statement: ts.Statement): readonly Specifier[] {
  if (ts.isImportDeclaration(statement)) {
    const { name, namedBindings } = statement.importClause ?? {};
    return name === undefined && namedBindings !== undefined && ts.isNamedImports(namedBindings)
      ? namedBindings.elements
      : [];
  }
  const isNamed =
    ts.isExportDeclaration(statement) &&
    statement.moduleSpecifier !== undefined &&
    statement.exportClause !== undefined &&
    ts.isNamedExports(statement.exportClause);
  return isNamed ? statement.exportClause.elements : [];
}

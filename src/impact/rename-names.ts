/** The edits of names that the language service leaves. */
import { posix } from "node:path";
import { ts } from "ts-morph";
import type { TextEdit } from "../contract/text-edit.js";

/** The edits of module names that lead to a renamed tool's module. */
export function renameModule(
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
export function renameKeys(
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

/**
 * The edits that drop names which renames would import or export twice, where several tools became one. They cover the
 * edits of these names.
 */
export function dropDoubled(
  path: string,
  program: ts.Program,
  tools: readonly { readonly module: string; readonly names: ReadonlyMap<string, string> }[],
): readonly TextEdit[] {
  const file = program.getSourceFile(path);
  if (file === undefined) return [];
  const checker = program.getTypeChecker();
  const moduleOf = (symbol: ts.Symbol | undefined): string | undefined => {
    const isAlias = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    const target = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
    return target?.declarations?.[0]?.getSourceFile().fileName;
  };
  const nameAfter = ({ name, propertyName }: Specifier): string | undefined => {
    const module = propertyName === undefined ? moduleOf(checker.getSymbolAtLocation(name)) : undefined;
    return tools.find((tool) => tool.module === module)?.names.get(name.text);
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

/** What a statement imports or exports by name from another module, if it imports nothing else. */
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

function isModuleName({ parent }: ts.StringLiteralLike): boolean {
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)) return true;
  if (ts.isLiteralTypeNode(parent)) return ts.isImportTypeNode(parent.parent);
  return ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword;
}

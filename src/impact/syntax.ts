import { ts } from "ts-morph";

export function isReference(type: ts.Type): type is ts.TypeReference {
  const isObject = (type.flags & ts.TypeFlags.Object) !== 0;
  return isObject && "objectFlags" in type && (Number(type.objectFlags) & ts.ObjectFlags.Reference) !== 0;
}

/** Returns the expression without syntax that has no effect at run time: parentheses, `as`, `satisfies`, `!`. */
export function unwrap(expression: ts.Expression): ts.Expression {
  const isWrapped =
    ts.isParenthesizedExpression(expression) ||
    ts.isAsExpression(expression) ||
    ts.isSatisfiesExpression(expression) ||
    ts.isTypeAssertionExpression(expression) ||
    ts.isNonNullExpression(expression);
  return isWrapped ? unwrap(expression.expression) : expression;
}

/** Returns the symbol behind an import or export; any other symbol is returned unchanged. */
export function followAlias(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

/**
 * Visits the children of a node, and those of its comments that have types, as in JavaScript.
 *
 * @returns whether a visit returned true, which ends it
 */
export function forEachChildOrDoc(node: ts.Node, visit: (child: ts.Node) => boolean): boolean {
  return docsOf(node).some(visit) || (ts.forEachChild(node, (child) => visit(child) || undefined) ?? false);
}

/** The comments of a node that the compiler reads. */
function docsOf(node: ts.Node): readonly ts.Node[] {
  const file = node.getSourceFile();
  const before = file.text.slice(node.getFullStart(), node.getStart(file));
  return before.includes("/**") ? node.getChildren(file).filter(ts.isJSDoc) : [];
}

/** Whether a node is another one or inside it. */
export function isWithin(node: ts.Node, outer: ts.Node): boolean {
  return node.getSourceFile() === outer.getSourceFile() && node.pos >= outer.pos && node.end <= outer.end;
}

/** Whether a node is the `"./m.js"` of an import, an export or an `import()`. */
export function isModuleName(node: ts.Node): node is ts.StringLiteralLike {
  if (!ts.isStringLiteralLike(node)) return false;
  const { parent } = node;
  if (ts.isCallExpression(parent) && parent.arguments[0] === node)
    return /^(?:import|require)$/.test(parent.expression.getText());
  return isModuleDeclaration(parent) && parent.moduleSpecifier === node;
}

export function isModuleDeclaration(node: ts.Node): node is ts.ImportDeclaration | ts.ExportDeclaration {
  return ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
}

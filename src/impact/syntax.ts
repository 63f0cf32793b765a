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

export function isEquality(operator: ts.SyntaxKind): boolean {
  return EQUALITY.has(operator);
}

const EQUALITY: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
]);

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

/** A function that a file exports, directly or as a member of a class or an object. */
export interface ExportedFunction {
  /** Its declaration, to which its uses lead. */
  readonly declaration: ts.Declaration;
  readonly answers: readonly ts.Type[];
}

/** Returns the functions that a file declares and exports: their answers may leave the project. */
export function findExports(file: ts.SourceFile, checker: ts.TypeChecker): readonly ExportedFunction[] {
  const module = checker.getSymbolAtLocation(file);
  const found = new Map<ts.Declaration, ExportedFunction>();
  const add = (symbol: ts.Symbol, isMember: boolean): void => {
    const [declaration] = symbol.declarations ?? [];
    if (declaration?.getSourceFile() !== file || isPrivate(declaration)) return;
    const type = checker.getTypeOfSymbol(symbol);
    const answers = type.getCallSignatures().map((signature) => signature.getReturnType());
    if (answers.length > 0) found.set(declaration, { declaration, answers });
    if (isMember) return;
    const instances = type.getConstructSignatures().map((signature) => signature.getReturnType());
    for (const member of [type, ...instances].flatMap((one) => one.getProperties())) add(member, true);
  };
  for (const symbol of module === undefined ? [] : checker.getExportsOfModule(module)) {
    const target = followAlias(symbol, checker);
    if ((target.flags & ts.SymbolFlags.Value) !== 0) add(target, false);
  }
  return [...found.values()];
}

/** Returns the declarations that a file uses as values. A function's use of itself does not count. */
export function findUsed(file: ts.SourceFile, checker: ts.TypeChecker): ReadonlySet<ts.Declaration> {
  const used = new Set<ts.Declaration>();
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || isDeclarationOfModule(node)) return;
    for (const symbol of symbolsAt(node, checker))
      for (const declaration of followAlias(symbol, checker).declarations ?? [])
        if (!isWithin(node, declaration)) used.add(declaration);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return used;
}

/** The symbols of a name; in `{ load }` and `const { load } = api`, also the variable and the property of this name. */
function symbolsAt(node: ts.Node, checker: ts.TypeChecker): readonly ts.Symbol[] {
  if (!ts.isIdentifier(node) && !ts.isStringLiteralLike(node)) return [];
  const { parent } = node;
  const own = checker.getSymbolAtLocation(node);
  const value = ts.isShorthandPropertyAssignment(parent)
    ? checker.getShorthandAssignmentValueSymbol(parent)
    : ts.isBindingElement(parent) && (parent.propertyName ?? parent.name) === node
      ? checker.getTypeAtLocation(parent.parent).getProperty(node.text)
      : undefined;
  return [own, value].filter((symbol) => symbol !== undefined);
}

function isDeclarationOfModule(node: ts.Node): boolean {
  const isDefault = ts.isExportAssignment(node) && ts.isIdentifier(node.expression);
  return ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || isDefault;
}

function isPrivate(declaration: ts.Declaration): boolean {
  const name = ts.getNameOfDeclaration(declaration);
  const isHidden = (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private) !== 0;
  return isHidden || (name !== undefined && ts.isPrivateIdentifier(name));
}

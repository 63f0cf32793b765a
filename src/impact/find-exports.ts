import { ts } from "ts-morph";
import { followAlias, isWithin } from "./syntax.js";

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

import { ts } from "ts-morph";
import { partsOf } from "./property-origins.js";

/** Deeper than results are taken apart, and a limit for recursive types. */
const DEEPEST = 6;

/** Sees a property of a value that code gives, and of the type that takes it; returns whether to leave out what is below. */
type See = (given: ts.Symbol, wanted: ts.Symbol, node: ts.Expression) => boolean;

/**
 * Compares values that code gives to something with a type, property by property: in `const mine: Row = await getOrder()`,
 * `see` gets the properties that both types have.
 *
 * @param names the properties to see
 */
export function findGiven(
  files: readonly ts.SourceFile[],
  checker: ts.TypeChecker,
  names: ReadonlySet<string>,
  see: See,
): void {
  const seen = new Map<ts.Type, Set<ts.Type>>();
  const compare = (given: ts.Type, wanted: ts.Type, node: ts.Expression, depth: number): void => {
    const known = seen.get(given);
    if (given === wanted || depth > DEEPEST || known?.has(wanted) === true) return;
    seen.set(given, (known ?? new Set()).add(wanted));
    for (const from of partsOf(checker.getNonNullableType(given)))
      for (const to of partsOf(checker.getNonNullableType(wanted))) compareParts(from, to, node, depth);
  };
  const compareParts = (given: ts.Type, wanted: ts.Type, node: ts.Expression, depth: number): void => {
    if ((given.flags & wanted.flags & ts.TypeFlags.Object) === 0) return;
    const [item, wantedItem] = [given, wanted].map((type) => type.getNumberIndexType());
    if (item !== undefined && wantedItem !== undefined) {
      compare(item, wantedItem, node, depth + 1);
      return;
    }
    for (const symbol of wanted.getProperties()) {
      const own = given.getProperty(symbol.name);
      if (own === undefined || (names.has(symbol.name) && see(own, symbol, node))) continue;
      compare(checker.getTypeOfSymbol(own), checker.getTypeOfSymbol(symbol), node, depth + 1);
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isExpression(node) && isGiven(node)) {
      seen.clear();
      const wanted = ts.isSpreadAssignment(node.parent)
        ? checker.getContextualType(node.parent.parent)
        : checker.getContextualType(node);
      const given = checker.getAwaitedType(checker.getTypeAtLocation(node));
      if (wanted !== undefined && given !== undefined)
        for (const part of partsOf(wanted)) compare(given, checker.getAwaitedType(part) ?? part, node, 0);
    }
    ts.forEachChild(node, visit);
  };
  if (names.size > 0) files.forEach(visit);
}

/** Whether an expression gives a value to something with a type. Literals and functions are looked into instead. */
function isGiven(node: ts.Expression): boolean {
  const { parent } = node;
  if (ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node) || ts.isFunctionLike(node))
    return false;
  if (ts.isVariableDeclaration(parent)) return parent.initializer === node && parent.type !== undefined;
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) return parent.expression !== node;
  if (ts.isBinaryExpression(parent))
    return parent.operatorToken.kind === ts.SyntaxKind.EqualsToken && parent.right === node;
  if (ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent)) return parent.initializer === node;
  if (ts.isArrowFunction(parent)) return parent.body === node;
  return ts.isReturnStatement(parent) || ts.isSpreadAssignment(parent) || ts.isArrayLiteralExpression(parent);
}

import { ts } from "ts-morph";
import { describeRejected } from "./describe-hit.js";
import type { LeftoverNode } from "./find-leftovers.js";
import type { OpenedCode } from "./open-code.js";
import { originsOf, partsOf } from "./property-origins.js";
import type { RenamedProperties } from "./rename-properties.js";

/** Deeper than results are taken apart, and a limit for recursive types. */
const DEEPEST = 6;

/**
 * Returns where the user's code gives a value of a generated type to a type of its own that has the old name of a property,
 * or the other way round: `const mine: { total?: number } = await getOrder()`. It compiles without the property as well.
 */
export function findOwnTypes(
  { files, program }: OpenedCode,
  { properties }: Pick<RenamedProperties, "properties">,
): readonly LeftoverNode[] {
  const checker = program.getTypeChecker();
  const names = new Set([...properties.values()].map(({ from }) => from));
  const left: LeftoverNode[] = [];
  const seen = new Map<ts.Type, Set<ts.Type>>();
  const compare = (given: ts.Type, wanted: ts.Type, depth: number): readonly string[] => {
    const known = seen.get(given);
    if (given === wanted || depth > DEEPEST || known?.has(wanted) === true) return [];
    seen.set(given, (known ?? new Set()).add(wanted));
    return partsOf(checker.getNonNullableType(given)).flatMap((from) =>
      partsOf(checker.getNonNullableType(wanted)).flatMap((to) => comparePart(from, to, depth)),
    );
  };
  const comparePart = (given: ts.Type, wanted: ts.Type, depth: number): readonly string[] => {
    if ((given.flags & wanted.flags & ts.TypeFlags.Object) === 0) return [];
    const [item, wantedItem] = [given, wanted].map((type) => type.getNumberIndexType());
    if (item !== undefined && wantedItem !== undefined) return compare(item, wantedItem, depth + 1);
    return wanted.getProperties().flatMap((symbol) => {
      const own = given.getProperty(symbol.name);
      if (own === undefined) return [];
      const says = names.has(symbol.name) ? compareProperty(own, symbol) : undefined;
      return says === undefined
        ? compare(checker.getTypeOfSymbol(own), checker.getTypeOfSymbol(symbol), depth + 1)
        : [says];
    });
  };
  const lookAt = (symbol: ts.Symbol) => {
    const origins = originsOf(symbol, checker);
    const renames = origins.flatMap((one) => properties.get(one) ?? []);
    return {
      // A property that also belongs to another type keeps its name.
      renamed: renames.length === origins.length ? renames[0] : undefined,
      // An object literal is followed to where it is passed, and a pattern names no type.
      isDeclared: origins.some((one) => ts.isPropertySignature(one) || ts.isPropertyDeclaration(one)),
    };
  };
  const compareProperty = (given: ts.Symbol, wanted: ts.Symbol): string | undefined => {
    const [from, to] = [lookAt(given), lookAt(wanted)];
    if (from.renamed !== undefined && to.renamed === undefined && to.isDeclared)
      return `gives \`${from.renamed.from}\`, renamed to \`${from.renamed.to}\`, to a type of your own`;
    return from.renamed === undefined && from.isDeclared && to.renamed !== undefined
      ? describeRejected(to.renamed.from, to.renamed.rename.change)
      : undefined;
  };
  const visit = (node: ts.Node): void => {
    if (ts.isExpression(node) && isGiven(node)) {
      seen.clear();
      const wanted = ts.isSpreadAssignment(node.parent)
        ? checker.getContextualType(node.parent.parent)
        : checker.getContextualType(node);
      const given = checker.getAwaitedType(checker.getTypeAtLocation(node));
      const says =
        wanted === undefined || given === undefined
          ? []
          : partsOf(wanted).flatMap((part) => compare(given, checker.getAwaitedType(part) ?? part, 0));
      for (const message of new Set(says)) left.push({ node, message });
    }
    ts.forEachChild(node, visit);
  };
  if (names.size > 0) files.forEach(visit);
  return left;
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

import { ts } from "ts-morph";
import type { TextEdit } from "../contract/text-edit.js";
import { isEquality } from "./compared-values.js";
import { escapeFor } from "./edit-name.js";
import { isAround } from "./find-values.js";

/**
 * Returns the edits of a renamed value, by path: of the literals that the code passes as one of the given properties, or
 * compares with one. A literal that reaches the property through a variable stays; the compiler reports it afterwards.
 */
export function renameValues(
  program: ts.Program,
  paths: readonly string[],
  properties: readonly ts.Node[],
  [before, after]: readonly [before: string, after: string],
): ReadonlyMap<string, readonly TextEdit[]> {
  const finder = new PropertyFinder(
    program.getTypeChecker(),
    new Set(properties.map(({ parent }) => parent)),
  );
  const edits = new Map<string, TextEdit[]>();
  const visit = (node: ts.Node, file: ts.SourceFile): void => {
    if (ts.isStringLiteralLike(node) && node.text === before && finder.isValueOf(node)) {
      const own = edits.get(file.fileName) ?? [];
      const quote = file.text.charAt(node.getStart(file));
      const [start, end] = [node.getStart(file) + 1, node.getEnd() - 1];
      edits.set(file.fileName, [...own, { start, length: end - start, text: escapeFor(quote, after) }]);
    }
    ts.forEachChild(node, (child) => {
      visit(child, file);
    });
  };
  for (const path of paths) {
    const file = program.getSourceFile(path);
    if (file !== undefined) visit(file, file);
  }
  return edits;
}

/** Decides whether an expression is the value of one of some properties, or is compared with one. */
class PropertyFinder {
  readonly #checker: ts.TypeChecker;
  readonly #declarations: ReadonlySet<ts.Node>;

  constructor(checker: ts.TypeChecker, declarations: ReadonlySet<ts.Node>) {
    this.#checker = checker;
    this.#declarations = declarations;
  }

  isValueOf(node: ts.Expression): boolean {
    const { parent } = node;
    if (isTransparent(parent, node)) return this.isValueOf(parent);
    if (ts.isArrayLiteralExpression(parent)) return this.isValueOf(parent) || this.#isSearchedIn(parent);
    if (ts.isPropertyAssignment(parent) && parent.initializer === node)
      return this.#isOurs(this.#expected(parent));
    if (ts.isBinaryExpression(parent) && parent.right === node && isAssignment(parent))
      return this.#isRead(parent.left);
    if (ts.isBinaryExpression(parent) && isEquality(parent.operatorToken.kind))
      return this.#isRead(parent.left === node ? parent.right : parent.left);
    if (ts.isCaseClause(parent)) return this.#isRead(parent.parent.parent.expression);
    if (ts.isBindingElement(parent) && parent.initializer === node)
      return this.#isOurs(this.#boundBy(parent));
    // `tags.includes("new")`
    return ts.isCallExpression(parent) && parent.arguments[0] === node && this.#isRead(searched(parent));
  }

  /** Whether a list is searched for the property: `["open", "paid"].includes(order.status)`. */
  #isSearchedIn(list: ts.ArrayLiteralExpression): boolean {
    const call = list.parent.parent;
    return ts.isCallExpression(call) && searched(call) === list && this.#isRead(call.arguments[0]);
  }

  /** Whether an expression reads one of the properties, directly or from a variable that was read from it. */
  #isRead(expression: ts.Expression | undefined): boolean {
    if (expression === undefined) return false;
    if (
      ts.isParenthesizedExpression(expression) ||
      ts.isNonNullExpression(expression) ||
      ts.isAsExpression(expression)
    )
      return this.#isRead(expression.expression);
    if (ts.isPropertyAccessExpression(expression))
      return this.#isOurs(this.#checker.getSymbolAtLocation(expression.name));
    if (ts.isElementAccessExpression(expression)) {
      const { argumentExpression: key } = expression;
      // `next[order.state]` reads from `next`; only an index leads to an item of a list.
      if (ts.isStringLiteralLike(key)) return this.#isOurs(this.#checker.getSymbolAtLocation(key));
      const isIndex = (this.#checker.getTypeAtLocation(key).flags & ts.TypeFlags.NumberLike) !== 0;
      return isIndex && this.#isRead(expression.expression);
    }
    if (!ts.isIdentifier(expression)) return false;
    const declaration = this.#checker.getSymbolAtLocation(expression)?.valueDeclaration;
    if (declaration === undefined) return false;
    if (ts.isBindingElement(declaration)) return this.#isOurs(this.#boundBy(declaration));
    return (
      ts.isVariableDeclaration(declaration) &&
      declaration.type === undefined &&
      this.#isRead(declaration.initializer)
    );
  }

  /** The property that an object literal's property has in the type that is expected of the literal. */
  #expected({ name, parent }: ts.PropertyAssignment): readonly (ts.Symbol | undefined)[] {
    const type = this.#checker.getContextualType(parent);
    const key = ts.isComputedPropertyName(name) ? name.expression : name;
    if (type === undefined || !(ts.isIdentifier(key) || ts.isStringLiteralLike(key))) return [];
    if (ts.isComputedPropertyName(name) && ts.isIdentifier(key)) return [];
    const parts = type.isUnion() ? type.types : [type];
    return parts.flatMap((part) => this.#checker.getPropertyOfType(part, key.text) ?? []);
  }

  /** The property that `{ status }` takes from an object. */
  #boundBy({ name, propertyName, parent }: ts.BindingElement): ts.Symbol | undefined {
    const key = propertyName ?? name;
    if (!ts.isObjectBindingPattern(parent) || !(ts.isIdentifier(key) || ts.isStringLiteral(key)))
      return undefined;
    const type = this.#checker.getNonNullableType(this.#checker.getTypeAtLocation(parent));
    return this.#checker.getPropertyOfType(type, key.text);
  }

  /** Whether all declarations of what was found are ours: one that is also something else's is not certain. */
  #isOurs(found: ts.Symbol | undefined | readonly (ts.Symbol | undefined)[]): boolean {
    const symbols = found === undefined ? [] : "length" in found ? found : [found];
    const declarations = symbols.flatMap((symbol) => symbol?.declarations ?? []);
    return declarations.length > 0 && declarations.every((one) => this.#declarations.has(one));
  }
}

/** Whether an expression around another has its value: also `as const` and `satisfies`. */
function isTransparent(parent: ts.Node, node: ts.Expression): parent is ts.Expression {
  return ts.isAsExpression(parent) || ts.isSatisfiesExpression(parent) || isAround(parent, node);
}

function isAssignment({ operatorToken }: ts.BinaryExpression): boolean {
  return operatorToken.kind === ts.SyntaxKind.EqualsToken;
}

/** The list of `list.includes(value)` and `list.indexOf(value)`. */
function searched({ expression }: ts.CallExpression): ts.Expression | undefined {
  return ts.isPropertyAccessExpression(expression) && /^(?:includes|indexOf)$/.test(expression.name.text)
    ? expression.expression
    : undefined;
}

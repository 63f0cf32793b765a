/** Syntax that passes values on. */
import { ts } from "ts-morph";
import type { Holder } from "./name-index.js";

/** Methods that return the text that they are called on. */
export const KEEPS_TEXT = /^(?:toString|trim|valueOf)$/;

/** Methods of lists that give each item to a function. */
const GIVES_ITEMS = /^(?:every|filter|find|findIndex|findLast|flatMap|forEach|map|some)$/;

const ASSIGNS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsToken,
  ts.SyntaxKind.BarBarEqualsToken,
  ts.SyntaxKind.QuestionQuestionEqualsToken,
]);

export function isAssignment({ operatorToken }: ts.BinaryExpression): boolean {
  return ASSIGNS.has(operatorToken.kind);
}

/** Whether a key in brackets is the place of an item in a list. */
export function isIndex(key: ts.Expression, checker: ts.TypeChecker): boolean {
  return (checker.getTypeAtLocation(key).flags & ts.TypeFlags.NumberLike) !== 0;
}

/** The whole of `order.status`, of which a name is the last part; undefined for the name of a declaration or a type. */
export function wholeOf(name: ts.Node): ts.Expression | undefined {
  const { parent } = name;
  const isLast =
    (ts.isPropertyAccessExpression(parent) && parent.name === name) ||
    (ts.isElementAccessExpression(parent) && parent.argumentExpression === name);
  if (isLast) return parent;
  return ts.isExpression(name) ? name : undefined;
}

/** What code gives to a variable or property where it has this name. */
export function assignedAt(name: ts.Node): ts.Expression | undefined {
  const { parent } = name;
  if (ts.isPropertyAssignment(parent) && parent.name === name) return parent.initializer;
  if (ts.isShorthandPropertyAssignment(parent)) return parent.name;
  if (ts.isJsxAttribute(parent)) {
    const { initializer } = parent;
    return initializer !== undefined && ts.isJsxExpression(initializer)
      ? initializer.expression
      : initializer;
  }
  const target = wholeOf(name);
  const assignment = target?.parent;
  return assignment !== undefined &&
    ts.isBinaryExpression(assignment) &&
    assignment.left === target &&
    isAssignment(assignment)
    ? assignment.right
    : undefined;
}

/** The declaration that names a function: also the variable of `const label = () => …`. */
export function holderOf(owner: ts.SignatureDeclaration): Holder {
  const { parent } = owner;
  const isNamed =
    ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent);
  return isNamed ? parent : owner;
}

/** The list of `list.map((item) => …)`. */
export function receiverOfItems({ expression }: ts.CallExpression): ts.Expression | undefined {
  return ts.isPropertyAccessExpression(expression) && GIVES_ITEMS.test(expression.name.text)
    ? expression.expression
    : undefined;
}

/**
 * Returns what an assertion compares an argument with: `expect(order.state).not.toBe("PAID")` and
 * `assert.equal(order.state, "PAID")`. None for any other call.
 */
export function assertedWith(node: ts.Expression, call: ts.CallExpression): readonly ts.Expression[] {
  const subjects: ts.Expression[] = [];
  let callee = call.expression;
  let name = "";
  while (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) {
    if (ts.isCallExpression(callee)) subjects.push(...callee.arguments);
    else name ||= callee.name.text;
    callee = callee.expression;
  }
  if (!ts.isIdentifier(callee)) return [];
  if (callee.text === "expect") return subjects;
  const isAssertion = callee.text === "assert" || /(?:equal|match)$/i.test(name || callee.text);
  return isAssertion ? call.arguments.filter((other) => other !== node) : [];
}

import { ts } from "ts-morph";

/** The expression without syntax that has no effect at run time: parentheses, `as`, `satisfies`, `!`. */
export function unwrap(expression: ts.Expression): ts.Expression {
  const isWrapped =
    ts.isParenthesizedExpression(expression) ||
    ts.isAsExpression(expression) ||
    ts.isSatisfiesExpression(expression) ||
    ts.isTypeAssertionExpression(expression) ||
    ts.isNonNullExpression(expression);
  return isWrapped ? unwrap(expression.expression) : expression;
}

import { ts } from "ts-morph";

/** An expression without what changes nothing at run time: parentheses, `as`, `satisfies`, `!`. */
export function unwrap(expression: ts.Expression): ts.Expression {
  const isWrapped =
    ts.isParenthesizedExpression(expression) ||
    ts.isAsExpression(expression) ||
    ts.isSatisfiesExpression(expression) ||
    ts.isTypeAssertionExpression(expression) ||
    ts.isNonNullExpression(expression);
  return isWrapped ? unwrap(expression.expression) : expression;
}

import { ts } from "ts-morph";
import type { JsonValue } from "../contract/json.js";
import { evaluate, literalOf } from "./find-values.js";

/** The literals that an expression is compared with: `=== "paid"`, `case "paid"`, `["paid"].includes(…)`. */
export function comparedWith(node: ts.Node, checker: ts.TypeChecker): readonly JsonValue[] {
  const { parent } = node;
  const valuesOf = (expression: ts.Expression): readonly JsonValue[] =>
    evaluate(expression, checker, 0) ?? [];
  if (ts.isParenthesizedExpression(parent) || ts.isNonNullExpression(parent))
    return comparedWith(parent, checker);
  if (ts.isBinaryExpression(parent) && isEquality(parent.operatorToken.kind))
    return valuesOf(parent.left === node ? parent.right : parent.left);
  if (ts.isSwitchStatement(parent) && parent.expression === node)
    return parent.caseBlock.clauses.flatMap((clause) =>
      ts.isCaseClause(clause) ? valuesOf(clause.expression) : [],
    );
  if (!ts.isCallExpression(parent) || parent.arguments[0] !== node) return [];
  const { expression: callee } = parent;
  if (!ts.isPropertyAccessExpression(callee) || callee.name.text !== "includes") return [];
  const list = literalOf(callee.expression, checker, 0);
  return ts.isArrayLiteralExpression(list) ? list.elements.flatMap(valuesOf) : [];
}

/** Whether an operator is `===`, `!==`, `==` or `!=`. */
export function isEquality(operator: ts.SyntaxKind): boolean {
  return EQUALITY.has(operator);
}

const EQUALITY: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
]);

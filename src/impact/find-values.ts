import { ts } from "ts-morph";
import { followAlias, unwrap } from "./syntax.js";
import type { JsonValue } from "../core/json.js";
import type { ValueStep } from "./changes.js";

/** A value passed at some place of an argument. */
export interface PassedValue {
  /** The node with the value: the property's name, or the argument itself. */
  readonly node: ts.Node;
  /** All possible values, if the code alone determines them. */
  readonly values?: readonly JsonValue[] | undefined;
}

/** More values than any hand-written union of literals has. */
const MOST_VALUES = 64;
const DEEPEST = 16;

/**
 * Finds the values passed at a place of an argument, in literals and otherwise in types: `as const`, enums, unions of
 * literals. Returns nothing for values that are not passed; a result without `values` is passed but unknown.
 */
export function findValues(
  argument: ts.Expression,
  steps: readonly ValueStep[],
  checker: ts.TypeChecker,
): readonly PassedValue[] {
  return descend(argument, argument, steps, checker, 0);
}

function descend(
  expression: ts.Expression,
  node: ts.Node,
  steps: readonly ValueStep[],
  checker: ts.TypeChecker,
  depth: number,
): readonly PassedValue[] {
  const [step, ...rest] = steps;
  const inner = literalOf(expression, checker, depth);
  if (step === undefined) return [{ node, values: evaluate(inner, checker, depth) }];
  if (depth > DEEPEST) return [];
  const choices = alternativesOf(inner);
  if (choices.length > 0)
    return choices.flatMap((choice) => descend(choice, node, steps, checker, depth + 1));
  if (step === "item") {
    if (!ts.isArrayLiteralExpression(inner))
      return checker.isArrayLikeType(checker.getTypeAtLocation(inner)) ? [{ node }] : [];
    return inner.elements.flatMap((element) =>
      ts.isSpreadElement(element) ? [{ node: element }] : descend(element, element, rest, checker, depth + 1),
    );
  }
  if (!ts.isObjectLiteralExpression(inner)) return ofType(inner, node, step.property, rest, checker);
  const member = inner.properties.findLast(
    (property) => property.name !== undefined && propertyNameOf(property.name) === step.property,
  );
  if (member !== undefined && member.name !== undefined) {
    const value = valueOfElement(member);
    return value === undefined
      ? [{ node: member.name }]
      : descend(value, member.name, rest, checker, depth + 1);
  }
  return inner.properties.flatMap((property) =>
    ts.isSpreadAssignment(property) ? descend(property.expression, property, steps, checker, depth + 1) : [],
  );
}

/** The value of `a: 1` or `{ a }`; undefined for a method, an accessor or a spread. */
function valueOfElement(element: ts.ObjectLiteralElementLike): ts.Expression | undefined {
  if (ts.isPropertyAssignment(element)) return element.initializer;
  return ts.isShorthandPropertyAssignment(element) ? element.name : undefined;
}

/** The possible results of `a ? b : c`, `a && b`, `a ?? b`; empty for any other expression. */
function alternativesOf(expression: ts.Expression): readonly ts.Expression[] {
  if (ts.isConditionalExpression(expression)) return [expression.whenTrue, expression.whenFalse];
  if (!ts.isBinaryExpression(expression)) return [];
  const { left, operatorToken, right } = expression;
  if (operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken) return [right];
  const isEither =
    operatorToken.kind === ts.SyntaxKind.BarBarToken ||
    operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken;
  return isEither ? [left, right] : [];
}

/** For other expressions, the type determines whether the property can be present, and perhaps its values. */
function ofType(
  expression: ts.Expression,
  node: ts.Node,
  property: string,
  rest: readonly ValueStep[],
  checker: ts.TypeChecker,
): readonly PassedValue[] {
  const partsOf = (type: ts.Type): readonly ts.Type[] => {
    const whole = checker.getNonNullableType(type);
    return whole.isUnion() ? whole.types : [whole];
  };
  // `condition && { property }` is sometimes an object.
  let symbols = partsOf(checker.getTypeAtLocation(expression)).flatMap(
    (part) => part.getProperty(property) ?? [],
  );
  for (const step of rest) {
    const types = symbols.flatMap((symbol) => partsOf(checker.getTypeOfSymbol(symbol)));
    if (step === "item") return symbols.length === 0 ? [] : [{ node }];
    symbols = types.flatMap((part) => part.getProperty(step.property) ?? []);
  }
  if (symbols.length === 0) return [];
  const valueLists = symbols.map((symbol) => valuesOfType(checker.getTypeOfSymbol(symbol), checker));
  const isKnown = rest.length === 0 && !valueLists.includes(undefined);
  return [{ node, values: isKnown ? valueLists.flatMap((values) => values ?? []) : undefined }];
}

/** The expression itself, or the initializer of the `const` that it names. */
function literalOf(expression: ts.Expression, checker: ts.TypeChecker, depth: number): ts.Expression {
  const node = unwrap(expression);
  if (!ts.isIdentifier(node) || depth > DEEPEST) return node;
  const symbol = valueSymbolOf(node, checker);
  const declaration = symbol && followAlias(symbol, checker).valueDeclaration;
  const isConst =
    declaration !== undefined &&
    ts.isVariableDeclaration(declaration) &&
    (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) !== 0;
  if (!isConst || declaration.initializer === undefined) return node;
  const inner = literalOf(declaration.initializer, checker, depth + 1);
  // Otherwise the type of the expression is better, since it may have been narrowed.
  return ts.isObjectLiteralExpression(inner) || ts.isArrayLiteralExpression(inner) ? inner : node;
}

/** The variable behind an identifier; in `{ limit }`, the variable and not the property. */
function valueSymbolOf(node: ts.Identifier, checker: ts.TypeChecker): ts.Symbol | undefined {
  return ts.isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : checker.getSymbolAtLocation(node);
}

function typeOfExpression(node: ts.Expression, checker: ts.TypeChecker): ts.Type {
  const symbol = ts.isIdentifier(node) ? valueSymbolOf(node, checker) : undefined;
  return symbol === undefined
    ? checker.getTypeAtLocation(node)
    : checker.getTypeOfSymbolAtLocation(symbol, node);
}

/** Every possible value of an expression; undefined when they are not known. */
function evaluate(
  expression: ts.Expression,
  checker: ts.TypeChecker,
  depth: number,
): readonly JsonValue[] | undefined {
  const node = literalOf(expression, checker, depth);
  if (depth > DEEPEST) return undefined;
  if (node.kind === ts.SyntaxKind.NullKeyword) return [null];
  if (ts.isArrayLiteralExpression(node)) {
    const items = node.elements.map((element) => single(evaluate(element, checker, depth + 1)));
    return items.includes(undefined) ? undefined : [items.filter((item) => item !== undefined)];
  }
  if (!ts.isObjectLiteralExpression(node)) return valuesOfType(typeOfExpression(node, checker), checker);
  const entries = node.properties.map((property): readonly [string, JsonValue] | undefined => {
    const name = property.name === undefined ? undefined : propertyNameOf(property.name);
    const element = valueOfElement(property);
    const value = element && single(evaluate(element, checker, depth + 1));
    return name === undefined || value === undefined ? undefined : [name, value];
  });
  if (entries.includes(undefined)) return undefined;
  return [Object.fromEntries(entries.filter((entry) => entry !== undefined))];
}

function single(values: readonly JsonValue[] | undefined): JsonValue | undefined {
  return values?.length === 1 ? values[0] : undefined;
}

/** The values of a type of literals; undefined for any other type. */
function valuesOfType(type: ts.Type, checker: ts.TypeChecker): readonly JsonValue[] | undefined {
  const parts = type.isUnion() ? type.types : [type];
  if (parts.length > MOST_VALUES) return undefined;
  // An omitted optional property is not passed.
  const values = parts
    .filter((part) => (part.flags & ts.TypeFlags.Undefined) === 0)
    .map((part) => valueOfType(part, checker));
  return values.includes(undefined) ? undefined : values.filter((value) => value !== undefined);
}

function valueOfType(type: ts.Type, checker: ts.TypeChecker): JsonValue | undefined {
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
  if ((type.flags & ts.TypeFlags.Null) !== 0) return null;
  if ((type.flags & ts.TypeFlags.BooleanLiteral) !== 0) return checker.typeToString(type) === "true";
  return undefined;
}

function propertyNameOf(name: ts.PropertyName): string | undefined {
  return ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)
    ? name.text
    : undefined;
}

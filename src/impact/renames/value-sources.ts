/** Where values come from: what an expression reads, and what a declaration is given. */
import { ts } from "ts-morph";
import { choicesOf } from "../find-values.js";
import type { Holder, NameIndex } from "./name-index.js";
import { unwrap } from "../tool-finder.js";
import { assignedAt, holderOf, isIndex, KEEPS_TEXT, receiverOfItems, wholeOf } from "./value-syntax.js";

/** Returns the declarations whose values an expression may have. A list has the values of its items. */
export function readBy(expression: ts.Expression | undefined, index: NameIndex): readonly Holder[] {
  if (expression === undefined) return [];
  const node = unwrap(expression);
  const choices = choicesOf(node);
  if (choices.length > 0) return choices.flatMap((choice) => readBy(choice, index));
  if (ts.isAwaitExpression(node) || ts.isSpreadElement(node)) return readBy(node.expression, index);
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap((item) => readBy(item, index));
  if (ts.isIdentifier(node)) return index.meaningOf(node);
  if (ts.isPropertyAccessExpression(node)) return index.meaningOf(node.name);
  if (ts.isElementAccessExpression(node)) {
    const { argumentExpression: key } = node;
    if (ts.isStringLiteralLike(key)) return index.meaningOf(key);
    return isIndex(key, index.checker) ? readBy(node.expression, index) : [];
  }
  if (ts.isTemplateExpression(node)) {
    const [span, ...others] = node.templateSpans;
    const isWhole = node.head.text === "" && others.length === 0 && span?.literal.text === "";
    return isWhole ? readBy(span.expression, index) : [];
  }
  if (!ts.isCallExpression(node)) return [];
  const { expression: callee } = node;
  if (ts.isIdentifier(callee))
    return callee.text === "String" ? readBy(node.arguments[0], index) : index.meaningOf(callee);
  if (!ts.isPropertyAccessExpression(callee)) return [];
  // The keys and the values of an object count as the object.
  if (callee.expression.getText() === "Object") return readBy(node.arguments[0], index);
  return KEEPS_TEXT.test(callee.name.text) ? readBy(callee.expression, index) : index.meaningOf(callee.name);
}

/** Returns the declarations whose values a declaration may have: what is assigned, passed or returned. */
export function sourcesOf(holder: Holder, index: NameIndex): readonly Holder[] {
  return [
    ...declaredSourcesOf(holder, index),
    ...index.referencesTo(holder).flatMap((name) => readBy(assignedAt(name), index)),
  ];
}

function declaredSourcesOf(holder: Holder, index: NameIndex): readonly Holder[] {
  if (ts.isBindingElement(holder)) return [...boundBy(holder, index), ...readBy(holder.initializer, index)];
  if (ts.isParameter(holder)) return [...passedAs(holder, index), ...readBy(holder.initializer, index)];
  if (ts.isFunctionLike(holder)) return returnedBy(holder).flatMap((one) => readBy(one, index));
  const isGiven =
    ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder) || ts.isPropertyDeclaration(holder);
  if (!isGiven) return [];
  const { initializer } = holder;
  if (initializer !== undefined && ts.isFunctionLike(initializer))
    return returnedBy(initializer).flatMap((one) => readBy(one, index));
  return readBy(ts.isVariableDeclaration(holder) ? givenTo(holder) : initializer, index);
}

/** What a variable has: in a loop, the list whose items it has. */
function givenTo({ initializer, parent }: ts.VariableDeclaration): ts.Expression | undefined {
  return ts.isForOfStatement(parent.parent) ? parent.parent.expression : initializer;
}

/** What `{ status }` or `[first]` takes from an object or a list. */
function boundBy(element: ts.BindingElement, index: NameIndex): readonly Holder[] {
  const { parent: pattern, propertyName, name } = element;
  if (ts.isObjectBindingPattern(pattern)) return index.keyMeaningOf(propertyName ?? name);
  const { parent: owner } = pattern;
  if (ts.isParameter(owner)) return passedAs(owner, index);
  return ts.isVariableDeclaration(owner) ? readBy(givenTo(owner), index) : [];
}

/** What calls pass as a parameter. */
function passedAs(parameter: ts.ParameterDeclaration, index: NameIndex): readonly Holder[] {
  const { parent: owner } = parameter;
  const place = owner.parameters.indexOf(parameter);
  const call = owner.parent;
  if (ts.isCallExpression(call)) return place === 0 ? readBy(receiverOfItems(call), index) : [];
  return index.referencesTo(holderOf(owner)).flatMap((name) => {
    const callee = wholeOf(name);
    const { parent } = callee ?? name;
    const isCall = ts.isCallExpression(parent) && parent.expression === callee;
    return isCall ? readBy(parent.arguments[place], index) : [];
  });
}

/** The expressions that a function returns. */
function returnedBy(owner: ts.SignatureDeclaration): readonly ts.Expression[] {
  const body = "body" in owner ? owner.body : undefined;
  if (body === undefined) return [];
  if (ts.isExpression(body)) return [body];
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isReturnStatement(node) && node.expression !== undefined) found.push(node.expression);
    if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit);
  };
  ts.forEachChild(body, visit);
  return found;
}

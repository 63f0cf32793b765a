import { ts } from "ts-morph";
import { isEquality } from "../compared-values.js";
import { isAround } from "../find-values.js";
import type { Holder, NameIndex } from "./name-index.js";
import {
  assertedWith,
  holderOf,
  isAssignment,
  isIndex,
  KEEPS_TEXT,
  receiverOfItems,
  wholeOf,
} from "./value-syntax.js";
import { readBy } from "./value-sources.js";

/** Where a value goes. */
export interface Uses {
  /** The declarations that take it. */
  readonly takers: readonly Holder[];
  /** The expressions that it is compared with, or that are looked up in it. */
  readonly compared: readonly ts.Expression[];
}

const NOWHERE: Uses = { takers: [], compared: [] };

const LOOKS_UP = /^(?:get|has|includes|indexOf|lastIndexOf)$/;
const ADDS_ITEM = /^(?:add|push|unshift)$/;

/** Returns where the value of an expression goes next. An item goes where its list goes, and a key where its object goes. */
export function usesOf(node: ts.Expression, index: NameIndex): Uses {
  const { parent } = node;
  if (isThrough(parent) || isAround(parent, node)) return usesOf(parent, index);
  if (ts.isArrayLiteralExpression(parent)) return isInPair(node, parent) ? NOWHERE : usesOf(parent, index);
  if (ts.isBinaryExpression(parent)) return usesIn(parent, node, index);
  if (ts.isCaseClause(parent)) return comparedWith(parent.parent.parent.expression);
  if (ts.isVariableDeclaration(parent) || ts.isEnumMember(parent) || ts.isPropertyDeclaration(parent))
    return parent.initializer === node ? takenBy([parent]) : NOWHERE;
  if (ts.isForOfStatement(parent)) {
    const { initializer, expression } = parent;
    const isList = expression === node && ts.isVariableDeclarationList(initializer);
    return isList ? takenBy(initializer.declarations) : NOWHERE;
  }
  if (ts.isPropertyAssignment(parent) || ts.isShorthandPropertyAssignment(parent))
    return takenBy(index.keyMeaningOf(parent.name));
  const attribute = ts.isJsxExpression(parent) ? parent.parent : parent;
  if (ts.isJsxAttribute(attribute)) return takenBy(index.keyMeaningOf(attribute.name));
  if (ts.isReturnStatement(parent) || (ts.isArrowFunction(parent) && parent.body === node)) {
    const owner = ts.findAncestor(parent, ts.isFunctionLike);
    return owner === undefined ? NOWHERE : takenBy([holderOf(owner)]);
  }
  if (ts.isElementAccessExpression(parent) && parent.expression === node) {
    const { argumentExpression: key } = parent;
    return isIndex(key, index.checker) ? usesOf(parent, index) : comparedWith(key);
  }
  if (ts.isPropertyAccessExpression(parent)) return usesOfMethod(parent, index);
  if (ts.isNewExpression(parent)) return isCollection(parent) ? usesOf(parent, index) : NOWHERE;
  return ts.isCallExpression(parent) ? usesOfArgument(node, parent, index) : NOWHERE;
}

/** Returns where the value of a declaration goes from one of its names. */
export function usesOfName(name: ts.Node, index: NameIndex): Uses {
  if (ts.isBindingElement(name.parent)) return takenBy([name.parent]);
  const whole = wholeOf(name);
  if (whole === undefined) return NOWHERE;
  const call = whole.parent;
  return usesOf(ts.isCallExpression(call) && call.expression === whole ? call : whole, index);
}

function takenBy(takers: readonly Holder[]): Uses {
  return { takers, compared: [] };
}

function comparedWith(...compared: readonly ts.Expression[]): Uses {
  return { takers: [], compared };
}

/** Syntax around an expression that has its value. */
function isThrough(parent: ts.Node): parent is ts.Expression {
  return (
    ts.isAwaitExpression(parent) ||
    ts.isSpreadElement(parent) ||
    ts.isAsExpression(parent) ||
    ts.isSatisfiesExpression(parent) ||
    ts.isNonNullExpression(parent)
  );
}

/** Whether an item is the second of a pair in `new Map([["PAID", "Paid"]])`: only the first is looked up. */
function isInPair(node: ts.Expression, list: ts.ArrayLiteralExpression): boolean {
  const outer = list.parent;
  return (
    ts.isArrayLiteralExpression(outer) &&
    ts.isNewExpression(outer.parent) &&
    isCollection(outer.parent) &&
    list.elements[0] !== node
  );
}

function isCollection({ expression }: ts.NewExpression): boolean {
  return ts.isIdentifier(expression) && /^(?:Map|Set)$/.test(expression.text);
}

function usesIn(parent: ts.BinaryExpression, node: ts.Expression, index: NameIndex): Uses {
  const { left, operatorToken, right } = parent;
  if (isEquality(operatorToken.kind)) return comparedWith(left === node ? right : left);
  if (right !== node) return NOWHERE;
  if (operatorToken.kind === ts.SyntaxKind.InKeyword) return comparedWith(left);
  return isAssignment(parent) ? takenBy(readBy(left, index)) : NOWHERE;
}

/** What a method does with the value that it is called on. */
function usesOfMethod(access: ts.PropertyAccessExpression, index: NameIndex): Uses {
  const call = access.parent;
  if (!ts.isCallExpression(call) || call.expression !== access) return NOWHERE;
  if (KEEPS_TEXT.test(access.name.text)) return usesOf(call, index);
  const [first] = call.arguments;
  if (first === undefined) return NOWHERE;
  if (LOOKS_UP.test(access.name.text)) return comparedWith(first);
  const isGiven = receiverOfItems(call) !== undefined && ts.isFunctionLike(first);
  return isGiven ? takenBy(first.parameters.slice(0, 1)) : NOWHERE;
}

function usesOfArgument(node: ts.Expression, call: ts.CallExpression, index: NameIndex): Uses {
  const place = call.arguments.indexOf(node);
  const { expression: callee } = call;
  if (ts.isIdentifier(callee) && callee.text === "String") return usesOf(call, index);
  if (ts.isPropertyAccessExpression(callee)) {
    const { expression: owner, name } = callee;
    if (ts.isIdentifier(owner) && owner.text === "Object") {
      const [object, key] = call.arguments;
      if (name.text === "hasOwn" && object === node && key !== undefined) return comparedWith(key);
      return /^(?:freeze|keys)$/.test(name.text) ? usesOf(call, index) : NOWHERE;
    }
    if (ADDS_ITEM.test(name.text)) return takenBy(readBy(owner, index));
    if (LOOKS_UP.test(name.text)) return comparedWith(owner);
  }
  const subjects = assertedWith(node, call);
  if (subjects.length > 0) return comparedWith(...subjects);
  const parameter = index.checker.getResolvedSignature(call)?.declaration?.parameters[place];
  return parameter !== undefined && ts.isParameter(parameter) ? takenBy([parameter]) : NOWHERE;
}

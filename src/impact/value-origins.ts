/** Where the values of expressions come from. */
import { ts } from "ts-morph";
import { ANY_STEP } from "../contract/consumer.js";
import { choicesOf } from "./find-values.js";
import { propertiesTyped } from "./properties.js";
import type { OutputProperty } from "./output-properties.js";
import { unwrap } from "./tool-finder.js";

/** A limit for variables that have the value of others. */
const DEEPEST = 4;

/** Follows the values of expressions to the output properties that they are. */
export class ValueOrigins {
  readonly #checker: ts.TypeChecker;
  readonly #outputs: ReadonlyMap<ts.Node, OutputProperty>;

  constructor(checker: ts.TypeChecker, outputs: ReadonlyMap<ts.Node, OutputProperty>) {
    this.#checker = checker;
    this.#outputs = outputs;
  }

  /** The property that a node reads: `a.b`, `a["b"]`, `{ b } = a`, `"b" in a`. */
  symbolOf(node: ts.Node): ts.Symbol | undefined {
    if (ts.isPropertyAccessExpression(node)) return this.#checker.getSymbolAtLocation(node.name);
    if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression))
      return this.#propertyOf(node.expression, node.argumentExpression.text);
    if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent)) {
      const name = node.propertyName ?? node.name;
      const isRead = node.dotDotDotToken === undefined && (ts.isIdentifier(name) || ts.isStringLiteral(name));
      return isRead ? this.#propertyOf(node.parent, name.text) : undefined;
    }
    const isIn = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword;
    return isIn && ts.isStringLiteralLike(node.left)
      ? this.#propertyOf(node.right, node.left.text)
      : undefined;
  }

  #propertyOf(node: ts.Node, name: string): ts.Symbol | undefined {
    const type = this.#checker.getNonNullableType(this.#checker.getTypeAtLocation(node));
    for (const part of type.isUnion() ? type.types : [type]) {
      const symbol = part.getProperty(name);
      if (symbol !== undefined) return symbol;
    }
    return undefined;
  }

  /** The output properties that a symbol is. */
  outputsOf(symbol: ts.Symbol | undefined): readonly OutputProperty[] {
    return (symbol?.declarations ?? []).flatMap((declaration) => this.#outputs.get(declaration) ?? []);
  }

  /** The properties that an expression has the value of: `order.status`, a variable with it, an item of a list. */
  originsOf(expression: ts.Expression, depth = 0): readonly OutputProperty[] {
    const node = unwrap(expression);
    if (depth > DEEPEST) return [];
    const choices = choicesOf(node);
    if (choices.length > 0) return choices.flatMap((choice) => this.originsOf(choice, depth + 1));
    const symbol = this.symbolOf(node);
    if (symbol !== undefined) return this.outputsOf(symbol);
    if (ts.isElementAccessExpression(node)) return this.itemsIn(node.expression, depth + 1);
    const list = ts.isCallExpression(node) ? listOf(node, PICKS) : undefined;
    if (list !== undefined) return this.itemsIn(list, depth + 1);
    const declaration = ts.isIdentifier(node)
      ? this.#checker.getSymbolAtLocation(node)?.valueDeclaration
      : undefined;
    return declaration === undefined ? [] : this.#originsOfVariable(declaration, depth + 1);
  }

  #originsOfVariable(node: ts.Declaration, depth: number): readonly OutputProperty[] {
    if (ts.isBindingElement(node)) {
      if (ts.isObjectBindingPattern(node.parent)) return this.outputsOf(this.symbolOf(node));
      const whole = node.parent.parent;
      const isItem = node.dotDotDotToken === undefined && ts.isVariableDeclaration(whole);
      return isItem && whole.initializer !== undefined ? this.itemsIn(whole.initializer, depth) : [];
    }
    if (!ts.isVariableDeclaration(node) && !ts.isParameter(node)) return [];
    if (node.type !== undefined) {
      const typed = this.typedAs(node.type);
      if (typed.length > 0) return typed;
    }
    if (node.initializer !== undefined) return this.originsOf(node.initializer, depth);
    const around = node.parent.parent;
    if (ts.isForOfStatement(around)) return this.itemsIn(around.expression, depth);
    const isFirst = ts.isParameter(node) && node.parent.parameters[0] === node;
    const list = isFirst && ts.isCallExpression(around) ? listOf(around, VISITS) : undefined;
    return list === undefined ? [] : this.itemsIn(list, depth);
  }

  /** The items of a list that is an output property. */
  itemsIn(list: ts.Expression, depth = 0): readonly OutputProperty[] {
    const type = this.#checker.getNonNullableType(this.#checker.getTypeAtLocation(list));
    return this.#checker.isArrayLikeType(type) ? this.originsOf(list, depth).map(itemOf) : [];
  }

  /** The properties whose type a declared type is. */
  typedAs(type: ts.TypeNode): readonly OutputProperty[] {
    return propertiesTyped(type, this.#checker).flatMap((symbol) => this.outputsOf(symbol));
  }
}

/** The items of a list. */
export function itemOf(list: OutputProperty): OutputProperty {
  return { ...list, paths: list.paths.map((path) => `${path}/${ANY_STEP}`) };
}

/** The list whose method a call is, if the method has one of some names. */
export function listOf(
  { expression }: ts.CallExpression,
  names: ReadonlySet<string>,
): ts.Expression | undefined {
  const callee = unwrap(expression);
  return ts.isPropertyAccessExpression(callee) && names.has(callee.name.text) ? callee.expression : undefined;
}

/** Methods of lists that return an item. */
const PICKS: ReadonlySet<string> = new Set(["at", "find", "findLast", "pop", "shift"]);
/** Methods of lists that call a function with each item. */
const VISITS: ReadonlySet<string> = new Set(
  "every filter find findIndex findLast findLastIndex flatMap forEach map some".split(" "),
);

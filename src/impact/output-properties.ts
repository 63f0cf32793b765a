/** The properties of outputs, and where their values go in code. */
import { ts } from "ts-morph";
import { ANY_STEP, joinProperty } from "../core/consumer.js";
import type { ToolModule } from "./tool-finder.js";
import { isEquality, isReference, unwrap } from "./syntax.js";
import { alternativesOf, evaluate, literalOf } from "./find-values.js";
import { propertiesTyped } from "./properties.js";
import type { JsonValue } from "../core/json.js";

/** A property in the generated type of an output, with the paths in the output that have this type. */
export interface OutputProperty {
  readonly tool: ToolModule;
  readonly paths: readonly string[];
}

/** Types as deep as no output, and a limit for recursive types. */
const DEEPEST = 16;
/** More paths than any output has; a type that many properties share has one for each. */
const MOST_PATHS = 5_000;

/**
 * Returns the output properties of tools by their declarations in generated modules. Symbols keep their declarations in
 * spreads, mapped types and destructuring, so a read is found wherever the value went.
 */
export function indexOutputs(
  tools: readonly ToolModule[],
  program: ts.Program,
  pathsOf: (path: string) => readonly string[],
): ReadonlyMap<ts.Node, OutputProperty> {
  const checker = program.getTypeChecker();
  const found: Found = new Map();
  for (const tool of tools)
    for (const file of pathsOf(tool.path).flatMap((path) => program.getSourceFile(path) ?? []))
      for (const type of outputTypes(file, tool.wrapper, checker))
        addOutput(type, { tool, file, checker, found });
  return found;
}

function outputTypes(file: ts.SourceFile, wrapper: string, checker: ts.TypeChecker): readonly ts.Type[] {
  const module = checker.getSymbolAtLocation(file);
  const symbol = module?.exports?.get(ts.escapeLeadingUnderscores(wrapper));
  if (symbol === undefined) return [];
  return checker
    .getTypeOfSymbol(symbol)
    .getCallSignatures()
    .flatMap((signature) => checker.getAwaitedType(signature.getReturnType()) ?? []);
}

type Found = Map<ts.Node, { readonly tool: ToolModule; readonly paths: string[] }>;

function addOutput(top: ts.Type, { tool, file, checker, found }: OutputContext): void {
  let count = 0;
  const walk = (type: ts.Type, path: string, outer: readonly ts.Type[]): void => {
    if (outer.length > DEEPEST || outer.includes(type)) return;
    const inner = [...outer, type];
    for (const part of type.isUnionOrIntersection() ? type.types : [type]) {
      if ((part.flags & ts.TypeFlags.Object) === 0) continue;
      for (const items of itemTypes(part, checker)) walk(items, `${path}/${ANY_STEP}`, inner);
      for (const symbol of part.getProperties()) add(symbol, joinProperty(path, symbol.getName()), inner);
    }
  };
  const add = (symbol: ts.Symbol, path: string, outer: readonly ts.Type[]): void => {
    const own = (symbol.declarations ?? []).filter((declaration) => declaration.getSourceFile() === file);
    if (own.length === 0 || count >= MOST_PATHS) return;
    count += 1;
    for (const declaration of own) {
      const known = found.get(declaration) ?? { tool, paths: [] };
      if (!known.paths.includes(path)) known.paths.push(path);
      found.set(declaration, known);
    }
    walk(checker.getTypeOfSymbol(symbol), path, outer);
  };
  walk(top, "", []);
}

interface OutputContext {
  readonly tool: ToolModule;
  readonly file: ts.SourceFile;
  readonly checker: ts.TypeChecker;
  readonly found: Found;
}

/** The types of the items of a list or tuple, or of the values of a map; empty for other types. */
export function itemTypes(type: ts.Type, checker: ts.TypeChecker): readonly ts.Type[] {
  // The rest of a tuple may be unknown, and then so is the type of any item.
  if (checker.isTupleType(type) && isReference(type)) return checker.getTypeArguments(type);
  return checker.getIndexInfosOfType(type).map((info) => info.type);
}

/** A limit for variables that have the value of others. */
const LONGEST_WAY = 4;

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

  outputsOf(symbol: ts.Symbol | undefined): readonly OutputProperty[] {
    return (symbol?.declarations ?? []).flatMap((declaration) => this.#outputs.get(declaration) ?? []);
  }

  /** The properties that an expression has the value of: `order.status`, a variable with it, an item of a list. */
  originsOf(expression: ts.Expression, depth = 0): readonly OutputProperty[] {
    const node = unwrap(expression);
    if (depth > LONGEST_WAY) return [];
    const choices = alternativesOf(node);
    if (choices.length > 0) return choices.flatMap((choice) => this.originsOf(choice, depth + 1));
    const symbol = this.symbolOf(node);
    if (symbol !== undefined) return this.outputsOf(symbol);
    if (ts.isElementAccessExpression(node)) return this.itemsIn(node.expression, depth + 1);
    const list = ts.isCallExpression(node) ? listCalledOn(node, PICKS) : undefined;
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
    const list = isFirst && ts.isCallExpression(around) ? listCalledOn(around, VISITS) : undefined;
    return list === undefined ? [] : this.itemsIn(list, depth);
  }

  itemsIn(list: ts.Expression, depth = 0): readonly OutputProperty[] {
    const type = this.#checker.getNonNullableType(this.#checker.getTypeAtLocation(list));
    return this.#checker.isArrayLikeType(type) ? this.originsOf(list, depth).map(itemOf) : [];
  }

  typedAs(type: ts.TypeNode): readonly OutputProperty[] {
    return propertiesTyped(type, this.#checker).flatMap((symbol) => this.outputsOf(symbol));
  }
}

export function itemOf(list: OutputProperty): OutputProperty {
  return { ...list, paths: list.paths.map((path) => `${path}/${ANY_STEP}`) };
}

/** The list whose method a call is, if the method has one of some names. */
export function listCalledOn(
  { expression }: ts.CallExpression,
  names: ReadonlySet<string>,
): ts.Expression | undefined {
  const callee = unwrap(expression);
  return ts.isPropertyAccessExpression(callee) && names.has(callee.name.text) ? callee.expression : undefined;
}

/** Methods of lists that look for a value. */
export const SEARCHES: ReadonlySet<string> = new Set(["includes", "indexOf", "lastIndexOf"]);
/** Methods of lists that return an item. */
const PICKS: ReadonlySet<string> = new Set(["at", "find", "findLast", "pop", "shift"]);
/** Methods of lists that call a function with each item. */
const VISITS: ReadonlySet<string> = new Set(
  "every filter find findIndex findLast findLastIndex flatMap forEach map some".split(" "),
);

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

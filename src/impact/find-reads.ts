import { ts } from "ts-morph";
import type { JsonValue } from "../core/json.js";
import {
  type OutputProperty,
  ValueOrigins,
  comparedWith,
  itemOf,
  itemTypes,
  listCalledOn,
  SEARCHES,
} from "./output-properties.js";
import { type ExportedFunction, isReference } from "./syntax.js";
import { isOpaque } from "./find-passed.js";
import { evaluate, propertyNameOf } from "./find-values.js";
import { keyTypeOf, propertiesNeededBy } from "./properties.js";
import type { GeneratedToolFinder } from "./tool-finder.js";

interface FoundRead {
  readonly property: OutputProperty;
  readonly node: ts.Node;
  /** The values that it is compared with there. */
  readonly compares: readonly JsonValue[];
}

/** A value that is passed to code which may read all of its properties. */
export interface FoundEscape {
  readonly property: OutputProperty;
  readonly node: ts.Node;
  readonly reason: string;
}

/** A limit for values in values, such as an output in a result in a list. */
const DEEPEST = 4;

/**
 * Finds the reads of output properties in a file, by the declarations of their symbols. A value that is passed to a type
 * with other properties counts as a read of those; a value passed to `any`, `unknown` or a type parameter escapes.
 */
export class ReadFinder {
  readonly reads: FoundRead[] = [];
  readonly escapes: FoundEscape[] = [];
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #origins: ValueOrigins;
  readonly #tools: GeneratedToolFinder;
  readonly #holding = new Map<ts.Type, boolean>();

  constructor(
    program: ts.Program,
    outputs: ReadonlyMap<ts.Node, OutputProperty>,
    tools: GeneratedToolFinder,
  ) {
    this.#program = program;
    this.#checker = program.getTypeChecker();
    this.#origins = new ValueOrigins(this.#checker, outputs);
    this.#tools = tools;
  }

  visit(node: ts.Node): void {
    this.#findRead(node);
    this.#findEscape(node);
    ts.forEachChild(node, (child) => {
      this.visit(child);
    });
  }

  /** Records that anything which a function answers may be read. */
  leave({ declaration, answers }: ExportedFunction): void {
    for (const answer of answers) this.#passOn(answer, declaration, LEAVES);
  }

  #findRead(node: ts.Node): void {
    if (ts.isElementAccessExpression(node) && !ts.isStringLiteralLike(node.argumentExpression)) {
      const type = this.#checker.getTypeAtLocation(node.expression);
      const index = this.#checker.getTypeAtLocation(node.argumentExpression);
      if ((index.flags & ts.TypeFlags.NumberLike) === 0)
        this.#passOn(type, node, "reads a property with a computed name");
    }
    const symbol = this.#origins.symbolOf(node);
    const symbols = symbol === undefined ? propertiesNeededBy(node, this.#checker) : [symbol];
    for (const property of symbols.flatMap((each) => this.#origins.outputsOf(each))) {
      this.reads.push({ property, node, compares: comparedWith(node, this.#checker) });
      for (const items of this.#itemsOf(property, node))
        this.reads.push({ property: items, node, compares: [] });
    }
    if (ts.isExpression(node) && symbol === undefined)
      this.#findCompared(node, comparedWith(node, this.#checker));
    if (ts.isCallExpression(node)) {
      const list = listCalledOn(node, SEARCHES);
      const [wanted] = node.arguments;
      const values = wanted === undefined ? undefined : evaluate(wanted, this.#checker, 0);
      if (list !== undefined && values !== undefined)
        for (const property of this.#origins.itemsIn(list))
          this.reads.push({ property, node: list, compares: values });
    }
    if (ts.isObjectLiteralExpression(node)) this.#findKeys(node);
  }

  /** The values that the keys of `const labels: Record<Order["status"], string> = { … }` are. */
  #findKeys(node: ts.ObjectLiteralExpression): void {
    const { parent } = node;
    const hasType = ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent);
    const type =
      hasType || ts.isSatisfiesExpression(parent) || ts.isAsExpression(parent) ? parent.type : undefined;
    const keys = type && keyTypeOf(type);
    if (keys === undefined) return;
    const names = node.properties.flatMap(({ name }) =>
      name === undefined ? [] : (propertyNameOf(name) ?? []),
    );
    for (const property of this.#origins.typedAs(keys)) this.reads.push({ property, node, compares: names });
  }

  #findCompared(node: ts.Expression, compares: readonly JsonValue[]): void {
    if (compares.length === 0) return;
    for (const property of this.#origins.originsOf(node)) this.reads.push({ property, node, compares });
  }

  /** The items of a list that a node reads, unless it reads only their number. */
  #itemsOf(list: OutputProperty, node: ts.Node): readonly OutputProperty[] {
    const { parent } = node;
    if (ts.isPropertyAccessExpression(parent) && parent.expression === node && parent.name.text === "length")
      return [];
    const found: OutputProperty[] = [];
    const add = (type: ts.Type, property: OutputProperty): void => {
      const items = this.#partsOf(type).flatMap((part) => itemTypes(part, this.#checker));
      if (items.length === 0 || found.length >= DEEPEST) return;
      const inner = itemOf(property);
      found.push(inner);
      for (const item of items) add(item, inner);
    };
    add(this.#checker.getTypeAtLocation(node), list);
    return found;
  }

  #findEscape(node: ts.Node): void {
    const checker = this.#checker;
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) this.#findPassedArguments(node);
    if (ts.isForInStatement(node))
      this.#passOn(checker.getTypeAtLocation(node.expression), node, "reads every property");
    if (ts.isJsxSpreadAttribute(node))
      this.#passOn(checker.getTypeAtLocation(node.expression), node, PASSED_ON);
    const given = givenBy(node);
    if (given === undefined) return;
    const wanted = checker.getContextualType(given);
    // Without a declared type, the value keeps its own. A returned one may be what a type parameter is inferred from.
    const isInferred =
      (ts.isReturnStatement(node) || ts.isArrowFunction(node)) &&
      ((wanted?.flags ?? 0) & ts.TypeFlags.TypeParameter) !== 0;
    if ((wanted !== undefined || ts.isJsxExpression(node)) && !isInferred) this.#passTo(given, wanted);
  }

  #findPassedArguments(node: ts.CallExpression | ts.NewExpression): void {
    const given = node.arguments ?? [];
    if (given.length === 0 || this.#tools.toolOf(node.expression) !== undefined) return;
    const signature = this.#checker.getResolvedSignature(node);
    for (const [index, argument] of given.entries()) {
      const expression = ts.isSpreadElement(argument) ? argument.expression : argument;
      if (!this.#holds(this.#checker.getTypeAtLocation(expression))) continue;
      this.#passTo(expression, this.#parameterType(signature, index, node));
    }
  }

  /** The type of a parameter; undefined if it accepts anything, such as `T` of a function that is not built in. */
  #parameterType(
    signature: ts.Signature | undefined,
    index: number,
    node: ts.CallExpression | ts.NewExpression,
  ): ts.Type | undefined {
    const parameters = signature?.parameters ?? [];
    const symbol = parameters[Math.min(index, parameters.length - 1)];
    const declaration = symbol?.valueDeclaration;
    if (symbol === undefined) return undefined;
    const type = this.#checker.getTypeOfSymbolAtLocation(symbol, node);
    if (declaration === undefined || !ts.isParameter(declaration)) return type;
    const isRest = declaration.dotDotDotToken !== undefined;
    const isBuiltIn = this.#program.isSourceFileDefaultLibrary(declaration.getSourceFile());
    const declared = declaration.type && this.#checker.getTypeFromTypeNode(declaration.type);
    if (!isBuiltIn && declared !== undefined && this.#hasParameter(declared, 0)) return undefined;
    return isRest ? (this.#checker.getIndexTypeOfType(type, ts.IndexKind.Number) ?? type) : type;
  }

  /** Whether a declared type is a type parameter, or a list or a promise of one. */
  #hasParameter(type: ts.Type, depth: number): boolean {
    if ((type.flags & ts.TypeFlags.TypeParameter) !== 0) return true;
    if (depth > DEEPEST) return false;
    const parts = type.isUnionOrIntersection() ? type.types : this.#argumentsOf(type);
    return parts.some((part) => this.#hasParameter(part, depth + 1));
  }

  #argumentsOf(type: ts.Type): readonly ts.Type[] {
    return isReference(type) ? this.#checker.getTypeArguments(type) : [];
  }

  #passTo(expression: ts.Expression, wanted: ts.Type | undefined): void {
    const given = this.#checker.getTypeAtLocation(expression);
    if (this.#holds(given)) this.#pass(given, wanted, expression, 0);
  }

  /** Records the reads of a value by code that expects another type. */
  #pass(given: ts.Type, wanted: ts.Type | undefined, node: ts.Node, depth: number): void {
    const [from, to] = [given, wanted].map((type) => (type === undefined ? [] : this.#partsOf(type)));
    if (from === undefined || to === undefined || given === wanted || !this.#holds(given)) return;
    if (wanted === undefined || depth > DEEPEST || to.some(isOpaque)) {
      this.#passOn(given, node, PASSED_ON);
      return;
    }
    for (const part of from) {
      if (to.includes(part)) continue;
      const items = itemTypes(part, this.#checker);
      if (items.length === 0 && this.#isBuiltIn(part)) {
        const same = to.find((target) => target.getSymbol() === part.getSymbol());
        const wantedArguments = same === undefined ? [] : this.#argumentsOf(same);
        for (const [index, argument] of this.#argumentsOf(part).entries())
          this.#pass(argument, wantedArguments[index], node, depth + 1);
        continue;
      }
      for (const target of to) {
        const wantedItems = itemTypes(target, this.#checker);
        for (const item of items)
          if (wantedItems.length === 0) this.#passOn(item, node, PASSED_ON, depth + 1);
          else for (const wantedItem of wantedItems) this.#pass(item, wantedItem, node, depth + 1);
        if (this.#isBuiltIn(part)) continue;
        if (items.length === 0 && wantedItems.length > 0) this.#passOn(part, node, PASSED_ON);
        else this.#passProperties(part, target, node, depth);
      }
    }
  }

  #passProperties(given: ts.Type, wanted: ts.Type, node: ts.Node, depth: number): void {
    for (const target of wanted.getProperties()) {
      const symbol = given.getProperty(target.getName());
      const isSame = symbol?.declarations?.[0] === target.declarations?.[0];
      if (symbol === undefined) continue;
      if (!isSame)
        for (const property of this.#origins.outputsOf(symbol))
          this.reads.push({ property, node, compares: [] });
      const types = [symbol, target].map((one) => this.#checker.getTypeOfSymbolAtLocation(one, node));
      const [own, other] = types;
      if (own !== undefined) this.#pass(own, other, node, depth + 1);
    }
  }

  /** Records that anything in a value may be read. */
  #passOn(type: ts.Type, node: ts.Node, reason: string, depth = 0): void {
    if (depth > DEEPEST || !this.#holds(type)) return;
    for (const part of this.#partsOf(type)) {
      const isBuiltIn = this.#isBuiltIn(part);
      const items = itemTypes(part, this.#checker);
      for (const each of items.length === 0 && isBuiltIn ? this.#argumentsOf(part) : items)
        this.#passOn(each, node, reason, depth + 1);
      if (!isBuiltIn)
        for (const symbol of part.getProperties()) {
          const own = this.#origins.outputsOf(symbol);
          this.escapes.push(...own.map((property) => ({ property, node, reason })));
          if (own.length === 0)
            this.#passOn(this.#checker.getTypeOfSymbolAtLocation(symbol, node), node, reason, depth + 1);
        }
    }
  }

  /** Whether a value of a type has output properties, directly or in a property, an item or a promise. */
  #holds(type: ts.Type, depth = 0): boolean {
    const known = this.#holding.get(type);
    if (known !== undefined) return known;
    if (depth > DEEPEST) return false;
    this.#holding.set(type, false);
    const found = this.#partsOf(type).some((part) => {
      const items = itemTypes(part, this.#checker);
      if (items.some((item) => this.#holds(item, depth + 1))) return true;
      if (this.#isBuiltIn(part)) return this.#argumentsOf(part).some((each) => this.#holds(each, depth + 1));
      return part
        .getProperties()
        .some(
          (symbol) =>
            this.#origins.outputsOf(symbol).length > 0 ||
            this.#holds(this.#checker.getTypeOfSymbol(symbol), depth + 1),
        );
    });
    if (found || depth === 0) this.#holding.set(type, found);
    else this.#holding.delete(type);
    return found;
  }

  #partsOf(type: ts.Type): readonly ts.Type[] {
    const awaited = this.#checker.getAwaitedType(type) ?? type;
    const parts = awaited.isUnion() ? awaited.types : [awaited];
    const isObject = ({ flags }: ts.Type): boolean =>
      (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
    return parts.filter((part) => isObject(part) || isOpaque(part));
  }

  #isBuiltIn(type: ts.Type): boolean {
    if (this.#checker.isArrayLikeType(type)) return true;
    const [declaration] = type.getSymbol()?.declarations ?? [];
    return declaration !== undefined && this.#program.isSourceFileDefaultLibrary(declaration.getSourceFile());
  }
}

/** The expression that a node gives to a place with a type of its own. */
function givenBy(node: ts.Node): ts.Expression | undefined {
  if (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node)) return node.type && node.initializer;
  if (ts.isArrowFunction(node)) return ts.isBlock(node.body) ? undefined : node.body;
  const isAssignment = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  if (isAssignment) return node.right;
  const isCast =
    ts.isAsExpression(node) || ts.isTypeAssertionExpression(node) || ts.isSatisfiesExpression(node);
  return isCast || ts.isJsxExpression(node) || ts.isReturnStatement(node) ? node.expression : undefined;
}

const PASSED_ON = "passes it on to code that may read any of it";
const LEAVES = "returns it from an export that no code of the project calls";

/** Finds what the compiler leaves out: of several errors in an object, it reports only the first. */
import { ts } from "ts-morph";
import { alternativesOf, isAround, propertyNameOf, typeOfExpression } from "./find-values.js";

/** A part of a value that does not have the type that is expected of it. */
interface Clash {
  /** The code that passes the part, or else the object around it. */
  readonly node: ts.Node;
  /** The names of the properties that lead from the node to the part. */
  readonly below: readonly string[];
  /** In the compiler's words. */
  readonly message: string;
  /** For a missing property, the properties beside it that the type does not have. */
  readonly unknown: readonly string[];
  /** The files that declare the expected type. */
  readonly related: readonly string[];
}

/** Returns the clashes of the value in which the compiler reports an error at a node; empty if that is not about a value. */
export function findClashes(
  error: ts.Node,
  checker: ts.TypeChecker,
): readonly (Clash & {
  /** The whole value. */
  readonly value: ts.Expression;
})[] {
  const value = valueAt(error);
  const wanted = value && checker.getContextualType(value);
  if (value === undefined || wanted === undefined) return [];
  const start = {
    expression: value,
    type: typeOfExpression(value, checker),
    node: placeOf(value),
    below: [],
  };
  return new ClashFinder(checker).find(start, wanted, 0).map((clash) => ({ ...clash, value }));
}

/** The whole value that is compared with a type: an argument, or what a variable gets. */
function valueAt(error: ts.Node): ts.Expression | undefined {
  if (ts.isReturnStatement(error)) return error.expression;
  const { parent } = error;
  if (isDeclaration(parent) && parent.name === error) return parent.initializer;
  if (isAssignment(parent) && parent.left === error) return parent.right;
  let at = error;
  while (isPart(at)) at = at.parent;
  return ts.isExpression(at) ? at : undefined;
}

/** Where the compiler reports an error about a whole value. */
function placeOf(value: ts.Expression): ts.Node {
  const { parent } = value;
  if (isDeclaration(parent)) return parent.name;
  if (isAssignment(parent)) return parent.left;
  return ts.isReturnStatement(parent) ? parent : value;
}

function isDeclaration(
  node: ts.Node,
): node is ts.VariableDeclaration | ts.PropertyDeclaration | ts.ParameterDeclaration {
  return ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isParameter(node);
}

function isAssignment(node: ts.Node): node is ts.BinaryExpression {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken;
}

function isPart(node: ts.Node): boolean {
  const { parent } = node;
  return (
    ts.isObjectLiteralElement(parent) ||
    ts.isObjectLiteralExpression(parent) ||
    ts.isArrayLiteralExpression(parent) ||
    (ts.isExpression(node) && isAround(parent, node))
  );
}

/** A limit for recursive types. */
const DEEPEST = 8;

interface Value {
  readonly type: ts.Type;
  /** Absent where only the type is known. */
  readonly expression?: ts.Expression | undefined;
  readonly node: ts.Node;
  readonly below: readonly string[];
}

class ClashFinder {
  readonly #checker: ts.TypeChecker;

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  find(value: Value, wanted: ts.Type, depth: number): readonly Clash[] {
    const checker = this.#checker;
    if (depth > DEEPEST) return [];
    const clashes = this.#findInside(value, wanted, depth + 1);
    if (clashes.length > 0 || checker.isTypeAssignableTo(value.type, wanted)) return clashes;
    const [given, expected] = [value.type, wanted].map((type) => checker.typeToString(type));
    const message = `Type '${given ?? ""}' is not assignable to type '${expected ?? ""}'.`;
    return [{ ...value, message, unknown: [], related: filesOf(wanted.aliasSymbol ?? wanted.getSymbol()) }];
  }

  #findInside(value: Value, wanted: ts.Type, depth: number): readonly Clash[] {
    const checker = this.#checker;
    const { type } = value;
    const literal = withoutParentheses(value.expression);
    const choices = literal === undefined ? [] : alternativesOf(literal);
    if (choices.length > 0)
      return choices.flatMap((expression) => {
        const chosen = checker.getNonNullableType(typeOfExpression(expression, checker));
        return this.find({ ...value, expression, type: chosen }, wanted, depth);
      });
    const item = checker.getIndexTypeOfType(checker.getNonNullableType(wanted), ts.IndexKind.Number);
    if (literal !== undefined && ts.isArrayLiteralExpression(literal) && item !== undefined)
      return literal.elements
        .filter((element) => !ts.isSpreadElement(element))
        .flatMap((element) => this.find(this.#valueOf(element, element), item, depth));
    if (literal !== undefined && ts.isObjectLiteralExpression(literal))
      return this.#findInObject(value, wanted, depth, literal.properties);
    if (type.isUnion())
      return withoutDuplicates(
        type.types
          .filter(isObject)
          .flatMap((part) => this.#findInside({ ...value, type: part }, wanted, depth)),
      );
    if (!isObject(type)) return [];
    const given = checker.isArrayLikeType(type) ? type.getNumberIndexType() : undefined;
    if (given === undefined) return this.#findInObject(value, wanted, depth, []);
    return item === undefined ? [] : this.find({ ...value, expression: undefined, type: given }, item, depth);
  }

  /** @param elements those of an object literal, whose names must be in the type */
  #findInObject(
    value: Value,
    wanted: ts.Type,
    depth: number,
    elements: readonly ts.ObjectLiteralElementLike[],
  ): readonly Clash[] {
    const checker = this.#checker;
    const { type, node, below } = value;
    const object = this.#closest(type, wanted);
    // An object with methods is not data: all methods of a promise clash if its value does.
    if (object === undefined || object.getProperties().some((symbol) => hasCalls(symbol, checker))) return [];
    const related = filesOf(object.aliasSymbol ?? object.getSymbol());
    const written = new Map(
      elements.flatMap((element) => {
        const name = element.name && propertyNameOf(element.name);
        return element.name === undefined || name === undefined
          ? []
          : [[name, { element, at: element.name }]];
      }),
    );
    const unknown = [...written.keys()].filter(
      (name) => !objectsIn(wanted).some((one) => declares(one, name)),
    );
    const clashes = [...written]
      .filter(([name]) => unknown.includes(name))
      .map(([name, { at }]): Clash => {
        const message = `'${name}' does not exist in type '${checker.typeToString(object)}'.`;
        return { node: at, below: [], message, unknown: [], related };
      });
    for (const symbol of object.getProperties()) {
      const name = symbol.getName();
      const expected = checker.getTypeOfSymbol(symbol);
      const own = type.getProperty(name);
      if (!isOptional(symbol) && (own === undefined || isOptional(own))) {
        const message = `Property '${name}' is missing in type '${checker.typeToString(type)}'.`;
        clashes.push({ node, below: [...below, name], message, unknown, related });
      } else if (own !== undefined) {
        const { element, at = node } = written.get(name) ?? {};
        const inner =
          element !== undefined && ts.isPropertyAssignment(element)
            ? this.#valueOf(element.initializer, at)
            : {
                // Of a shorthand, this is the narrowed type.
                type: checker.getTypeOfSymbol(own),
                node: at,
                below: element === undefined ? [...below, name] : [],
              };
        clashes.push(...this.find(inner, expected, depth));
      }
    }
    return clashes;
  }

  #valueOf(expression: ts.Expression, node: ts.Node): Value {
    return { expression, type: typeOfExpression(expression, this.#checker), node, below: [] };
  }

  /** The object type in a union of which a value has most properties. */
  #closest(type: ts.Type, wanted: ts.Type): ts.Type | undefined {
    const checker = this.#checker;
    const countFitting = (object: ts.Type): number =>
      object.getProperties().filter((symbol) => {
        const own = type.getProperty(symbol.getName());
        return (
          own !== undefined &&
          checker.isTypeAssignableTo(checker.getTypeOfSymbol(own), checker.getTypeOfSymbol(symbol))
        );
      }).length;
    const [first, ...others] = objectsIn(wanted);
    if (first === undefined || others.length === 0) return first;
    return [first, ...others].toSorted((a, b) => countFitting(b) - countFitting(a))[0];
  }
}

function withoutParentheses(expression: ts.Expression | undefined): ts.Expression | undefined {
  return expression !== undefined && ts.isParenthesizedExpression(expression)
    ? withoutParentheses(expression.expression)
    : expression;
}

function objectsIn(type: ts.Type): readonly ts.Type[] {
  return (type.isUnion() ? type.types : [type]).filter(isObject);
}

function isObject({ flags }: ts.Type): boolean {
  return (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
}

function isOptional({ flags }: ts.Symbol): boolean {
  return (flags & ts.SymbolFlags.Optional) !== 0;
}

function hasCalls(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  return checker.getTypeOfSymbol(symbol).getCallSignatures().length > 0;
}

/** Whether a literal of this type may have a property. */
function declares(type: ts.Type, name: string): boolean {
  const isNamed = type.getProperty(name) !== undefined || type.getProperties().length === 0;
  return isNamed || type.getStringIndexType() !== undefined;
}

function filesOf(symbol: ts.Symbol | undefined): readonly string[] {
  return (symbol?.declarations ?? []).map((declaration) => declaration.getSourceFile().fileName);
}

function withoutDuplicates(clashes: readonly Clash[]): readonly Clash[] {
  const isSame = (a: Clash, b: Clash): boolean =>
    a.node === b.node && a.below.join("/") === b.below.join("/");
  return clashes.filter((one, index) => clashes.findIndex((other) => isSame(one, other)) === index);
}

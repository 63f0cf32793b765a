/** Finds the properties that names and types in code refer to. */
import { ts } from "ts-morph";
import { followAlias } from "./syntax.js";

/**
 * Returns the declarations that a property comes from. A property of a class or interface comes from the types that it
 * implements or extends; a property of a union, an intersection or a spread comes from all parts.
 */
export function originsOf(symbol: ts.Symbol, checker: ts.TypeChecker): readonly ts.Declaration[] {
  const found = new Set<ts.Declaration>();
  const seen = new Set<ts.Symbol>();
  const follow = (next: ts.Symbol): void => {
    if (seen.has(next)) return;
    seen.add(next);
    for (const root of checker.getRootSymbols(followAlias(next, checker)))
      for (const declaration of root.declarations ?? []) {
        const bases = basesOf(declaration.parent, next.name, checker);
        if (bases.length === 0) found.add(declaration);
        else bases.forEach(follow);
      }
  };
  follow(symbol);
  return [...found];
}

function basesOf(owner: ts.Node, name: string, checker: ts.TypeChecker): readonly ts.Symbol[] {
  if (!ts.isClassLike(owner) && !ts.isInterfaceDeclaration(owner)) return [];
  return (owner.heritageClauses ?? [])
    .flatMap(({ types }) => types)
    .flatMap((type) => checker.getPropertyOfType(checker.getTypeAtLocation(type), name) ?? []);
}

/** The properties that a name means: a key of an object literal has one in each type that is expected of it. */
export function propertiesNamedBy(node: ts.Node, checker: ts.TypeChecker): readonly ts.Symbol[] {
  const owner = ts.isComputedPropertyName(node.parent) ? node.parent : node;
  const { parent } = owner;
  if (
    ts.isObjectLiteralElement(parent) &&
    parent.name === owner &&
    ts.isObjectLiteralExpression(parent.parent)
  ) {
    const expected = propertiesExpectedOf(parent, checker);
    if (expected.length > 0) return expected;
  }
  if (ts.isBindingElement(parent) && (parent.propertyName ?? parent.name) === owner)
    return propertiesBoundBy(parent, checker);
  const found = checker.getSymbolAtLocation(node);
  if (found === undefined) return [];
  const isRead = ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent);
  const others = isRead
    ? propertiesOf(checker.getTypeAtLocation(parent.expression), found.name, checker)
    : [];
  return [found, ...others];
}

/** The properties of a name in all parts of a type, and in all types that an interface extends. */
function propertiesOf(type: ts.Type, name: string, checker: ts.TypeChecker): readonly ts.Symbol[] {
  return unionMembersOf(checker.getNonNullableType(type)).flatMap((part) => {
    const owners = part.getSymbol()?.declarations ?? [];
    const own = checker.getPropertyOfType(part, name);
    return [...owners.flatMap((owner) => basesOf(owner, name, checker)), ...(own === undefined ? [] : [own])];
  });
}

/** The properties that an object literal's key has in the types that are expected of the literal. */
export function propertiesExpectedOf(
  { name, parent }: ts.ObjectLiteralElement,
  checker: ts.TypeChecker,
): readonly ts.Symbol[] {
  const type = ts.isObjectLiteralExpression(parent) ? checker.getContextualType(parent) : undefined;
  const key = name !== undefined && ts.isComputedPropertyName(name) ? name.expression : name;
  if (type === undefined || key === undefined || !(ts.isIdentifier(key) || ts.isStringLiteralLike(key)))
    return [];
  if (key !== name && ts.isIdentifier(key)) return [];
  return propertiesOf(type, key.text, checker);
}

/** The properties that `{ status }` takes from an object. */
export function propertiesBoundBy(
  { name, propertyName, parent }: ts.BindingElement,
  checker: ts.TypeChecker,
): readonly ts.Symbol[] {
  const key = propertyName ?? name;
  if (!ts.isObjectBindingPattern(parent) || !(ts.isIdentifier(key) || ts.isStringLiteral(key))) return [];
  return propertiesOf(checker.getTypeAtLocation(parent), key.text, checker);
}

/** The members of a union, or else the type itself. */
export function unionMembersOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}

/** Whether a type declares a property: a type parameter may be inferred from the object itself. */
export function isDeclared(element: ts.ObjectLiteralElement, checker: ts.TypeChecker): boolean {
  return propertiesExpectedOf(element, checker)
    .flatMap((symbol) => originsOf(symbol, checker))
    .some((declaration) => !ts.isObjectLiteralElement(declaration));
}

/** A limit for aliases of aliases. */
const DEEPEST = 8;

/** Returns the properties that a type needs: `Order["note"]`, `Pick<Order, "note">`, `typeof order.note`. */
export function propertiesNeededBy(node: ts.Node, checker: ts.TypeChecker): readonly ts.Symbol[] {
  if (ts.isQualifiedName(node)) {
    const symbol = checker.getSymbolAtLocation(node.right);
    return symbol === undefined ? [] : [symbol];
  }
  if (ts.isIndexedAccessTypeNode(node)) return select(node.objectType, node.indexType, checker);
  if (!ts.isTypeReferenceNode(node) && !ts.isExpressionWithTypeArguments(node)) return [];
  const given = node.typeArguments ?? [];
  if (given.length < 2) return [];
  const name = ts.isTypeReferenceNode(node) ? node.typeName : node.expression;
  const alias = declarationsOf(name, checker).find(ts.isTypeAliasDeclaration);
  const parameters: readonly ts.TypeParameterDeclaration[] = alias?.typeParameters ?? [];
  return parameters.flatMap(({ constraint }, index) => {
    // As `K extends keyof T` in `Pick<T, K>`.
    if (constraint === undefined || !ts.isTypeOperatorNode(constraint)) return [];
    const owner = constraint.type.getText();
    const object = given[parameters.findIndex((other) => other.name.text === owner)];
    const keys = given[index];
    return object === undefined || keys === undefined ? [] : select(object, keys, checker);
  });
}

/** Returns the properties whose type a type is: `Order["status"]`, directly or through names of types. */
export function propertiesTyped(node: ts.TypeNode, checker: ts.TypeChecker, depth = 0): readonly ts.Symbol[] {
  if (depth > DEEPEST) return [];
  if (ts.isParenthesizedTypeNode(node)) return propertiesTyped(node.type, checker, depth + 1);
  if (ts.isIndexedAccessTypeNode(node)) return propertiesNeededBy(node, checker);
  if (ts.isTypeQueryNode(node)) return propertiesNeededBy(node.exprName, checker);
  if (!ts.isTypeReferenceNode(node)) return [];
  const [inner] = node.typeArguments ?? [];
  if (inner !== undefined)
    return FILTERS.has(node.typeName.getText()) ? propertiesTyped(inner, checker, depth + 1) : [];
  return declarationsOf(node.typeName, checker).flatMap((declaration) =>
    ts.isTypeAliasDeclaration(declaration) ? propertiesTyped(declaration.type, checker, depth + 1) : [],
  );
}

/** Types that keep some values of their first argument. */
const FILTERS: ReadonlySet<string> = new Set(["NonNullable", "Exclude", "Extract"]);

/** Returns the type of the keys of a type: `K` of `Record<K, V>`, `Partial<Record<K, V>>` and `{ [P in K]: V }`. */
export function keyTypeOf(node: ts.TypeNode): ts.TypeNode | undefined {
  if (ts.isMappedTypeNode(node)) return node.typeParameter.constraint;
  const [first] = ts.isTypeReferenceNode(node) ? (node.typeArguments ?? []) : [];
  if (!ts.isTypeReferenceNode(node) || first === undefined) return undefined;
  const name = node.typeName.getText();
  if (name === "Record") return first;
  return name === "Partial" || name === "Readonly" || name === "Required" ? keyTypeOf(first) : undefined;
}

function select(object: ts.TypeNode, keys: ts.TypeNode, checker: ts.TypeChecker): readonly ts.Symbol[] {
  // `keyof Order` has the names that there are, and needs no certain one.
  if (hasKeyof(keys)) return [];
  const key = checker.getTypeFromTypeNode(keys);
  const type = checker.getNonNullableType(checker.getTypeFromTypeNode(object));
  return unionMembersOf(key).flatMap((one) =>
    one.isStringLiteral() ? unionMembersOf(type).flatMap((part) => part.getProperty(one.value) ?? []) : [],
  );
}

function hasKeyof(node: ts.Node): boolean {
  const isKeyof = ts.isTypeOperatorNode(node) && node.operator === ts.SyntaxKind.KeyOfKeyword;
  return isKeyof || ts.forEachChild(node, (child) => hasKeyof(child) || undefined) === true;
}

function declarationsOf(name: ts.Node, checker: ts.TypeChecker): readonly ts.Declaration[] {
  const symbol = checker.getSymbolAtLocation(name);
  return symbol === undefined ? [] : (followAlias(symbol, checker).declarations ?? []);
}

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

/** Finds the properties that names and types in code refer to. */
import { ts } from "ts-morph";
import { followAlias } from "./syntax.js";

/** The members of a union, or else the type itself. */
function unionMembersOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
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

import { ts } from "ts-morph";
import type { Rename } from "../../core/rename.js";
import { isEquality, unwrap } from "../syntax.js";
import { isAround } from "../find-values.js";
import { originsOf, propertiesBoundBy, propertiesExpectedOf, propertiesNamedBy } from "../properties.js";
import {
  type AddEdits,
  type CodeLocation,
  editName,
  editText,
  findLocations,
  nameAt,
  type OpenedCode,
} from "./open-code.js";
import { findToolCalls, findPassedAt, type LeftoverNode } from "./find-leftovers.js";
import type { RenamedProperties, ValueRenames } from "./renamed-declarations.js";

/**
 * Adds the edits of renamed properties, and returns the places that keep their name, such as those of a property
 * that also belongs to another type. Names in strings are left out.
 */
export function renamePropertiesInCode(
  opened: OpenedCode,
  { targets, properties }: RenamedProperties,
  { before }: CodeLocation,
  { add, use }: { readonly add: AddEdits; readonly use: (rename: Rename) => void },
): readonly LeftoverNode[] {
  const { program, users, folder } = opened;
  const checker = program.getTypeChecker();
  const left: LeftoverNode[] = [];
  const renamed = targets.filter(({ rename }) => rename.kind === "property");
  for (const { rename, names } of renamed)
    for (const name of names)
      for (const { fileName, textSpan, prefixText, suffixText } of findLocations(opened, name, true)) {
        const file = program.getSourceFile(fileName);
        if (file === undefined || fileName.startsWith(`${folder}/`)) continue;
        use(rename);
        const node = nameAt(file, textSpan.start, textSpan.length);
        const at = { ...textSpan, prefix: prefixText ?? "", suffix: suffixText ?? "" };
        const isShared = propertiesNamedBy(node, checker).some((symbol) =>
          originsOf(symbol, checker).some((one) => properties.get(one)?.after !== rename.after),
        );
        const edit = isShared ? undefined : editName(file, at, rename.after);
        if (edit !== undefined) add(rename, fileName, [edit]);
        else left.push({ node, message: describeKept(node, isShared, rename.after) });
      }
  const calls = renamed.length === 0 ? [] : findToolCalls(users, program, { tools: before.tools, folder });
  // An object in a variable has no edit, and is left for a person.
  for (const { rename, tool, place } of renamed)
    for (const call of place.side === "output" ? [] : calls)
      if (call.tool === tool && findPassedAt(call.node, place, checker).length > 0) use(rename);
  return left;
}

function describeKept(node: ts.Node, isShared: boolean, to: string): string {
  const name = `\`${node.getText()}\``;
  return isShared
    ? `${name} also belongs to another type, so it keeps its name`
    : `${name} cannot be renamed to ${JSON.stringify(to)} here`;
}

/**
 * Adds the edits of renamed values: of the literals that the user's code passes as one of the properties, or compares with
 * one. A literal that reaches a property through a variable stays; the compiler reports it afterwards.
 *
 * @returns the literals that are values of other properties
 */
export function renameValues(
  { files, program }: OpenedCode,
  renames: ValueRenames,
  add: AddEdits,
): ReadonlySet<ts.Node> {
  const ofOthers = new Set<ts.Node>();
  const names = new Set([...renames.values()].flatMap((values) => [...values.keys()]));
  const checker = program.getTypeChecker();
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && names.has(node.text)) {
      const declarations = propertiesFor(node, checker).flatMap((symbol) => symbol.declarations ?? []);
      const values = declarations.map((one) => renames.get(one)?.get(node.text));
      const [first] = values;
      const isTyped = declarations.some((one) => !ts.isObjectLiteralElement(one));
      if (isTyped && values.every((one) => one === undefined)) ofOthers.add(node);
      // A property that also belongs to another type is not certain.
      if (first !== undefined && values.every((one) => one?.after === first.after)) {
        add(first, node.getSourceFile().fileName, [editText(node, first.after)]);
      }
    }
    ts.forEachChild(node, visit);
  };
  if (names.size > 0) files.forEach(visit);
  return ofOthers;
}

/** The properties that have an expression as their value, or are compared with it. */
function propertiesFor(node: ts.Expression, checker: ts.TypeChecker): readonly ts.Symbol[] {
  const { parent } = node;
  if (isTransparent(parent, node)) return propertiesFor(parent, checker);
  if (ts.isArrayLiteralExpression(parent)) {
    const own = propertiesFor(parent, checker);
    return own.length > 0 ? own : searchedIn(parent, checker);
  }
  if (ts.isPropertyAssignment(parent) && parent.initializer === node)
    return propertiesExpectedOf(parent, checker);
  if (ts.isBinaryExpression(parent) && parent.right === node && isAssignment(parent))
    return readBy(parent.left, checker);
  if (ts.isBinaryExpression(parent) && isEquality(parent.operatorToken.kind))
    return readBy(parent.left === node ? parent.right : parent.left, checker);
  if (ts.isCaseClause(parent)) return readBy(parent.parent.parent.expression, checker);
  if (ts.isBindingElement(parent) && parent.initializer === node) return propertiesBoundBy(parent, checker);
  if (!ts.isCallExpression(parent) || !parent.arguments.includes(node)) return [];
  const list = parent.arguments[0] === node ? listSearchedBy(parent) : undefined;
  return list === undefined ? [] : readBy(list, checker);
}

/** The property that a list is searched for: `["open", "paid"].includes(order.status)`. */
function searchedIn(list: ts.ArrayLiteralExpression, checker: ts.TypeChecker): readonly ts.Symbol[] {
  const call = list.parent.parent;
  return ts.isCallExpression(call) && listSearchedBy(call) === list ? readBy(call.arguments[0], checker) : [];
}

/** The property that an expression reads, directly or from a variable that was read from it. */
function readBy(given: ts.Expression | undefined, checker: ts.TypeChecker): readonly ts.Symbol[] {
  if (given === undefined) return [];
  const expression = unwrap(given);
  if (ts.isPropertyAccessExpression(expression)) return propertiesNamedBy(expression.name, checker);
  if (ts.isElementAccessExpression(expression)) {
    const { argumentExpression: key } = expression;
    // `next[order.state]` reads from `next`; only an index leads to an item of a list.
    if (ts.isStringLiteralLike(key)) return propertiesNamedBy(key, checker);
    const isIndex = (checker.getTypeAtLocation(key).flags & ts.TypeFlags.NumberLike) !== 0;
    return isIndex ? readBy(expression.expression, checker) : [];
  }
  const declaration = ts.isIdentifier(expression)
    ? checker.getSymbolAtLocation(expression)?.valueDeclaration
    : undefined;
  if (declaration !== undefined && ts.isBindingElement(declaration))
    return propertiesBoundBy(declaration, checker);
  return declaration !== undefined && ts.isVariableDeclaration(declaration) && hasTypeOfValue(declaration)
    ? readBy(declaration.initializer, checker)
    : [];
}

/** Whether a variable only has the values of its initializer: also `const state: string = order.state`. */
function hasTypeOfValue({ type, parent }: ts.VariableDeclaration): boolean {
  return (
    type === undefined ||
    (type.kind === ts.SyntaxKind.StringKeyword && (parent.flags & ts.NodeFlags.Const) !== 0)
  );
}

/** Whether an expression around another has its value: also `as const` and `satisfies`. */
function isTransparent(parent: ts.Node, node: ts.Expression): parent is ts.Expression {
  return ts.isAsExpression(parent) || ts.isSatisfiesExpression(parent) || isAround(parent, node);
}

function isAssignment({ operatorToken }: ts.BinaryExpression): boolean {
  return operatorToken.kind === ts.SyntaxKind.EqualsToken;
}

/** The list in which a call looks for a value, as in `tags.includes("new")`. */
function listSearchedBy({ expression }: ts.CallExpression): ts.Expression | undefined {
  const callee = unwrap(expression);
  return ts.isPropertyAccessExpression(callee) && SEARCHES.has(callee.name.text)
    ? callee.expression
    : undefined;
}

const SEARCHES: ReadonlySet<string> = new Set(["includes", "indexOf", "lastIndexOf"]);

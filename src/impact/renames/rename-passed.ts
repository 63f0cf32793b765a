import { ts } from "ts-morph";
import type { TextEdit } from "../../contract/text-edit.js";
import type { Step } from "../change-place.js";
import { editName } from "./edit-name.js";
import { findValues, isAround, nameOf } from "../find-values.js";

/** A renamed property of a tool's arguments. */
interface ArgumentRename {
  /** Leads to the property by its old name. */
  readonly steps: readonly Step[];
  readonly after: string;
  /** The calls of the tool. */
  readonly calls: ReadonlySet<ts.CallExpression>;
}

/**
 * Returns the edits of a renamed property in objects that reach the tool through variables and spreads, which the compiler
 * does not connect with the tool's types: `const page = { limit: 5 }; await find({ ...page, id });`. Only what is certain is
 * edited: an object that reaches nothing but the renamed argument.
 */
export function renamePassed(
  rename: ArgumentRename,
  checker: ts.TypeChecker,
): ReadonlyMap<ts.SourceFile, readonly TextEdit[]> {
  const follower = new ObjectFollower(rename, checker);
  const edits = new Map<ts.SourceFile, TextEdit[]>();
  for (const {
    arguments: [argument],
  } of rename.calls)
    for (const { node } of argument === undefined ? [] : findValues(argument, rename.steps, checker)) {
      const literal = node.parent.parent;
      if (!ts.isObjectLiteralElement(node.parent) || !ts.isObjectLiteralExpression(literal)) continue;
      const file = node.getSourceFile();
      const found = follower.follow(literal, rename.steps.slice(0, -1));
      const names = found === undefined ? [] : [node, ...found];
      edits.set(file, [
        ...(edits.get(file) ?? []),
        ...names.flatMap((name) => editKey(name, rename.after) ?? []),
      ]);
    }
  return edits;
}

/** The edit of a property's name. In `{ limit }`, the variable keeps its name. */
export function editKey(node: ts.Node, to: string): TextEdit | undefined {
  const { parent } = node;
  const file = node.getSourceFile();
  const quote = ts.isStringLiteralLike(node) ? 1 : 0;
  const start = node.getStart(file) + quote;
  const isShort =
    ts.isShorthandPropertyAssignment(parent) ||
    (ts.isBindingElement(parent) && parent.propertyName === undefined);
  const suffix = isShort ? `: ${node.getText(file)}` : "";
  return editName(file, { start, length: node.getEnd() - quote - start, suffix }, to);
}

/** Follows an object to all places that it reaches. */
class ObjectFollower {
  readonly #rename: ArgumentRename;
  readonly #checker: ts.TypeChecker;
  readonly #name: string;
  readonly #followed = new Set<ts.Node>();

  constructor(rename: ArgumentRename, checker: ts.TypeChecker) {
    this.#rename = rename;
    this.#checker = checker;
    const last = rename.steps.at(-1);
    this.#name = last === undefined || last === "item" ? "" : last.property;
  }

  /**
   * Returns the other names of the property where code reads or writes it in the object; undefined if the object also
   * reaches anything but the renamed argument.
   *
   * @param steps lead from the argument to the object
   */
  follow(expression: ts.Expression, steps: readonly Step[]): readonly ts.Node[] | undefined {
    const { parent } = expression;
    const isConst = ts.isAsExpression(parent) && ts.isConstTypeReference(parent.type);
    if (isConst || isAround(parent, expression)) return this.follow(parent, steps);
    if (ts.isCallExpression(parent))
      return steps.length === 0 && parent.arguments[0] === expression && this.#rename.calls.has(parent)
        ? []
        : undefined;
    if (ts.isSpreadAssignment(parent)) return this.follow(parent.parent, steps);
    const last = steps.at(-1);
    if (ts.isArrayLiteralExpression(parent))
      return last === "item" ? this.follow(parent, steps.slice(0, -1)) : undefined;
    if (ts.isPropertyAssignment(parent) || ts.isShorthandPropertyAssignment(parent)) {
      const isOnPath = last !== undefined && last !== "item" && nameOf(parent.name) === last.property;
      return isOnPath ? this.follow(parent.parent, steps.slice(0, -1)) : undefined;
    }
    return ts.isVariableDeclaration(parent) ? this.#followVariable(parent, steps) : undefined;
  }

  #followVariable(
    { name, type, parent }: ts.VariableDeclaration,
    steps: readonly Step[],
  ): readonly ts.Node[] | undefined {
    const statement = parent.parent;
    const isOwn = ts.isVariableStatement(statement) && statement.modifiers === undefined;
    if (!isOwn || (parent.flags & ts.NodeFlags.Const) === 0 || type !== undefined || !ts.isIdentifier(name))
      return undefined;
    if (this.#followed.has(name)) return [];
    this.#followed.add(name);
    const found: ts.Node[] = [];
    for (const reference of this.#referencesTo(name)) {
      const names = this.#namesAt(reference, steps) ?? this.follow(reference, steps);
      if (names === undefined) return undefined;
      found.push(...names);
    }
    return found;
  }

  /** The names of the property in `page.limit` and `const { limit } = page`; undefined for any other use of the object. */
  #namesAt(reference: ts.Identifier, steps: readonly Step[]): readonly ts.Node[] | undefined {
    if (steps.length !== this.#rename.steps.length - 1) return undefined;
    const { parent } = reference;
    if (ts.isPropertyAccessExpression(parent)) return parent.name.text === this.#name ? [parent.name] : [];
    if (ts.isElementAccessExpression(parent) && ts.isStringLiteralLike(parent.argumentExpression))
      return parent.argumentExpression.text === this.#name ? [parent.argumentExpression] : [];
    if (!ts.isVariableDeclaration(parent) || !ts.isObjectBindingPattern(parent.name)) return undefined;
    const { elements } = parent.name;
    if (elements.some(({ dotDotDotToken }) => dotDotDotToken !== undefined)) return undefined;
    return elements.flatMap(({ name, propertyName = name }) =>
      (ts.isIdentifier(propertyName) || ts.isStringLiteral(propertyName)) && propertyName.text === this.#name
        ? [propertyName]
        : [],
    );
  }

  #referencesTo(name: ts.Identifier): readonly ts.Identifier[] {
    const symbol = this.#checker.getSymbolAtLocation(name);
    const found: ts.Identifier[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node) && node !== name && node.text === name.text && this.#valueAt(node) === symbol)
        found.push(node);
      ts.forEachChild(node, visit);
    };
    visit(name.getSourceFile());
    return found;
  }

  #valueAt(node: ts.Identifier): ts.Symbol | undefined {
    return ts.isShorthandPropertyAssignment(node.parent)
      ? this.#checker.getShorthandAssignmentValueSymbol(node.parent)
      : this.#checker.getSymbolAtLocation(node);
  }
}

/** The edits of names in strings, which the language service leaves: of modules, and of properties. */
import { posix } from "node:path";
import { ts } from "ts-morph";
import type { Rename } from "../../core/rename.js";
import { type AddEdits, editKey, editText, type OpenedCode, type PlacedToolRename } from "./open-code.js";
import { forEachChildOrDoc, unwrap } from "../syntax.js";
import { originsOf, unionMembersOf } from "../properties.js";
import type { RenamedProperties } from "./renamed-declarations.js";

interface StringRenames {
  /** Renamed tools by the path of their module. */
  readonly modules: ReadonlyMap<string, PlacedToolRename>;
  readonly properties: RenamedProperties["properties"];
}

/** Adds the edits of names in the strings of the user's files. */
export function renameStrings(opened: OpenedCode, renames: StringRenames, add: AddEdits): void {
  const renamer = new StringRenamer(opened, renames, add);
  for (const file of opened.files) renamer.visit(file, undefined);
}

class StringRenamer {
  readonly #opened: OpenedCode;
  readonly #renames: StringRenames;
  readonly #add: AddEdits;
  readonly #checker: ts.TypeChecker;
  /** The last parts of the modules' paths, and all names that strings may be. */
  readonly #stems: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;

  constructor(opened: OpenedCode, renames: StringRenames, add: AddEdits) {
    const { modules, properties } = renames;
    this.#opened = opened;
    this.#renames = renames;
    this.#add = add;
    this.#checker = opened.program.getTypeChecker();
    this.#stems = new Set([...modules.keys()].map(stemOf));
    this.#names = new Set([
      ...[...modules.values()].flatMap(({ names }) => [...names.keys()]),
      ...[...properties.values()].map(({ before }) => before),
    ]);
  }

  /** @param owner the type whose keys the literal types below a type argument name */
  visit(node: ts.Node, owner: ts.TypeNode | undefined): void {
    if (ts.isStringLiteralLike(node)) this.#visitString(node, owner);
    if (ts.isCallExpression(node)) this.#visitMock(node);
    if (ts.isPropertyAssignment(node) || ts.isMethodDeclaration(node)) this.#visitKey(node);
    const hasArguments = ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node);
    const [own] = hasArguments ? (node.typeArguments ?? []) : [];
    const of = ts.isIndexedAccessTypeNode(node) ? node.objectType : own;
    const isBelow = ts.isUnionTypeNode(node) || ts.isLiteralTypeNode(node);
    forEachChildOrDoc(node, (child) => {
      this.visit(child, of !== undefined && child !== of ? of : isBelow ? owner : undefined);
      return false;
    });
  }

  #visitString(node: ts.StringLiteralLike, owner: ts.TypeNode | undefined): void {
    if (mayNameModule(node) && this.#stems.has(stemOf(node.text))) {
      const module = this.#renames.modules.get(this.#resolve(node) ?? "");
      const stem = module === undefined ? "" : stemOf(module.after.path);
      const text = node.text.replace(/[^/]*$/, (last) => last.replace(stemOf(last), () => stem));
      if (module !== undefined && text !== node.text) this.#replace(node, text, module.rename);
    }
    if (!this.#names.has(node.text)) return;
    const { parent } = node;
    if (owner !== undefined && ts.isLiteralTypeNode(parent)) {
      const type = ts.isTypeOperatorNode(owner) ? owner.type : owner;
      this.#renameKey(node, this.#checker.getTypeFromTypeNode(type));
    }
    if (
      ts.isBinaryExpression(parent) &&
      parent.operatorToken.kind === ts.SyntaxKind.InKeyword &&
      parent.left === node
    )
      this.#renameKey(node, this.#checker.getTypeAtLocation(parent.right));
    // `orders.at(-1)?.["total"]`
    if (ts.isElementAccessExpression(parent) && parent.argumentExpression === node)
      this.#renameKey(node, this.#checker.getTypeAtLocation(parent.expression));
    const argument = ts.isArrayLiteralExpression(parent) ? parent : node;
    if (ts.isCallExpression(argument.parent) && argument.parent.expression !== argument)
      this.#visitArgument(node, argument.parent);
  }

  /** Renames the property that a call looks for in an object, if its types say so: `Object.hasOwn(order, "total")`. */
  #visitArgument(node: ts.StringLiteralLike, { expression, arguments: [first] }: ts.CallExpression): void {
    const isMethod = ts.isPropertyAccessExpression(expression);
    const wanted = this.#checker.getContextualType(node);
    for (const object of [
      ...(isMethod ? [expression.expression] : []),
      ...(first === undefined ? [] : [first]),
    ]) {
      const type = this.#checker.getTypeAtLocation(object);
      const rename = this.#findKey(node.text, type);
      if (rename === undefined) continue;
      const isKey =
        (isMethod && /^hasOwn(?:Property)?$/.test(expression.name.text)) ||
        (wanted !== undefined &&
          unionMembersOf(wanted).every(
            (part) => part.isStringLiteral() && type.getProperty(part.value) !== undefined,
          ));
      if (isKey) this.#replace(node, rename.to, rename.rename);
      return;
    }
  }

  /** Renames the exports of a mocked module: `vi.mock("./get-order.js", () => ({ getOrder }))`. */
  #visitMock({ arguments: [first, ...others] }: ts.CallExpression): void {
    const factory = others.find((one) => ts.isArrowFunction(one) || ts.isFunctionExpression(one));
    if (factory === undefined || first === undefined || !ts.isStringLiteralLike(first)) return;
    const target = this.#resolve(first);
    if (target?.startsWith(`${this.#opened.folder}/`) !== true) return;
    const module = this.#opened.program.getSourceFile(target);
    const symbol = module === undefined ? undefined : this.#checker.getSymbolAtLocation(module);
    if (symbol === undefined) return;
    const exported = this.#checker.getTypeOfSymbol(symbol);
    for (const { properties } of returnedBy(factory))
      for (const { name } of properties) if (name !== undefined) this.#editKey(name, exported);
  }

  /** Renames the key of a tool in an object with the type of the generated module: `const fake: Pick<Tools, "getOrder">`. */
  #visitKey({ name, parent }: ts.PropertyAssignment | ts.MethodDeclaration): void {
    const type = ts.isObjectLiteralExpression(parent) ? this.#typeOf(parent) : undefined;
    if (type !== undefined) this.#editKey(name, type);
  }

  #editKey(name: ts.PropertyName, owner: ts.Type): void {
    if (!(ts.isIdentifier(name) || ts.isStringLiteralLike(name)) || !this.#names.has(name.text)) return;
    const found = this.#findKey(name.text, owner);
    const edit = found === undefined ? undefined : editKey(name, found.to);
    if (found !== undefined && edit !== undefined)
      this.#add(found.rename, name.getSourceFile().fileName, [edit]);
  }

  /** The type that is expected of an object, or that it is said to have: `{ … } as unknown as Tools`. */
  #typeOf(object: ts.Expression): ts.Type | undefined {
    let outer = object;
    while (ts.isAsExpression(outer.parent) || ts.isParenthesizedExpression(outer.parent))
      outer = outer.parent;
    return outer !== object && ts.isAsExpression(outer)
      ? this.#checker.getTypeFromTypeNode(outer.type)
      : this.#checker.getContextualType(object);
  }

  #renameKey(node: ts.StringLiteralLike, owner: ts.Type): void {
    const found = this.#findKey(node.text, owner);
    if (found !== undefined) this.#replace(node, found.to, found.rename);
  }

  /** The rename of a property of a type, if all parts of a union that have the property rename it alike. */
  #findKey(name: string, owner: ts.Type): { readonly to: string; readonly rename: Rename } | undefined {
    const symbols = unionMembersOf(this.#checker.getNonNullableType(owner)).flatMap(
      (part) => this.#checker.getPropertyOfType(part, name) ?? [],
    );
    const found = symbols
      .flatMap((symbol) => originsOf(symbol, this.#checker))
      .map((declaration) => {
        const tool = this.#renames.modules.get(declaration.getSourceFile().fileName);
        const to = tool?.names.get(name);
        if (tool !== undefined && to !== undefined && !ts.isPropertySignature(declaration))
          return to === name ? undefined : { to, rename: tool.rename };
        const rename = this.#renames.properties.get(declaration);
        return rename && { to: rename.after, rename };
      });
    const [rename] = found;
    return found.every((one) => one?.to === rename?.to) ? rename : undefined;
  }

  #replace(node: ts.StringLiteralLike, text: string, rename: Rename): void {
    this.#add(rename, node.getSourceFile().fileName, [editText(node, text)]);
  }

  #resolve(node: ts.StringLiteralLike): string | undefined {
    return this.#opened.resolve(node.text, node.getSourceFile().fileName);
  }
}

function stemOf(path: string): string {
  return posix.basename(path).replace(/\.[cm]?[jt]s$/, "");
}

/** Whether a string is the module of an import or an export, or may be one: the first argument of a call. */
function mayNameModule(node: ts.StringLiteralLike): boolean {
  const { parent } = node;
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)) return true;
  if (ts.isLiteralTypeNode(parent)) return ts.isImportTypeNode(parent.parent);
  return ts.isCallExpression(parent) && parent.arguments[0] === node;
}

function returnedBy({
  body,
}: ts.ArrowFunction | ts.FunctionExpression): readonly ts.ObjectLiteralExpression[] {
  const returned = ts.isBlock(body)
    ? body.statements.flatMap((one) => (ts.isReturnStatement(one) ? (one.expression ?? []) : []))
    : [body];
  return returned.map(unwrap).filter(ts.isObjectLiteralExpression);
}

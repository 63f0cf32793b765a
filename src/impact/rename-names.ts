/** The edits of names that the language service leaves. */
import { posix } from "node:path";
import { ts } from "ts-morph";
import type { TextEdit } from "../contract/text-edit.js";

/** The edits of module names that lead to a renamed tool's module. */
export function renameModule(
  path: string,
  program: ts.Program,
  target: string,
  [from, to]: readonly [string, string],
): readonly TextEdit[] {
  const file = program.getSourceFile(path);
  if (file === undefined) return [];
  const [old, now] = [from, to].map((each) => posix.basename(each, ".ts"));
  const checker = program.getTypeChecker();
  const edits: TextEdit[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && isModuleName(node)) {
      const symbol = checker.getSymbolAtLocation(node);
      const resolved = symbol?.declarations?.[0]?.getSourceFile().fileName;
      const text = node.text.replace(
        new RegExp(`(^|/)${old ?? ""}(?=(?:\\.[cm]?[jt]s)?$)`),
        `$1${now ?? ""}`,
      );
      if (resolved === target && text !== node.text)
        edits.push({ start: node.getStart(file) + 1, length: node.text.length, text });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return edits;
}

/** The edits of names in types such as `Pick<Tools, "getOrder">`, which the language service leaves. */
export function renameKeys(
  path: string,
  program: ts.Program,
  target: string,
  names: ReadonlyMap<string, string>,
): readonly TextEdit[] {
  const file = program.getSourceFile(path);
  if (file === undefined) return [];
  const checker = program.getTypeChecker();
  const edits: TextEdit[] = [];
  const visit = (node: ts.Node, owner: ts.TypeNode | undefined): void => {
    if (ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal) && owner !== undefined) {
      const { literal } = node;
      const to = names.get(literal.text);
      const property = checker.getPropertyOfType(checker.getTypeFromTypeNode(owner), literal.text);
      const isOfTool =
        property?.declarations?.some((one) => one.getSourceFile().fileName === target) === true;
      if (to !== undefined && to !== literal.text && isOfTool)
        edits.push({ start: literal.getStart(file) + 1, length: literal.text.length, text: to });
    }
    const own = ts.isTypeReferenceNode(node) ? node.typeArguments?.[0] : undefined;
    const isBelow = ts.isUnionTypeNode(node) || ts.isLiteralTypeNode(node);
    ts.forEachChild(node, (child) => {
      visit(child, own !== undefined && child !== own ? own : isBelow ? owner : undefined);
    });
  };
  visit(file, undefined);
  return edits;
}

function isModuleName({ parent }: ts.StringLiteralLike): boolean {
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)) return true;
  if (ts.isLiteralTypeNode(parent)) return ts.isImportTypeNode(parent.parent);
  return ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword;
}

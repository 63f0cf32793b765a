import { posix } from "node:path";
import { ts } from "ts-morph";
import type { ConfigName, TextEdit } from "../../core/rename.js";
import { propertyNameOf, valueOfElement } from "../find-values.js";
import { unwrap } from "../syntax.js";
import { editText, keyText } from "./open-code.js";

/**
 * Returns the edits of names in a configuration file, and how often each name was found there. Only the object that the file
 * exports is read, with constants of the same file: imported or computed names are not found.
 */
export function renameInConfig(
  path: string,
  text: string,
  names: readonly ConfigName[],
): { readonly edits: readonly TextEdit[]; readonly found: readonly number[] } {
  const isJson = /\.jsonc?$/.test(path);
  const file = isJson
    ? ts.parseJsonText(path, text)
    : ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const exported = isJson ? jsonOf(file) : exportOf(file);
  const root = posix.basename(path) === "package.json" ? at(file, exported, "mcp-codegen") : exported;
  const found = names.map(({ path: steps, before, after }): readonly TextEdit[] =>
    (after === undefined ? [] : namesAt(file, root, steps)).flatMap((node) =>
      node.text === before ? replaceName(node, file, after ?? "") : [],
    ),
  );
  return { edits: found.flat(), found: found.map(({ length }) => length) };
}

function replaceName(node: Name, file: ts.SourceFile, after: string): TextEdit {
  if (!ts.isIdentifier(node)) return editText(node, after, file);
  const start = node.getStart(file);
  return { start, length: node.getEnd() - start, text: keyText(after) };
}

type Name = ts.StringLiteralLike | ts.Identifier;

/** The names at the end of steps: texts, or keys. */
function namesAt(
  file: ts.SourceFile,
  node: ts.Expression | undefined,
  [step, ...rest]: readonly string[],
): readonly Name[] {
  if (node === undefined) return [];
  if (step === undefined) return ts.isStringLiteralLike(node) ? [node] : [];
  const below = (inner: ts.Expression | undefined): readonly Name[] => namesAt(file, inner, rest);
  if (step === "[]")
    return ts.isArrayLiteralExpression(node)
      ? node.elements.flatMap((item) => below(resolve(file, item)))
      : [];
  if (step !== "*" && step !== "{}") return below(at(file, node, step));
  const members = ts.isObjectLiteralExpression(node) ? node.properties.filter(ts.isPropertyAssignment) : [];
  return members.flatMap(({ name, initializer }) => {
    if (step === "*") return below(resolve(file, initializer));
    return ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? [name] : [];
  });
}

function jsonOf({ statements: [statement] }: ts.SourceFile): ts.Expression | undefined {
  return statement !== undefined && ts.isExpressionStatement(statement) ? statement.expression : undefined;
}

/** The object of `export default defineConfig({ … })`. */
function exportOf(file: ts.SourceFile): ts.Expression | undefined {
  const statement = file.statements.find(ts.isExportAssignment);
  return statement === undefined ? undefined : resolve(file, statement.expression);
}

/** Follows calls such as `defineConfig(…)`, `satisfies`, and names of constants in the same file. */
function resolve(file: ts.SourceFile, node: ts.Expression, depth = 0): ts.Expression | undefined {
  if (depth > 8) return undefined;
  if (ts.isCallExpression(node)) {
    const [first] = node.arguments;
    return first === undefined ? undefined : resolve(file, first, depth + 1);
  }
  const inner = unwrap(node);
  if (inner !== node) return resolve(file, inner, depth + 1);
  if (!ts.isIdentifier(node)) return node;
  for (const statement of file.statements)
    for (const { name, initializer } of ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : [])
      if (ts.isIdentifier(name) && name.text === node.text && initializer !== undefined)
        return resolve(file, initializer, depth + 1);
  return undefined;
}

function at(file: ts.SourceFile, node: ts.Expression | undefined, key: string): ts.Expression | undefined {
  if (node === undefined || !ts.isObjectLiteralExpression(node)) return undefined;
  const found = node.properties.find(({ name }) => name !== undefined && propertyNameOf(name) === key);
  const value = found && valueOfElement(found);
  return value && resolve(file, value);
}

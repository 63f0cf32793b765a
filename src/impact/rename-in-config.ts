import { posix } from "node:path";
import { ts } from "ts-morph";
import type { TextEdit } from "../contract/text-edit.js";
import { escapeFor, keyText } from "./edit-name.js";

/** A tool's name in the settings of a server. */
export interface ConfigRename {
  readonly server: string;
  readonly before: string;
  readonly after: string;
}

/** Where the settings of a server name tools: in lists, and as keys. */
const LISTS = [
  ["tools", "include"],
  ["tools", "exclude"],
] as const;
const MAPS = [["tools", "rename"], ["tools", "annotations"], ["categories"], ["outputs"]] as const;

/**
 * Returns the edits of a configuration file for renamed tools, and how many names each rename found there. Only the object
 * that the file exports is read, with what it names in the same file: what is imported or computed is not found.
 */
export function renameInConfig(
  path: string,
  text: string,
  renames: readonly ConfigRename[],
): { readonly edits: readonly TextEdit[]; readonly found: readonly number[] } {
  const isJson = /\.jsonc?$/.test(path);
  const file = isJson
    ? ts.parseJsonText(path, text)
    : ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const exported = isJson ? jsonOf(file) : exportOf(file);
  const root = posix.basename(path) === "package.json" ? at(file, exported, "mcp-codegen") : exported;
  const byRename = renames.map(({ server, before, after }): readonly TextEdit[] => {
    const settings = at(file, at(file, root, "servers"), server);
    const below = (keys: readonly string[]): ts.Expression | undefined =>
      keys.reduce<ts.Expression | undefined>((node, key) => at(file, node, key), settings);
    const items = LISTS.flatMap((keys) => {
      const list = below(keys);
      return list !== undefined && ts.isArrayLiteralExpression(list) ? [...list.elements] : [];
    });
    const names = MAPS.flatMap((keys) => {
      const map = below(keys);
      return map !== undefined && ts.isObjectLiteralExpression(map)
        ? map.properties.flatMap((one) => (ts.isPropertyAssignment(one) ? one.name : []))
        : [];
    });
    return [...items, ...names].flatMap((node) => {
      const isName = ts.isStringLiteralLike(node) || ts.isIdentifier(node);
      if (!isName || node.text !== before) return [];
      return ts.isIdentifier(node) && items.includes(node) ? [] : replaceName(node, file, after);
    });
  });
  return { edits: byRename.flat(), found: byRename.map(({ length }) => length) };
}

function replaceName(
  node: ts.StringLiteralLike | ts.Identifier,
  file: ts.SourceFile,
  after: string,
): TextEdit {
  const [start, end] = [node.getStart(file), node.getEnd()];
  if (ts.isIdentifier(node)) return { start, length: end - start, text: keyText(after) };
  return { start: start + 1, length: end - start - 2, text: escapeFor(file.text.charAt(start), after) };
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
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node))
    return resolve(file, node.expression, depth + 1);
  if (!ts.isIdentifier(node)) return node;
  for (const statement of file.statements)
    for (const { name, initializer } of ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : [])
      if (ts.isIdentifier(name) && name.text === node.text && initializer !== undefined)
        return resolve(file, initializer, depth + 1);
  return undefined;
}

/** The value of a key of an object literal. */
function at(file: ts.SourceFile, node: ts.Expression | undefined, key: string): ts.Expression | undefined {
  if (node === undefined || !ts.isObjectLiteralExpression(node)) return undefined;
  for (const property of node.properties) {
    const name = property.name;
    const isKey =
      name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) && name.text === key;
    if (isKey && ts.isPropertyAssignment(property)) return resolve(file, property.initializer);
    if (isKey && ts.isShorthandPropertyAssignment(property)) return resolve(file, property.name);
  }
  return undefined;
}

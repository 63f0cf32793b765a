import { posix } from "node:path";
import { ts } from "ts-morph";
import { nameAt } from "./edit-name.js";
import type { LeftoverNode } from "./find-leftovers.js";
import { type AddEdits, findLocations, type OpenedCode } from "./open-code.js";
import type { ToolRename } from "./rename-request.js";
import { originsOf } from "./property-origins.js";
import { declarationsOf } from "./renamed-declarations.js";

/**
 * Adds the edits of the names of renamed tools, and returns the places where the new name is that of something else. Names
 * in strings are left out.
 */
export function renameTools(
  opened: OpenedCode,
  tools: readonly ToolRename[],
  add: AddEdits,
): readonly LeftoverNode[] {
  const { program, folder } = opened;
  const taken: LeftoverNode[] = [];
  for (const rename of tools) {
    const file = program.getSourceFile(posix.join(folder, rename.before.path));
    for (const [from, to] of rename.names)
      for (const name of file === undefined || from === to ? [] : declarationsOf(file, from))
        for (const location of findLocations(opened, name, false)) {
          const text = isKeyOfUser(opened, location) ? `${from}: ${to}` : to;
          add(rename, location.fileName, [{ ...location.textSpan, text }]);
          const node = findTaken(opened, location, to);
          if (node !== undefined)
            taken.push({ node, message: `\`${to}\` is the name of something else here` });
        }
  }
  return taken;
}

/** The name at a place, if something of the user's own has the new name there, which the compiler cannot report. */
function findTaken(
  { program, folder }: OpenedCode,
  { fileName, textSpan }: ts.RenameLocation,
  to: string,
): ts.Node | undefined {
  const file = program.getSourceFile(fileName);
  if (file === undefined || fileName.startsWith(`${folder}/`) || !file.text.includes(to)) return undefined;
  const node = nameAt(file, textSpan.start, textSpan.length);
  // A property is not looked up by its name alone.
  if (ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) return undefined;
  const checker = program.getTypeChecker();
  const isTaken = checker
    .getSymbolsInScope(node, ts.SymbolFlags.Value)
    .some((symbol) => symbol.name === to && isUsed(symbol, file, { checker, folder }));
  return isTaken ? node : undefined;
}

/** Whether a file declares something of the user's own, or uses a global such as `fetch`, which the new name would hide. */
function isUsed(
  symbol: ts.Symbol,
  file: ts.SourceFile,
  { checker, folder }: { readonly checker: ts.TypeChecker; readonly folder: string },
): boolean {
  const files = (symbol.declarations ?? []).map((declaration) => declaration.getSourceFile());
  if (files.every(({ fileName }) => fileName.startsWith(`${folder}/`))) return false;
  if (files.includes(file)) return true;
  const uses = (node: ts.Node): boolean =>
    (ts.isIdentifier(node) && node.text === symbol.name && checker.getSymbolAtLocation(node) === symbol) ||
    (ts.forEachChild(node, (child) => uses(child) || undefined) ?? false);
  return uses(file);
}

/** Whether a name is `{ getOrder }` in an object of the user's own, whose key stays. */
function isKeyOfUser({ program, folder }: OpenedCode, { fileName, textSpan }: ts.RenameLocation): boolean {
  const file = program.getSourceFile(fileName);
  if (file === undefined) return false;
  const { parent } = nameAt(file, textSpan.start, textSpan.length);
  if (!ts.isShorthandPropertyAssignment(parent)) return false;
  const checker = program.getTypeChecker();
  const type = checker.getContextualType(parent.parent);
  const symbol = type && checker.getNonNullableType(type).getProperty(parent.name.text);
  const origins = symbol === undefined ? [] : originsOf(symbol, checker);
  return !origins.some((one) => one.getSourceFile().fileName.startsWith(`${folder}/`));
}

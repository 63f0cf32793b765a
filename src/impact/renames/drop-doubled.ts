import { ts } from "ts-morph";
import { followAlias } from "../follow-alias.js";
import type { TextEdit } from "../../contract/text-edit.js";

/**
 * The edits that drop names which renames would import or export twice, where several tools became one. They cover the
 * edits of these names.
 *
 * @param namesOf returns the renamed exports of a module, by its path
 */
export function dropDoubled(
  file: ts.SourceFile,
  checker: ts.TypeChecker,
  namesOf: (module: string) => ReadonlyMap<string, string> | undefined,
): readonly TextEdit[] {
  const moduleOf = (symbol: ts.Symbol | undefined): string | undefined =>
    symbol && followAlias(symbol, checker).declarations?.[0]?.getSourceFile().fileName;
  const nameAfter = ({ name, propertyName }: Specifier): string | undefined => {
    const module = propertyName === undefined ? moduleOf(checker.getSymbolAtLocation(name)) : undefined;
    return module === undefined ? undefined : namesOf(module)?.get(name.text);
  };
  const keyOf = (specifier: Specifier, isType: boolean): string =>
    JSON.stringify([specifier.kind, nameAfter(specifier) ?? specifier.name.text, isType]);
  const all = file.statements.flatMap(specifiersOf);
  // A type is also imported with the value of its name.
  const values = new Set(all.filter((one) => !isType(one)).map((one) => keyOf(one, false)));
  const seen = new Set<string>();
  return file.statements.flatMap((statement): readonly TextEdit[] => {
    const list = specifiersOf(statement);
    const isDoubled = list.map((specifier) => {
      const key = keyOf(specifier, isType(specifier));
      const isKnown = seen.has(key) || (isType(specifier) && values.has(keyOf(specifier, false)));
      seen.add(key);
      return isKnown && nameAfter(specifier) !== undefined;
    });
    if (isDoubled.length > 0 && !isDoubled.includes(false)) {
      const start = statement.getStart(file);
      const isLineEnd = /^\r?\n/.exec(file.text.slice(statement.getEnd()))?.[0] ?? "";
      return [{ start, length: statement.getEnd() + isLineEnd.length - start, text: "" }];
    }
    return list.flatMap((specifier, index): readonly TextEdit[] => {
      if (isDoubled[index] !== true) return [];
      const next = list[index + 1];
      const kept = list.findLast((_, at) => at < index && isDoubled[at] !== true);
      const start = next === undefined && kept !== undefined ? kept.getEnd() : specifier.getStart(file);
      return [{ start, length: (next?.getStart(file) ?? specifier.getEnd()) - start, text: "" }];
    });
  });
}

type Specifier = ts.ImportSpecifier | ts.ExportSpecifier;

function isType(specifier: Specifier): boolean {
  return ts.isTypeOnlyImportOrExportDeclaration(specifier);
}

/** What a statement imports or exports by name from another module, if it imports nothing else. */
function specifiersOf(statement: ts.Statement): readonly Specifier[] {
  if (ts.isImportDeclaration(statement)) {
    const { name, namedBindings } = statement.importClause ?? {};
    return name === undefined && namedBindings !== undefined && ts.isNamedImports(namedBindings)
      ? namedBindings.elements
      : [];
  }
  const isNamed =
    ts.isExportDeclaration(statement) &&
    statement.moduleSpecifier !== undefined &&
    statement.exportClause !== undefined &&
    ts.isNamedExports(statement.exportClause);
  return isNamed ? statement.exportClause.elements : [];
}

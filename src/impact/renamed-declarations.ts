/** The declarations in generated code that a rename is about. */
import { ts } from "ts-morph";
import type { ChangePlace } from "./change-place.js";

/** The names of the exported declarations: an interface and a schema may share one. */
export function declarationsOf(file: ts.SourceFile, name: string): readonly ts.Node[] {
  return file.statements.flatMap((statement): readonly ts.Node[] => {
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations
        .map((declaration) => declaration.name)
        .filter((node) => ts.isIdentifier(node) && node.text === name);
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    return isType && statement.name.text === name ? [statement.name] : [];
  });
}

/** The names of the property declarations at a place of a type. An item of an array has that of the array. */
export function propertiesAt(
  file: ts.SourceFile,
  type: string,
  { steps, isAnywhere }: ChangePlace,
  checker: ts.TypeChecker,
): readonly ts.Node[] {
  if (isAnywhere) return [];
  let types: readonly ts.Type[] = file.statements
    .filter(
      (statement) =>
        (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) &&
        statement.name.text === type,
    )
    .map((statement) => checker.getTypeAtLocation(statement));
  let found: readonly ts.Symbol[] = [];
  for (const step of steps) {
    const parts = types.flatMap((one) => partsOf(checker.getNonNullableType(one)));
    if (step === "item") {
      types = parts.flatMap((one) => checker.getIndexTypeOfType(one, ts.IndexKind.Number) ?? []);
      continue;
    }
    found = parts.flatMap((one) => checker.getPropertyOfType(one, step.property) ?? []);
    types = found.map((symbol) => checker.getTypeOfSymbol(symbol));
  }
  return found.flatMap((symbol) =>
    (symbol.declarations ?? []).flatMap((declaration) =>
      ts.isPropertySignature(declaration) ? [declaration.name] : [],
    ),
  );
}

function partsOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnionOrIntersection() ? type.types.flatMap(partsOf) : [type];
}

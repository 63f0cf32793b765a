/** The declarations in generated code that renames are about. */
import { ts } from "ts-morph";
import type { Change } from "../../core/change.js";
import { getOwn, isJsonObject } from "../../core/json.js";
import { findAt, joinPointer, splitPointer } from "../../core/json-pointer.js";
import { placeOfChange } from "../changes.js";
import type { ToolModule } from "../tool-finder.js";

/** The name of an exported function, interface or type. A schema has the name of its type, and is renamed with it. */
export function findExport(file: ts.SourceFile, name: string): ts.Identifier | undefined {
  const names = file.statements.flatMap((statement): readonly ts.Node[] => {
    if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) return [statement.name];
    return ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map((declaration) => declaration.name)
      : [];
  });
  return names.filter(ts.isIdentifier).find(({ text }) => text === name);
}

/** The names of the properties that a change is about, in the type of a tool's arguments or results. */
export function findProperties(
  file: ts.SourceFile,
  type: string,
  change: Change,
  { definition }: ToolModule,
  checker: ts.TypeChecker,
): readonly ts.PropertyName[] {
  const place = placeOfChange(change);
  const starts =
    place?.isAnywhere === true ? findShared(file, change, definition) : [findExport(file, type)?.parent];
  let types = starts.flatMap((node) => (node === undefined ? [] : checker.getTypeAtLocation(node)));
  let properties: readonly ts.Symbol[] = [];
  for (const step of place?.steps ?? []) {
    const parts = types.flatMap((member) => partsOf(checker.getNonNullableType(member)));
    if (step === "item")
      types = parts.flatMap((part) => checker.getIndexTypeOfType(part, ts.IndexKind.Number) ?? []);
    else {
      properties = parts.flatMap((part) => checker.getPropertyOfType(part, step.property) ?? []);
      types = properties.map((symbol) => checker.getTypeOfSymbol(symbol));
    }
  }
  const declarations = new Set(properties.flatMap((symbol) => symbol.declarations ?? []));
  return [...declarations].filter(ts.isPropertySignature).map((declaration) => declaration.name);
}

/** The types that may be of the shared definition that a change's path leads into: those with its properties. */
function findShared(
  file: ts.SourceFile,
  { path }: Change,
  definition: ToolModule["definition"],
): readonly ts.Node[] {
  const [side = "", ...segments] = splitPointer(path);
  const at = segments.findLastIndex((segment) => segment === "$defs" || segment === "definitions");
  const shared = findAt(getOwn(definition, side) ?? {}, joinPointer("", ...segments.slice(0, at + 2)));
  const properties = isJsonObject(shared) ? getOwn(shared, "properties") : undefined;
  const wanted = isJsonObject(properties) ? Object.keys(properties) : [];
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isInterfaceDeclaration(node) && !ts.isTypeLiteralNode(node)) return;
    const names = node.members.flatMap(({ name }) =>
      name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? [name.text] : [],
    );
    if (names.length === wanted.length && names.every((name) => wanted.includes(name))) nodes.push(node);
  };
  if (wanted.length > 0) visit(file);
  return nodes;
}

function partsOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnionOrIntersection() ? type.types.flatMap(partsOf) : [type];
}

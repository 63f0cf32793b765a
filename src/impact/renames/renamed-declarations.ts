/** The declarations in generated code that renames are about. */
import { posix } from "node:path";
import { ts } from "ts-morph";
import type { Change } from "../../core/change.js";
import type { Rename } from "../../core/rename.js";
import { getOwn, isJsonObject } from "../../core/json.js";
import { findAt, joinPointer, splitPointer } from "../../core/json-pointer.js";
import { type ChangePlace, placeOfChange } from "../changes.js";
import type { ToolModule } from "../tool-finder.js";
import type { OpenedCode, PlacedPropertyRename } from "./open-code.js";

interface Target {
  readonly rename: Rename;
  readonly tool: ToolModule;
  readonly place: ChangePlace;
  /** The names of the declared properties. */
  readonly names: readonly ts.Node[];
}

/** The renamed values of declared properties: by declaration, then by old value. */
export type ValueRenames = ReadonlyMap<ts.Node, ReadonlyMap<string, Rename>>;

/** The renamed properties and values of generated code. */
export interface RenamedProperties {
  readonly targets: readonly Target[];
  /** By declaration. */
  readonly properties: ReadonlyMap<ts.Node, Rename>;
  readonly values: ValueRenames;
}

/** Finds the declarations that renames are about. */
export function findRenamedProperties(
  { program, folder }: OpenedCode,
  renames: readonly PlacedPropertyRename[],
): RenamedProperties {
  const checker = program.getTypeChecker();
  const properties = new Map<ts.Node, Rename>();
  const values = new Map<ts.Node, Map<string, Rename>>();
  const targets = renames.flatMap(({ rename, tool, type }): readonly Target[] => {
    const { kind, change } = rename;
    const file = program.getSourceFile(posix.join(folder, tool.path));
    const place = placeOfChange(change);
    if (file === undefined || place === undefined) return [];
    const names = propertiesAt(file, type, place, { checker, root: rootOf(change, tool) });
    for (const { parent } of names)
      if (kind === "property") properties.set(parent, properties.get(parent) ?? rename);
      else {
        const own = values.get(parent) ?? new Map<string, Rename>();
        values.set(parent, own.set(rename.before, rename));
      }
    return [{ rename, tool, place, names }];
  });
  return { targets, properties, values };
}

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

/**
 * The names of the property declarations at a place of a type. An item of an array has that of the array.
 *
 * @param root the properties of the shared definition that the place starts in; the type may have it anywhere
 */
export function propertiesAt(
  file: ts.SourceFile,
  type: string,
  { steps, isAnywhere }: ChangePlace,
  { checker, root }: { readonly checker: ts.TypeChecker; readonly root: readonly string[] },
): readonly ts.Node[] {
  const top = file.statements
    .filter(
      (statement) =>
        (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) &&
        statement.name.text === type,
    )
    .map((statement) => checker.getTypeAtLocation(statement));
  let types: readonly ts.Type[] = isAnywhere ? findWithin(top, root, checker) : top;
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
  const names = found.flatMap((symbol) =>
    (symbol.declarations ?? []).flatMap((declaration) =>
      ts.isPropertySignature(declaration) ? [declaration.name] : [],
    ),
  );
  return [...new Set(names)];
}

/** The properties of the shared definition that a change's path leads into. */
export function rootOf({ path }: Change, { definition }: ToolModule): readonly string[] {
  const [side = "", ...segments] = splitPointer(path);
  const schema = getOwn(definition, side);
  const at = segments.findLastIndex((segment) => segment === "$defs" || segment === "definitions");
  const found =
    schema === undefined ? undefined : findAt(schema, joinPointer("", ...segments.slice(0, at + 2)));
  const properties = isJsonObject(found) ? getOwn(found, "properties") : undefined;
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

function findWithin(
  types: readonly ts.Type[],
  names: readonly string[],
  checker: ts.TypeChecker,
): readonly ts.Type[] {
  const wanted = [...names].sort().join("\n");
  const seen = new Set<ts.Type>();
  const open = [...types];
  const found: ts.Type[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (next.isUnionOrIntersection()) open.push(...next.types);
    else {
      const indexed = [ts.IndexKind.Number, ts.IndexKind.String].flatMap(
        (kind) => checker.getIndexTypeOfType(next, kind) ?? [],
      );
      open.push(...indexed);
      if (indexed.length > 0 && checker.isArrayLikeType(next)) continue;
      const properties = (next.flags & ts.TypeFlags.Object) === 0 ? [] : next.getProperties();
      open.push(...properties.map((property) => checker.getTypeOfSymbol(property)));
      const own = properties.map(({ name }) => name).sort();
      if (wanted !== "" && own.join("\n") === wanted) found.push(next);
    }
  }
  return found;
}

function partsOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnionOrIntersection() ? type.types.flatMap(partsOf) : [type];
}

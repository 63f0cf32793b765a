import { ts } from "ts-morph";
import { describeLikelyValue, type LikelyName, nameOf } from "./find-likely-values.js";
import { type OpenedCode, ownFilesOf } from "./open-code.js";
import { partsOf } from "./property-origins.js";
import type { ValueRenames } from "./rename-values.js";

/**
 * Returns the renamed values in `Exclude<Status, "PAID">` and `Extract<Status, "PAID">`, which compile with any value. The
 * type tells only likely which property it is of.
 */
export function findInTypeFilters(opened: OpenedCode, renames: ValueRenames): readonly LikelyName[] {
  const checker = opened.program.getTypeChecker();
  const found: LikelyName[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeReferenceNode(node) && /^(?:Exclude|Extract)$/.test(node.typeName.getText())) {
      const [of, filter] = node.typeArguments ?? [];
      if (of !== undefined && filter !== undefined)
        found.push(...findIn(filter, checker.getTypeFromTypeNode(of)));
    }
    ts.forEachChild(node, visit);
  };
  const findIn = (filter: ts.TypeNode, type: ts.Type): readonly LikelyName[] => {
    const literals = (ts.isUnionTypeNode(filter) ? [...filter.types] : [filter]).flatMap((part) =>
      ts.isLiteralTypeNode(part) && ts.isStringLiteral(part.literal) ? [part.literal] : [],
    );
    const all = valuesOf(type);
    return literals.flatMap((node) => {
      for (const [declaration, values] of renames) {
        const renamed = values.get(node.text);
        const [name = ""] = nameOf(declaration);
        if (renamed === undefined || valuesOf(checker.getTypeAtLocation(declaration)) !== all) continue;
        const message = describeLikelyValue(name, node.text, renamed.after);
        return [{ node, message, rename: renamed.rename }];
      }
      return [];
    });
  };
  const valuesOf = (type: ts.Type): string =>
    JSON.stringify(
      partsOf(checker.getNonNullableType(type))
        .map((part) => (part.isStringLiteral() ? part.value : ""))
        .sort(),
    );
  if (renames.size > 0) ownFilesOf(opened).forEach(visit);
  return found;
}

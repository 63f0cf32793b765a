import { ts } from "ts-morph";
import { describeRejected } from "../describe-hit.js";
import { findGiven } from "./find-given.js";
import type { LeftoverNode } from "./find-leftovers.js";
import type { OpenedCode } from "./open-code.js";
import { originsOf } from "./property-origins.js";
import type { RenamedProperties } from "./rename-properties.js";

/**
 * Returns where the user's code gives a value of a generated type to a type of its own that has the old name of a property,
 * or the other way round: `const mine: { total?: number } = await getOrder()`. It compiles without the property as well.
 */
export function findOwnTypes(
  { files, program }: OpenedCode,
  { properties }: Pick<RenamedProperties, "properties">,
): readonly LeftoverNode[] {
  const checker = program.getTypeChecker();
  const left: LeftoverNode[] = [];
  const lookAt = (symbol: ts.Symbol) => {
    const origins = originsOf(symbol, checker);
    const renames = origins.flatMap((one) => properties.get(one) ?? []);
    return {
      // A property that also belongs to another type keeps its name.
      renamed: renames.length === origins.length ? renames[0] : undefined,
      // An object literal is followed to where it is passed, and a pattern names no type.
      isDeclared: origins.some((one) => ts.isPropertySignature(one) || ts.isPropertyDeclaration(one)),
    };
  };
  const compareProperty = (given: ts.Symbol, wanted: ts.Symbol): string | undefined => {
    const [from, to] = [lookAt(given), lookAt(wanted)];
    if (from.renamed !== undefined && to.renamed === undefined && to.isDeclared)
      return `gives \`${from.renamed.from}\`, renamed to \`${from.renamed.to}\`, to a type of your own`;
    return from.renamed === undefined && from.isDeclared && to.renamed !== undefined
      ? describeRejected(to.renamed.from, to.renamed.rename.change)
      : undefined;
  };
  const names = new Set([...properties.values()].map(({ from }) => from));
  findGiven(files, checker, names, (given, wanted, node) => {
    const message = compareProperty(given, wanted);
    if (message !== undefined) left.push({ node, message });
    return message !== undefined;
  });
  return left;
}

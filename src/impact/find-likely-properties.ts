import { posix } from "node:path";
import { ts } from "ts-morph";
import type { LeftoverNode } from "./find-leftovers.js";
import { NameIndex } from "./name-index.js";
import { type OpenedCode, ownFilesOf } from "./open-code.js";
import { propertiesNamedBy } from "./property-origins.js";
import type { RenamedProperties } from "./rename-properties.js";
import type { PropertyRename } from "./rename-request.js";
import { unwrap } from "./tool-finder.js";
import { ValueFlow } from "./value-flow.js";

type Target = RenamedProperties["targets"][number];

interface LikelyProperty extends LeftoverNode {
  readonly rename: PropertyRename;
}

/**
 * Returns where code may read a renamed property of a result whose type it has hidden, so that the compiler sees no
 * property: `const order: Record<string, any> = await getOrder(); order["total"]`.
 */
export function findLikelyProperties(
  opened: OpenedCode,
  targets: RenamedProperties["targets"],
): readonly LikelyProperty[] {
  const byName = new Map<string, readonly Target[]>();
  for (const target of targets)
    if (target.rename.kind === "property" && target.place.side === "output")
      byName.set(target.from, [...(byName.get(target.from) ?? []), target]);
  if (byName.size === 0) return [];
  const files = ownFilesOf(opened);
  const checker = opened.program.getTypeChecker();
  const flow = new ValueFlow(new NameIndex(files, checker), new Map());
  const found: LikelyProperty[] = [];
  const visit = (node: ts.Node): void => {
    const named = ts.isIdentifier(node) || ts.isStringLiteralLike(node) ? byName.get(node.text) : undefined;
    const object = named === undefined ? undefined : objectOf(node);
    if (named !== undefined && object !== undefined && propertiesNamedBy(node, checker).length === 0) {
      const origins = [...flow.findOrigins(rootOf(object, checker))].map((holder) => holder.getSourceFile());
      const target = named.find(({ rename: { tool } }) =>
        origins.some(({ fileName }) => fileName === posix.join(opened.folder, tool.path)),
      );
      if (target !== undefined) found.push({ node, ...describe(target) });
    }
    ts.forEachChild(node, visit);
  };
  files.forEach(visit);
  return found;
}

function describe({ rename, from, to }: Target): Omit<LikelyProperty, "node"> {
  return { rename, message: `\`${from}\` may be a property of the result, renamed to \`${to}\`` };
}

/** The object that has the property that a name is read from. */
function objectOf(name: ts.Node): ts.Expression | undefined {
  const { parent } = name;
  if (ts.isPropertyAccessExpression(parent) && parent.name === name) return parent.expression;
  if (ts.isElementAccessExpression(parent) && parent.argumentExpression === name) return parent.expression;
  if (!ts.isBindingElement(parent) || (parent.propertyName ?? parent.name) !== name) return undefined;
  const pattern = parent.parent.parent;
  return ts.isVariableDeclaration(pattern) ? pattern.initializer : undefined;
}

/** The object that has an object which has no declared type: `data` of `data.order.lines[0]`. */
function rootOf(object: ts.Expression, checker: ts.TypeChecker): ts.Expression {
  const node = unwrap(object);
  const isRead = ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node);
  return isRead && checker.getSymbolAtLocation(node) === undefined ? rootOf(node.expression, checker) : node;
}

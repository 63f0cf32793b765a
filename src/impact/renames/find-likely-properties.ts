import { posix } from "node:path";
import { ts } from "ts-morph";
import { findCalls } from "./find-leftovers.js";
import type { LikelyName } from "./find-likely-values.js";
import { type OpenedCode, ownFilesOf } from "./open-code.js";
import type { Holder } from "./name-index.js";
import { isDeclared, propertiesNamedBy } from "./property-origins.js";
import type { RenamedProperties } from "./rename-properties.js";
import type { CodeLocation } from "./rename-request.js";
import { type ToolModule, unwrap } from "../tool-finder.js";
import type { ValueFlow } from "./value-flow.js";

type Target = RenamedProperties["targets"][number];

interface LikelyRequest extends Pick<RenamedProperties, "targets">, Pick<CodeLocation, "before"> {
  readonly flow: ValueFlow;
}

/**
 * Returns where code may use a renamed property of a result or an argument whose type it has hidden, so that the compiler
 * sees no property: `const order: any = await getOrder(); order["total"]`.
 */
export function findLikelyProperties(
  opened: OpenedCode,
  { targets, flow, before }: LikelyRequest,
): readonly LikelyName[] {
  const byName = new Map<string, readonly Target[]>();
  for (const target of targets)
    if (target.rename.kind === "property")
      byName.set(target.from, [...(byName.get(target.from) ?? []), target]);
  if (byName.size === 0) return [];
  const { program, users, folder } = opened;
  const checker = program.getTypeChecker();
  const moduleOf = ({ rename }: Target): string => posix.join(folder, rename.tool.path);
  const given = new Map<ToolModule, Set<Holder>>();
  for (const { tool, node } of findCalls(users, program, { tools: before.tools, folder })) {
    const [argument] = node.arguments;
    const known = given.get(tool) ?? new Set();
    given.set(tool, known);
    if (argument !== undefined) flow.findOrigins(argument).forEach((holder) => known.add(holder));
  }
  /** Whether what has the property is a result of the tool, or goes to it as its argument. */
  const isOf = (target: Target, holders: ReadonlySet<Holder>): boolean => {
    if ([...holders].some((holder) => holder.getSourceFile().fileName === moduleOf(target))) return true;
    const passed = target.place.side === "input" ? given.get(target.rename.tool) : undefined;
    return passed !== undefined && [...holders].some((holder) => passed.has(holder));
  };
  const found: LikelyName[] = [];
  const visit = (node: ts.Node): void => {
    const named = ts.isIdentifier(node) || ts.isStringLiteralLike(node) ? byName.get(node.text) : undefined;
    const owners = named === undefined ? [] : ownersOf(node, flow, checker);
    const target = named?.find((one) => owners.some((holders) => isOf(one, holders)));
    if (target !== undefined)
      found.push({ node, rename: target.rename, message: describeLikelyProperty(target) });
    ts.forEachChild(node, visit);
  };
  ownFilesOf(opened).forEach(visit);
  return found;
}

export function describeLikelyProperty({ from, to }: Pick<Target, "from" | "to">): string {
  return `\`${from}\` may be a property that was renamed to \`${to}\``;
}

/** The declarations of what may have the property of a name, if the compiler does not know the property. */
function ownersOf(name: ts.Node, flow: ValueFlow, checker: ts.TypeChecker): readonly ReadonlySet<Holder>[] {
  const object = objectOf(name);
  if (object !== undefined)
    return propertiesNamedBy(name, checker).length > 0 ? [] : [flow.findOrigins(rootOf(object, checker))];
  const { parent } = name;
  // `const logged = <T extends Input>(input: T) => find(input)` and `logged({ limit: 2 })`
  if (ts.isObjectLiteralElement(parent) && parent.name === name)
    return isDeclared(parent, checker) || !ts.isObjectLiteralExpression(parent.parent)
      ? []
      : [new Set(flow.findUses(parent.parent).takers)];
  // `Object.keys(order).filter((key) => key === "total")`, `expect(order).toHaveProperty("total")`
  return ts.isStringLiteralLike(name)
    ? flow.findUses(name).compared.map((other) => flow.findOrigins(other))
    : [];
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

/** The object that has an object without a declared type: `data` of `data.order.lines[0]`. */
function rootOf(object: ts.Expression, checker: ts.TypeChecker): ts.Expression {
  const node = unwrap(object);
  const isRead = ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node);
  return isRead && checker.getSymbolAtLocation(node) === undefined ? rootOf(node.expression, checker) : node;
}

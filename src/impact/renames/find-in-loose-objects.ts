import { posix } from "node:path";
import { ts } from "ts-morph";
import { describeLikelyProperty } from "./find-likely-properties.js";
import { describeLikelyValue, type LikelyName, nameOf } from "./find-likely-values.js";
import { type OpenedCode, ownFilesOf } from "./open-code.js";
import { isDeclared } from "./property-origins.js";
import type { RenamedProperties } from "./rename-properties.js";
import { unwrap } from "../tool-finder.js";
import type { ValueFlow } from "./value-flow.js";
import { assertedWith } from "./value-syntax.js";

type Target = RenamedProperties["targets"][number];

/**
 * Returns the renamed properties and values in objects that have no type: those that an assertion compares with a result or
 * with the arguments of a tool, `expect(order).toMatchObject({ total: 3 })`, and the answers of a mocked tool.
 */
export function findInLooseObjects(
  opened: OpenedCode,
  { targets, flow }: Pick<RenamedProperties, "targets"> & { readonly flow: ValueFlow },
): readonly LikelyName[] {
  if (targets.length === 0) return [];
  const { program, folder, resolve } = opened;
  const checker = program.getTypeChecker();
  const found: LikelyName[] = [];
  /** The files that declare what an expression has, or its type. */
  const filesOf = (subject: ts.Expression): ReadonlySet<string> => {
    const type = checker.getTypeAtLocation(subject);
    const declared = [type.aliasSymbol, type.symbol].flatMap((symbol) => symbol?.declarations ?? []);
    return new Set([...flow.findOrigins(subject), ...declared].map((node) => node.getSourceFile().fileName));
  };
  const scan = (node: ts.Node, own: readonly Target[]): void => {
    if (ts.isObjectLiteralElement(node) && !isDeclared(node, checker))
      found.push(...findInElement(node, own));
    ts.forEachChild(node, (child) => {
      scan(child, own);
    });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      for (const argument of node.arguments) {
        const subjects = isLoose(argument) ? assertedWith(argument, node) : [];
        if (subjects.length === 0) continue;
        const files = new Set(subjects.flatMap((subject) => [...filesOf(subject)]));
        const own = targets.filter(({ rename }) => files.has(posix.join(folder, rename.tool.path)));
        if (own.length > 0) scan(argument, own);
      }
      const [module, ...others] = node.arguments;
      const isMock =
        module !== undefined &&
        ts.isStringLiteralLike(module) &&
        resolve(module.text, module.getSourceFile().fileName)?.startsWith(`${folder}/`) === true;
      if (isMock) others.forEach(visitMock);
    }
    ts.forEachChild(node, visit);
  };
  const visitMock = (node: ts.Node): void => {
    const name = ts.isPropertyAssignment(node) || ts.isMethodDeclaration(node) ? node.name : undefined;
    const own =
      name !== undefined && ts.isIdentifier(name)
        ? targets.filter(({ rename }) => rename.tool.wrapper === name.text)
        : [];
    if (own.length > 0) scan(node, own);
    else ts.forEachChild(node, visitMock);
  };
  ownFilesOf(opened).forEach(visit);
  return found;
}

function isLoose(argument: ts.Expression): boolean {
  const node = unwrap(argument);
  return ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node);
}

function findInElement(element: ts.ObjectLiteralElement, targets: readonly Target[]): readonly LikelyName[] {
  const { name } = element;
  if (name === undefined || !(ts.isIdentifier(name) || ts.isStringLiteralLike(name))) return [];
  const property = targets.find(({ rename, from }) => rename.kind === "property" && from === name.text);
  if (property !== undefined)
    return [{ node: name, rename: property.rename, message: describeLikelyProperty(property) }];
  if (!ts.isPropertyAssignment(element)) return [];
  const value = unwrap(element.initializer);
  const items = ts.isArrayLiteralExpression(value) ? value.elements : [value];
  return items.flatMap((item): readonly LikelyName[] => {
    const target = targets.find(
      ({ rename, from, names: [declared] }) =>
        rename.kind === "value" &&
        ts.isStringLiteralLike(item) &&
        from === item.text &&
        declared !== undefined &&
        nameOf(declared.parent).includes(name.text),
    );
    if (target === undefined) return [];
    const message = describeLikelyValue(name.text, target.from, target.to);
    return [{ node: item, rename: target.rename, message }];
  });
}

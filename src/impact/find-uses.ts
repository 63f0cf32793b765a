import { ts } from "ts-morph";
import { isModuleName } from "./describe-hit.js";
import { unwrap, type ToolFinder, type ToolModule } from "./tool-finder.js";

/** A call of a tool, plain or by `.safe`. */
export interface ToolCall {
  readonly tool: ToolModule;
  readonly node: ts.CallExpression;
  /** The name of the tool in the call: the last name of the callee, without `.safe`. */
  readonly name: ts.Node;
}

export interface Uses {
  /** Every tool whose function, schemas or types are referred to. */
  readonly tools: ReadonlySet<ToolModule>;
  readonly calls: readonly ToolCall[];
}

/** Returns the tools that a file uses. A connection that is passed on without its type uses all of its tools. */
export function findUses(file: ts.SourceFile, finder: ToolFinder, checker: ts.TypeChecker): Uses {
  const tools = new Set<ToolModule>();
  const calls: ToolCall[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || isModuleName(node))
      for (const tool of finder.toolsNamedAt(node)) tools.add(tool);
    if (ts.isExpression(node) && escapes(node, finder, checker))
      for (const tool of finder.indexOf(node)?.values() ?? []) tools.add(tool);
    if (ts.isElementAccessExpression(node)) {
      const index = finder.indexOf(node.expression);
      const key = ts.isStringLiteralLike(node.argumentExpression) ? node.argumentExpression.text : undefined;
      const meant = key === undefined ? [...(index?.values() ?? [])] : [index?.get(key)];
      for (const tool of meant) if (tool !== undefined) tools.add(tool);
    }
    if (ts.isCallExpression(node)) {
      const call = findCall(node, finder);
      if (call !== undefined) calls.push(call);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  for (const { tool } of calls) tools.add(tool);
  return { tools, calls };
}

function findCall(node: ts.CallExpression, finder: ToolFinder): ToolCall | undefined {
  const callee = unwrap(node.expression);
  const isSafe = ts.isPropertyAccessExpression(callee) && callee.name.text === "safe";
  for (const target of isSafe ? [unwrap(callee.expression), callee] : [callee]) {
    const tool = finder.toolOf(target);
    if (tool !== undefined)
      return { tool, node, name: ts.isPropertyAccessExpression(target) ? target.name : target };
  }
  return undefined;
}

/** Whether a whole connection or namespace is used where its type is lost: `Object.values(wp)`, `register(shop)`. */
export function escapes(node: ts.Expression, finder: ToolFinder, checker: ts.TypeChecker): boolean {
  const { parent } = node;
  if (ts.isForInStatement(parent) || ts.isAsExpression(parent)) return finder.indexOf(node) !== undefined;
  const isHandedOver =
    ((ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.expression !== node) ||
    (ts.isPropertyAssignment(parent) && parent.initializer === node) ||
    (ts.isVariableDeclaration(parent) && parent.initializer === node && parent.type !== undefined) ||
    ts.isShorthandPropertyAssignment(parent) ||
    ts.isReturnStatement(parent);
  const index = isHandedOver ? finder.indexOf(node) : undefined;
  const wanted = index === undefined ? undefined : checker.getContextualType(node);
  if (index === undefined || wanted === undefined) return false;
  const given = checker.getTypeAtLocation(node);
  return [...index.keys()].some((name) => {
    const [declaration] = given.getProperty(name)?.declarations ?? [];
    return declaration !== undefined && wanted.getProperty(name)?.declarations?.[0] !== declaration;
  });
}

/** Zod's methods that take a value for a schema. */
const PARSES = /^(?:safe)?parse(?:Async)?$/i;

/** Returns where a file gives values to the input schemas of tools: `CreatePostInput.parse({ … })`. */
export function findParses(file: ts.SourceFile, finder: ToolFinder): readonly ToolCall[] {
  const found: ToolCall[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression: schema, name } = node.expression;
      const tool = PARSES.test(name.text) ? finder.toolOfInput(schema) : undefined;
      if (tool !== undefined) found.push({ tool, node, name: schema });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

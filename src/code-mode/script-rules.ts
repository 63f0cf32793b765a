import type ts from "typescript";

type Compiler = typeof ts;

/** A place in a script that plain TypeScript accepts, and that does not do what it says. */
export interface UnsafePlace {
  readonly node: ts.Node;
  readonly message: string;
}

/** Finds promises that nothing awaits, and functions that nothing calls. */
export function findUnsafe(
  compiler: Compiler,
  checker: ts.TypeChecker,
  body: ts.Block,
): readonly UnsafePlace[] {
  const found: UnsafePlace[] = [];
  const add = (node: ts.Node, message: string): void => {
    found.push({ node, message });
  };
  const promiseIn = (node: ts.Expression): "promise" | "promises" | undefined =>
    kindOfPromise(checker, checker.getTypeAtLocation(node), node);
  const visit = (node: ts.Node): void => {
    if (compiler.isExpressionStatement(node)) judgeStatement(node.expression);
    else if (compiler.isAwaitExpression(node)) {
      if (promiseIn(node.expression) === "promises")
        add(
          node,
          "This awaits a list of promises, which does not wait for them. Write await Promise.all(…).",
        );
    } else if (compiler.isReturnStatement(node) && node.expression !== undefined) {
      if (promiseIn(node.expression) === "promises")
        add(node, "This returns a list of promises. Write return Promise.all(…).");
    } else if (isAsyncFunction(node) && isExpectedVoid(checker, node)) {
      add(
        node,
        "An async function is passed where its promise is ignored, so its calls are not awaited. Use for (const x of list) { await …; }, or await Promise.all(list.map(async …)).",
      );
    }
    compiler.forEachChild(node, visit);
  };
  const judgeStatement = (given: ts.Expression): void => {
    let expression = given;
    while (compiler.isParenthesizedExpression(expression) || compiler.isVoidExpression(expression))
      expression = expression.expression;
    if (compiler.isArrowFunction(expression) || compiler.isFunctionExpression(expression)) {
      add(
        expression,
        "This function is never called. Write its statements at the top level; await and return work there.",
      );
      return;
    }
    const isAssignment =
      compiler.isBinaryExpression(expression) &&
      expression.operatorToken.kind >= compiler.SyntaxKind.FirstAssignment &&
      expression.operatorToken.kind <= compiler.SyntaxKind.LastAssignment;
    if (!isAssignment && promiseIn(expression) !== undefined)
      add(expression, "This promise is not awaited, so the script may end before the call does. Add await.");
  };
  const isAsyncFunction = (node: ts.Node): node is ts.ArrowFunction | ts.FunctionExpression =>
    (compiler.isArrowFunction(node) || compiler.isFunctionExpression(node)) &&
    node.modifiers?.some(({ kind }) => kind === compiler.SyntaxKind.AsyncKeyword) === true;
  const isExpectedVoid = (types: ts.TypeChecker, node: ts.ArrowFunction | ts.FunctionExpression): boolean =>
    types
      .getContextualType(node)
      ?.getCallSignatures()
      .some(
        (signature) => (types.getReturnTypeOfSignature(signature).flags & compiler.TypeFlags.Void) !== 0,
      ) === true;
  compiler.forEachChild(body, visit);
  return found;
}

function kindOfPromise(
  checker: ts.TypeChecker,
  type: ts.Type,
  node: ts.Node,
): "promise" | "promises" | undefined {
  const types = type.isUnion() ? type.types : [type];
  const isPromise = (one: ts.Type): boolean => {
    const then = one.getProperty("then");
    return then !== undefined && checker.getTypeOfSymbolAtLocation(then, node).getCallSignatures().length > 0;
  };
  if (types.some(isPromise)) return "promise";
  const items = types.flatMap((one) =>
    checker.isArrayType(one) || checker.isTupleType(one) ? [one.getNumberIndexType() ?? one] : [],
  );
  const members = items.flatMap((item) => (item.isUnion() ? item.types : [item]));
  return members.some(isPromise) ? "promises" : undefined;
}

import type ts from "typescript";

type Compiler = typeof ts;

/** A place in a script that plain TypeScript accepts, and that does not do what it says. */
export interface UnsafePlace {
  readonly node: ts.Node;
  readonly message: string;
}

/** Functions of the compiler that test the kind of a node. */
type NodeTest = {
  [K in keyof Compiler]: Compiler[K] extends (node: ts.Node) => boolean ? K : never;
}[keyof Compiler];

type Kind = "promise" | "promises" | undefined;

/** Where a promise goes: to what waits for it, to a variable, nowhere, or to what cannot wait for it. */
type Use = "awaited" | "dropped" | "misused" | ts.Symbol;

const WAITING = new Set(["all", "allSettled", "any", "race", "resolve"]);
const CHAINS = new Set(["then", "catch", "finally"]);
const ADDING = new Set(["push", "unshift"]);
const ONE =
  "This promise is not awaited, so the script may end before the call does, or take it for its answer. Add await.";
const MANY = "These promises are not awaited. Write await Promise.all(…).";

/**
 * Finds promises that nothing awaits, and functions that nothing calls. Each expression whose type is a promise or a list of
 * promises has to reach await, return, Promise.all or a chain, itself or by a variable of which one use does.
 */
export function findUnsafe(
  compiler: Compiler,
  checker: ts.TypeChecker,
  body: ts.Block,
): readonly UnsafePlace[] {
  const found: UnsafePlace[] = [];
  /** Variables that hold promises, with what fills them. */
  const holders = new Map<ts.Symbol, ts.Node>();
  const awaited = new Set<ts.Symbol>();
  const add = (node: ts.Node, message: string): void => {
    found.push({ node, message });
  };
  const promiseIn = (node: ts.Node): Kind => kindOfPromise(checker, checker.getTypeAtLocation(node), node);
  const symbolOf = (node: ts.Node): ts.Symbol | undefined =>
    compiler.isShorthandPropertyAssignment(node.parent)
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : checker.getSymbolAtLocation(node);
  const hold = (name: ts.Node): Use => {
    if (compiler.isObjectBindingPattern(name)) return "misused";
    return (compiler.isIdentifier(name) ? symbolOf(name) : undefined) ?? "awaited";
  };

  const isVariable = (
    node: ts.Node,
  ): node is ts.VariableDeclaration | ts.BindingElement | ts.ParameterDeclaration =>
    compiler.isVariableDeclaration(node) || compiler.isBindingElement(node) || compiler.isParameter(node);
  const visit = (node: ts.Node): void => {
    if (compiler.isTypeNode(node)) return;
    if (compiler.isExpressionStatement(node) && isUncalled(node.expression)) {
      add(
        node.expression,
        "This function is never called. Write its statements at the top level; await and return work there.",
      );
    } else if (isVariable(node) && compiler.isIdentifier(node.name) && promiseIn(node.name) !== undefined) {
      const symbol = symbolOf(node.name);
      if (symbol !== undefined) holders.set(symbol, node.name);
    } else if (isValue(node)) judge(node);
    compiler.forEachChild(node, visit);
  };
  const judge = (node: ts.Expression): void => {
    if (returnsPromise(node) && isWaitlessCallback(node)) {
      add(
        node,
        "An async function is passed where its promise is ignored, so its calls are not awaited. Use for (const x of list) { await …; }, or await Promise.all(list.map(async …)).",
      );
      return;
    }
    const kind = promiseIn(node);
    const isReference = compiler.isIdentifier(node);
    if (kind === undefined && !isReference) return;
    // What is around it is judged for it.
    if (isTransparent(node)) return;
    const use = useOf(node, kind);
    // Another variable has to be awaited in its place.
    if (isReference && (use === "awaited" || typeof use === "object")) {
      const symbol = symbolOf(node);
      if (symbol !== undefined && symbol !== use) awaited.add(symbol);
    }
    if (kind === undefined) return;
    if (typeof use === "object") {
      if (!holders.has(use)) holders.set(use, node);
    } else if (use === "misused" || (use === "dropped" && !isReference)) {
      add(node, kind === "promise" ? ONE : MANY);
    }
  };
  const isUncalled = (given: ts.Expression): boolean => {
    let node = given;
    while (compiler.isParenthesizedExpression(node) || compiler.isVoidExpression(node))
      node = node.expression;
    return compiler.isArrowFunction(node) || compiler.isFunctionExpression(node);
  };
  const isAssignment = (node: ts.Node): node is ts.BinaryExpression =>
    compiler.isBinaryExpression(node) &&
    node.operatorToken.kind >= compiler.SyntaxKind.FirstAssignment &&
    node.operatorToken.kind <= compiler.SyntaxKind.LastAssignment;
  const isAny = (node: ts.Node, ...tests: readonly NodeTest[]): boolean =>
    tests.some((test) => compiler[test](node));
  const isTransparent = (node: ts.Node): boolean =>
    isAny(node, "isParenthesizedExpression", "isAsExpression", "isNonNullExpression") ||
    isAny(node, "isSatisfiesExpression", "isConditionalExpression", "isBinaryExpression");
  /** Whether a node is an expression that is read: no name of a declaration or of a property, and no target. */
  const isValue = (node: ts.Node): node is ts.Expression => {
    if (!compiler.isExpression(node)) return false;
    const { parent } = node;
    if (isAssignment(parent) && parent.left === node) return false;
    if (!compiler.isIdentifier(node) || compiler.isShorthandPropertyAssignment(parent)) return true;
    if ("name" in parent && parent.name === node) return false;
    return !("propertyName" in parent && parent.propertyName === node);
  };
  const { PlusToken, AmpersandAmpersandToken, BarBarToken, QuestionQuestionToken, CommaToken } =
    compiler.SyntaxKind;
  const PASSES_LEFT = new Set<ts.SyntaxKind>([BarBarToken, QuestionQuestionToken]);
  const PASSES_RIGHT = new Set([...PASSES_LEFT, AmpersandAmpersandToken, CommaToken]);
  const useOf = (node: ts.Expression, kind: Kind): Use => {
    let at: ts.Node = node;
    let isSpread = false;
    for (;;) {
      const { parent } = at;
      if (compiler.isBinaryExpression(parent)) {
        const { left, operatorToken } = parent;
        if (isAssignment(parent) && compiler.isExpressionStatement(parent.parent)) return targetOf(left);
        if (operatorToken.kind === PlusToken) return "misused";
        const passes = left === at ? PASSES_LEFT : PASSES_RIGHT;
        if (!passes.has(operatorToken.kind) && !(left !== at && isAssignment(parent))) return "dropped";
      } else if (compiler.isConditionalExpression(parent)) {
        if (parent.condition === at) return "awaited";
      } else if (compiler.isSpreadElement(parent)) {
        isSpread = true;
      } else if (!isTransparent(parent)) break;
      at = parent;
    }
    const { parent } = at;
    if (compiler.isAwaitExpression(parent) || compiler.isReturnStatement(parent))
      return kind === "promises" ? "misused" : "awaited";
    // TypeScript says that a promise in a condition is always true.
    if (isAny(parent, "isArrowFunction", "isYieldExpression", "isForOfStatement", "isIfStatement"))
      return "awaited";
    if (compiler.isArrayLiteralExpression(parent))
      return kind === "promises" && !isSpread ? "misused" : "awaited";
    if (isVariable(parent)) return hold(parent.name);
    if (compiler.isCallExpression(parent) || compiler.isNewExpression(parent))
      return parent.expression === at ? "awaited" : useOfArgument(parent, at, isSpread);
    if (compiler.isPropertyAccessExpression(parent)) return useOfMember(parent, kind);
    if (compiler.isElementAccessExpression(parent)) return "awaited";
    return isAny(
      parent,
      "isTemplateSpan",
      "isThrowStatement",
      "isExpressionStatement",
      "isObjectLiteralElementLike",
    )
      ? "misused"
      : "dropped";
  };
  /** A variable, or one whose member is assigned to; an object cannot be awaited. */
  const targetOf = (target: ts.Expression): Use => {
    if (compiler.isElementAccessExpression(target)) return targetOf(target.expression);
    return compiler.isPropertyAccessExpression(target) ? "misused" : hold(target);
  };
  const useOfArgument = (
    call: ts.CallExpression | ts.NewExpression,
    argument: ts.Node,
    isSpread: boolean,
  ): Use => {
    const { expression: callee } = call;
    if (compiler.isPropertyAccessExpression(callee)) {
      if (compiler.isIdentifier(callee.expression) && callee.expression.text === "Promise")
        return WAITING.has(callee.name.text) ? "awaited" : "misused";
      if (ADDING.has(callee.name.text)) return targetOf(callee.expression);
    }
    const signature = checker.getResolvedSignature(call);
    const position = (call.arguments ?? []).findIndex((one) => one === argument);
    const parameter = signature?.parameters[position] ?? signature?.parameters.at(-1);
    if (parameter === undefined) return "misused";
    const declared = parameter.valueDeclaration;
    // A parameter without a type is a variable of the script.
    const isOwn = declared?.getSourceFile() === body.getSourceFile();
    if (isOwn && compiler.isParameter(declared) && declared.type === undefined) return hold(declared.name);
    const type = checker.getTypeOfSymbolAtLocation(parameter, call);
    return isSpread || kindOfPromise(checker, type, call) !== undefined ? "awaited" : "misused";
  };
  const useOfMember = (member: ts.PropertyAccessExpression, kind: Kind): Use => {
    const { name, parent } = member;
    // TypeScript refuses other members of promises.
    if (kind !== "promises") return kind === "promise" || CHAINS.has(name.text) ? "awaited" : "dropped";
    if (ADDING.has(name.text) || !compiler.isCallExpression(parent)) return "dropped";
    const takesPromises = parent.arguments
      .flatMap((argument) => checker.getTypeAtLocation(argument).getCallSignatures())
      .some(({ parameters }) => parameters.length > 0);
    return takesPromises || promiseIn(parent) !== undefined ? "awaited" : "dropped";
  };
  const returnsOf = (type: ts.Type | undefined): readonly ts.Type[] =>
    (type?.getCallSignatures() ?? []).map((signature) => checker.getReturnTypeOfSignature(signature));
  const returnsPromise = (node: ts.Expression): boolean =>
    returnsOf(checker.getTypeAtLocation(node)).some(
      (type) => kindOfPromise(checker, type, node) !== undefined,
    );
  const { Void, Unknown, BooleanLike } = compiler.TypeFlags;
  const isWaitlessCallback = (node: ts.Expression): boolean =>
    returnsOf(checker.getContextualType(node)).some(
      ({ flags }) => (flags & (Void | Unknown | BooleanLike)) !== 0,
    );

  compiler.forEachChild(body, visit);
  for (const [symbol, node] of holders)
    if (!awaited.has(symbol)) add(node, promiseIn(node) === "promises" ? MANY : ONE);
  return found;
}

function kindOfPromise(checker: ts.TypeChecker, type: ts.Type, node: ts.Node): Kind {
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

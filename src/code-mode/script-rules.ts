import type ts from "typescript";

/** A place in a script that plain TypeScript accepts, and that does not do what it says. */
export interface UnsafePlace {
  readonly node: ts.Node;
  readonly message: string;
}

type Variable = ts.VariableDeclaration | ts.BindingElement | ts.ParameterDeclaration;
type Kind = keyof typeof MESSAGES | undefined;

/** Where a promise goes: to what waits for it, to a variable, to what only looks at it, or to what cannot wait for it. */
type Use = "awaited" | "seen" | "lost" | ts.Symbol;

const WAITING = new Set(["all", "allSettled", "any", "race", "resolve"]);
const CHAINS = new Set(["then", "catch", "finally"]);
const ADDING = new Set(["push", "unshift"]);
const MESSAGES = {
  promise:
    "This promise is not awaited, so the script may end before the call does, or take it for its answer. Add await.",
  promises: "These promises are not awaited. Write await Promise.all(…).",
};
const CALLBACK =
  "An async function is passed where its promise is ignored, so its calls are not awaited. Use for (const x of list) { await …; }, or await Promise.all(list.map(async …)).";
const UNCALLED =
  "This function is never called. Write its statements at the top level; await and return work there.";

const CODE = "Code in a text is not checked and does not run. Write it in the script.";
const TWICE =
  "Two assertions hide mistakes from the check. Assert the type once, or read an answer with parse(…).";
const HIDES = "is passed on, which hides calls from the check";
/** Globals that make code from a text, and the type of all functions, whose "constructor" does it too. */
const MAKERS: readonly string[] = ["eval", "Function", "FunctionConstructor"];

/**
 * Finds what hides calls or their arguments from the check: assertions that everything fits, code in a text, and servers and
 * functions of servers that are passed on, since they may lose their types on the way.
 */
export function findHiding(
  compiler: typeof ts,
  checker: ts.TypeChecker,
  body: ts.Block,
): readonly UnsafePlace[] {
  const places: UnsafePlace[] = [];
  const visit = (node: ts.Node): void => {
    if (compiler.isTypeNode(node)) return;
    const message = compiler.isExpression(node) ? explain(node) : undefined;
    if (message !== undefined) places.push({ node, message });
    compiler.forEachChild(node, visit);
  };
  const explain = (node: ts.Expression): string | undefined => {
    if (compiler.isAssertionExpression(node)) return explainAssertion(node);
    if (compiler.isCallExpression(node) || compiler.isNewExpression(node))
      return makesCode(checker.getTypeAtLocation(node.expression).symbol) ? CODE : undefined;
    const { parent } = node;
    const isMember = compiler.isPropertyAccessExpression(node) || compiler.isElementAccessExpression(node);
    if (!isMember && (!compiler.isIdentifier(node) || isName(node))) return undefined;
    const symbol = compiler.isShorthandPropertyAssignment(parent)
      ? checker.getShorthandAssignmentValueSymbol(parent)
      : checker.getSymbolAtLocation(node);
    if (makesCode(symbol)) return CODE;
    const place = wholeOf(node);
    const name = node.getText();
    if (symbol?.name === "globalThis" || symbol?.declarations?.some(isServer) === true)
      return isNamed(place) ? undefined : `'${name}' ${HIDES}. Call its functions by their names.`;
    const signatures = checker.getTypeAtLocation(node).getCallSignatures();
    const isTool = signatures.some(({ declaration }) => isIn("/servers/", declaration));
    const isCalled = compiler.isCallExpression(place.parent) && place.parent.expression === place;
    if (!isTool || isCalled) return undefined;
    return `'${name}' ${HIDES}. Pass a function that calls it: (args) => ${name}(args).`;
  };
  const explainAssertion = ({ type, expression }: ts.AssertionExpression): string | undefined => {
    const { AnyKeyword, NeverKeyword } = compiler.SyntaxKind;
    const { Any, Never } = compiler.TypeFlags;
    const fitsAll = (node: ts.Node): boolean =>
      node.kind === AnyKeyword || node.kind === NeverKeyword || compiler.forEachChild(node, fitsAll) === true;
    let inner = expression;
    while (compiler.isParenthesizedExpression(inner)) inner = inner.expression;
    if (compiler.isAssertionExpression(inner)) return TWICE;
    if (!fitsAll(type) && (checker.getTypeFromTypeNode(type).flags & (Any | Never)) === 0) return undefined;
    if (makesCode(checker.getTypeAtLocation(inner).symbol)) return CODE;
    let root = inner;
    while (compiler.isPropertyAccessExpression(root)) root = root.expression;
    // Objects of the language have no calls to hide.
    if (isIn("/lib/", checker.getSymbolAtLocation(root)?.declarations?.[0])) return undefined;
    return `'as ${type.getText()}' hides mistakes from the check. Read an answer with parse(…), or assert its type.`;
  };
  const isIn = (folder: "/lib/" | "/servers/", node: ts.Node | undefined): boolean =>
    node?.getSourceFile().fileName.startsWith(folder) === true;
  const makesCode = (symbol: ts.Symbol | undefined): boolean =>
    symbol !== undefined && MAKERS.includes(symbol.name) && isIn("/lib/", symbol.declarations?.[0]);
  const isServer = (node: ts.Node): boolean => isIn("/servers/", node) && compiler.isSourceFile(node.parent);
  const isName = (node: ts.Identifier): boolean => {
    const { parent } = node;
    if (compiler.isBindingElement(parent)) return parent.initializer !== node;
    return (
      (compiler.isPropertyAccessExpression(parent) || compiler.isPropertyAssignment(parent)) &&
      parent.name === node
    );
  };
  const wholeOf = (node: ts.Node): ts.Node =>
    compiler.isParenthesizedExpression(node.parent) || compiler.isNonNullExpression(node.parent)
      ? wholeOf(node.parent)
      : node;
  /** Whether a place only takes members of a value, by names that are written there. */
  const isNamed = (place: ts.Node): boolean => {
    const { parent } = place;
    if (compiler.isPropertyAccessExpression(parent)) return true;
    if (compiler.isElementAccessExpression(parent))
      return parent.expression === place && compiler.isStringLiteralLike(parent.argumentExpression);
    if (!compiler.isVariableDeclaration(parent) || !compiler.isObjectBindingPattern(parent.name))
      return false;
    return parent.name.elements.every(
      ({ name, propertyName = name, dotDotDotToken }) =>
        dotDotDotToken === undefined && compiler.isIdentifier(name) && compiler.isIdentifier(propertyName),
    );
  };
  compiler.forEachChild(body, visit);
  return places;
}

/**
 * Finds promises that nothing awaits, and functions that nothing calls. Each expression whose type is a promise or a list of
 * promises has to reach await, return, Promise.all or a chain, itself or by a variable of which one use does.
 */
export function findUnsafe(
  compiler: typeof ts,
  checker: ts.TypeChecker,
  body: ts.Block,
): readonly UnsafePlace[] {
  const places: UnsafePlace[] = [];
  /** Variables that hold promises, with what fills them. */
  const holders = new Map<ts.Symbol, ts.Node>();
  const awaited = new Set<ts.Symbol>();
  const functions = new Map<ts.Symbol, ts.Node>();
  const called = new Set<ts.Symbol>();
  const USES = usesOf(compiler);

  const visit = (node: ts.Node): void => {
    if (compiler.isTypeNode(node)) return;
    if (isVariable(node) || compiler.isFunctionDeclaration(node)) declare(node);
    else if (compiler.isExpression(node) && !isKey(node)) judge(node);
    compiler.forEachChild(node, visit);
  };
  const declare = (node: Variable | ts.FunctionDeclaration): void => {
    const { name } = node;
    const symbol = name && compiler.isIdentifier(name) ? symbolOf(name) : undefined;
    if (symbol === undefined || name === undefined) return;
    if (kindOf(name) !== undefined) holders.set(symbol, name);
    const value = compiler.isVariableDeclaration(node) ? node.initializer : node;
    if (value !== undefined && isFunction(value)) functions.set(symbol, name);
  };
  const judge = (node: ts.Expression): void => {
    const whole = wholeOf(node);
    const isDropped = compiler.isExpressionStatement(whole.parent) || compiler.isVoidExpression(whole.parent);
    if (ignoresPromise(node)) places.push({ node, message: CALLBACK });
    else if (isFunction(node) && isDropped) places.push({ node, message: UNCALLED });
    else if (partsOf(node).length === 0 && !isAssignment(node)) judgePart(node, useOf(whole, kindOf(node)));
  };
  const judgePart = (node: ts.Expression, use: Use): void => {
    const symbol = compiler.isIdentifier(node) ? symbolOf(node) : undefined;
    // A name that is declared or assigned to is not read.
    if (symbol !== undefined && symbol !== use) {
      const { valueDeclaration: declaration } = symbol;
      if (declaration === undefined || node.pos < declaration.pos || node.pos >= declaration.end)
        called.add(symbol);
      if (use !== "seen" && use !== "lost") awaited.add(symbol);
    }
    const kind = kindOf(node);
    if (kind === undefined) return;
    if (typeof use === "object") {
      if (!holders.has(use)) holders.set(use, node);
    } else if (use === "lost" || (use === "seen" && symbol === undefined))
      places.push({ node, message: MESSAGES[kind] });
  };

  const symbolOf = (node: ts.Node): ts.Symbol | undefined =>
    compiler.isShorthandPropertyAssignment(node.parent)
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : checker.getSymbolAtLocation(node);
  const kindOf = (node: ts.Node): Kind => kindOfPromise(checker, checker.getTypeAtLocation(node), node);
  const isVariable = (node: ts.Node): node is Variable =>
    compiler.isVariableDeclaration(node) || compiler.isBindingElement(node) || compiler.isParameter(node);
  const isKey = ({ parent, pos }: ts.Node): boolean =>
    compiler.isPropertyAssignment(parent) && parent.name.pos === pos;
  const isFunction = (node: ts.Node): boolean =>
    compiler.isArrowFunction(node) ||
    compiler.isFunctionExpression(node) ||
    compiler.isFunctionDeclaration(node);
  const isAssignment = (node: ts.Node): node is ts.BinaryExpression =>
    compiler.isBinaryExpression(node) &&
    node.operatorToken.kind >= compiler.SyntaxKind.FirstAssignment &&
    node.operatorToken.kind <= compiler.SyntaxKind.LastAssignment;

  /** The parts of which an expression has the value. */
  const partsOf = (node: ts.Node): readonly ts.Node[] => {
    const { BarBarToken, QuestionQuestionToken, AmpersandAmpersandToken, CommaToken } = compiler.SyntaxKind;
    if (compiler.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse];
    if (compiler.isBinaryExpression(node)) {
      const { left, right, operatorToken } = node;
      const { kind } = operatorToken;
      if (kind === BarBarToken || kind === QuestionQuestionToken) return [left, right];
      const isAssigned = isAssignment(node) && !compiler.isExpressionStatement(node.parent);
      return isAssigned || kind === AmpersandAmpersandToken || kind === CommaToken ? [right] : [];
    }
    return compiler.isParenthesizedExpression(node) ||
      compiler.isAsExpression(node) ||
      compiler.isNonNullExpression(node) ||
      compiler.isSatisfiesExpression(node) ||
      compiler.isSpreadElement(node)
      ? [node.expression]
      : [];
  };
  const wholeOf = (node: ts.Node): ts.Node =>
    partsOf(node.parent).includes(node) ? wholeOf(node.parent) : node;
  const useOf = (node: ts.Node, kind: Kind): Use => {
    const { parent } = node;
    if (compiler.isAwaitExpression(parent) || compiler.isReturnStatement(parent))
      return kind === "promises" ? "lost" : "awaited";
    if (compiler.isArrayLiteralExpression(parent))
      return kind === "promises" && !compiler.isSpreadElement(node) ? "lost" : "awaited";
    if (isVariable(parent)) return hold(parent.name);
    if (isAssignment(parent)) return hold(parent.left);
    if (compiler.isCallExpression(parent) || compiler.isNewExpression(parent))
      return parent.expression === node ? "awaited" : useOfArgument(parent, node);
    if (compiler.isPropertyAccessExpression(parent)) return useOfMember(parent, kind);
    if (compiler.isBinaryExpression(parent))
      return parent.operatorToken.kind === compiler.SyntaxKind.PlusToken ? "lost" : "seen";
    return USES.get(parent.kind) ?? "seen";
  };
  /** The variable that a promise is put into, or into a list in it; an object cannot be awaited. */
  const hold = (target: ts.Node): Use => {
    if (compiler.isElementAccessExpression(target)) return hold(target.expression);
    if (compiler.isPropertyAccessExpression(target) || compiler.isObjectBindingPattern(target)) return "lost";
    return (compiler.isIdentifier(target) ? symbolOf(target) : undefined) ?? "awaited";
  };
  const useOfArgument = (call: ts.CallExpression | ts.NewExpression, argument: ts.Node): Use => {
    const { expression: callee, arguments: args = [] } = call;
    if (compiler.isPropertyAccessExpression(callee)) {
      if (compiler.isIdentifier(callee.expression) && callee.expression.text === "Promise")
        return WAITING.has(callee.name.text) ? "awaited" : "lost";
      if (ADDING.has(callee.name.text)) return hold(callee.expression);
    }
    const parameters = checker.getResolvedSignature(call)?.parameters ?? [];
    const parameter =
      parameters[args.findIndex((expression) => expression === argument)] ?? parameters.at(-1);
    if (parameter === undefined) return "lost";
    const declared = parameter.valueDeclaration;
    // A parameter without a type is a variable of the script.
    if (declared !== undefined && compiler.isParameter(declared) && declared.type === undefined)
      return hold(declared.name);
    const type = checker.getTypeOfSymbolAtLocation(parameter, call);
    return kindOfPromise(checker, type, call) === undefined ? "lost" : "awaited";
  };
  const useOfMember = ({ name, parent }: ts.PropertyAccessExpression, kind: Kind): Use => {
    // TypeScript refuses other members of promises.
    if (kind !== "promises") return kind === "promise" || CHAINS.has(name.text) ? "awaited" : "seen";
    return compiler.isCallExpression(parent) && kindOf(parent) !== undefined ? "awaited" : "seen";
  };
  const returnsOf = (type: ts.Type | undefined): readonly ts.Type[] =>
    (type?.getCallSignatures() ?? []).map((signature) => checker.getReturnTypeOfSignature(signature));
  /** Whether an expression is a function, and its place ignores the promise that it returns. */
  const ignoresPromise = (node: ts.Expression): boolean => {
    const { Void, Unknown, BooleanLike } = compiler.TypeFlags;
    const wanted = returnsOf(checker.getContextualType(node));
    if (!wanted.some(({ flags }) => (flags & (Void | Unknown | BooleanLike)) !== 0)) return false;
    const returned = returnsOf(checker.getTypeAtLocation(node));
    return returned.some((type) => kindOfPromise(checker, type, node) !== undefined);
  };

  compiler.forEachChild(body, visit);
  for (const [symbol, node] of holders)
    if (!awaited.has(symbol)) places.push({ node, message: MESSAGES[kindOf(node) ?? "promise"] });
  for (const [symbol, node] of functions)
    if (!called.has(symbol)) places.push({ node, message: `Function '${symbol.name}' is never called.` });
  return places;
}

/** What parents of a promise do with it, where only their kind counts. Others look at it. */
function usesOf({ SyntaxKind }: typeof ts): ReadonlyMap<ts.SyntaxKind, Use> {
  return new Map<ts.SyntaxKind, Use>([
    [SyntaxKind.ArrowFunction, "awaited"],
    [SyntaxKind.YieldExpression, "awaited"],
    [SyntaxKind.ForOfStatement, "awaited"],
    [SyntaxKind.ElementAccessExpression, "awaited"],
    [SyntaxKind.TemplateSpan, "lost"],
    [SyntaxKind.ThrowStatement, "lost"],
    [SyntaxKind.ExpressionStatement, "lost"],
    [SyntaxKind.PropertyAssignment, "lost"],
    [SyntaxKind.ShorthandPropertyAssignment, "lost"],
    [SyntaxKind.SpreadAssignment, "lost"],
  ]);
}

function kindOfPromise(checker: ts.TypeChecker, type: ts.Type, node: ts.Node): Kind {
  const types = type.isUnion() ? type.types : [type];
  const isPromise = (candidate: ts.Type): boolean => {
    const then = candidate.getProperty("then");
    return then !== undefined && checker.getTypeOfSymbolAtLocation(then, node).getCallSignatures().length > 0;
  };
  if (types.some(isPromise)) return "promise";
  const items = types.flatMap((candidate) =>
    checker.isArrayType(candidate) || checker.isTupleType(candidate)
      ? [candidate.getNumberIndexType() ?? candidate]
      : [],
  );
  const members = items.flatMap((item) => (item.isUnion() ? item.types : [item]));
  return members.some(isPromise) ? "promises" : undefined;
}

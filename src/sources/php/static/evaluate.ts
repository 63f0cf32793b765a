import {
  childOf,
  childrenAt,
  isPhpNode,
  lineOf,
  nameOf,
  type PhpNode,
  arrayOf,
  mergeArrays,
  type PhpArray,
  type PhpValue,
} from "./php-tree.js";

/** The part of an expression that is only known when PHP runs. */
export class Dynamic extends Error {
  override readonly name = "Dynamic";

  constructor(what: string, node: PhpNode) {
    super(`${what} in line ${lineOf(node)}`);
  }
}

/** The declarations that names refer to. */
export interface Scope {
  readonly constants: ReadonlyMap<string, PhpNode>;
  readonly functions: ReadonlyMap<string, PhpNode>;
  readonly classes: ReadonlyMap<string, PhpClass>;
  /** The class around the expression. */
  readonly own?: PhpClass;
  /** Variables with a single value. */
  readonly variables: ReadonlyMap<string, PhpNode>;
  /** The depth of nested calls and constants. */
  readonly depth: number;
}

export interface PhpClass {
  readonly name: string;
  readonly constants: ReadonlyMap<string, PhpNode>;
  readonly methods: ReadonlyMap<string, PhpNode>;
  /** Whether another class extends it, and may override its members. */
  readonly isExtended: boolean;
}

/** Deeper expressions are circular. */
const DEEPEST = 50;

/** Functions that return their first argument, as the text in the source. */
const TEXTS = new Set(["__", "_x", "esc_html__", "esc_attr__", "esc_html_x", "esc_attr_x", "translate"]);

/** Returns the value of a static expression. Throws {@link Dynamic} for others. */
export function evaluate(node: PhpNode, scope: Scope): PhpValue {
  if (scope.depth > DEEPEST) throw new Dynamic("a circular reference", node);
  switch (node.kind) {
    case "string":
    case "nowdoc":
      return String(node["value"]);
    case "number":
      return Number(String(node["value"]).replaceAll("_", ""));
    case "boolean":
      return node["value"] === true;
    case "nullkeyword":
      return null;
    case "array":
      return evaluateArray(node, scope);
    case "bin":
      return evaluateOperator(node, scope);
    case "unary":
      return evaluateSign(node, scope);
    case "name":
      return evaluateConstant(node, scope);
    case "staticlookup":
      return evaluateClassConstant(node, scope);
    case "call":
      return evaluateCall(node, scope);
    case "variable":
      return evaluateVariable(node, scope);
    case "encapsed":
      return childrenAt(node, "value")
        .map((part) => textOf(evaluate(childOf(part, "expression") ?? part, scope), part))
        .join("");
    default:
      throw new Dynamic(DESCRIPTIONS[node.kind] ?? "an expression", node);
  }
}

const DESCRIPTIONS: { readonly [kind: string]: string | undefined } = {
  retif: "a condition",
  propertylookup: "a property",
  offsetlookup: "a part of an array",
  closure: "a closure",
  arrowfunc: "a closure",
  new: "an object",
};

function evaluateArray(node: PhpNode, scope: Scope): PhpArray {
  return arrayOf(
    childrenAt(node, "items").map((item) => {
      const [key, value] = [childOf(item, "key"), childOf(item, "value")];
      if (item["unpack"] === true || item["byRef"] === true || value === undefined)
        throw new Dynamic("an unpacked list", node);
      return [key && evaluate(key, scope), evaluate(value, scope)];
    }),
  );
}

function evaluateOperator(node: PhpNode, scope: Scope): PhpValue {
  const [left, right] = (["left", "right"] as const).map((side) => {
    const operand = childOf(node, side);
    if (operand === undefined) throw new Dynamic("an operator", node);
    return evaluate(operand, scope);
  });
  if (node["type"] === ".") return textOf(left ?? null, node) + textOf(right ?? null, node);
  if (node["type"] === "+" && isArray(left) && isArray(right)) return new Map([...left, ...right, ...left]);
  if (typeof left === "number" && typeof right === "number") {
    if (node["type"] === "+") return left + right;
    if (node["type"] === "-") return left - right;
    if (node["type"] === "*") return left * right;
  }
  throw new Dynamic(`the operator ${JSON.stringify(node["type"])}`, node);
}

function evaluateSign(node: PhpNode, scope: Scope): PhpValue {
  const operand = childOf(node, "what");
  const value = operand && evaluate(operand, scope);
  if (node["type"] === "-" && typeof value === "number") return -value;
  if (node["type"] === "!" && typeof value === "boolean") return !value;
  throw new Dynamic("an operator", node);
}

function evaluateConstant(node: PhpNode, scope: Scope): PhpValue {
  const name = nameOf(node) ?? "";
  const found = scope.constants.get(name);
  if (found === undefined) throw new Dynamic(`the constant ${name}`, node);
  return evaluate(found, { ...scope, variables: new Map(), depth: scope.depth + 1 });
}

function evaluateClassConstant(node: PhpNode, scope: Scope): PhpValue {
  const name = nameOf(childOf(node, "offset")) ?? "";
  const owner = classOf(childOf(node, "what"), scope);
  const found = owner?.constants.get(name);
  if (owner === undefined || found === undefined) throw new Dynamic(`the constant ${name} of a class`, node);
  return evaluate(found, { ...scope, own: owner, variables: new Map(), depth: scope.depth + 1 });
}

function evaluateCall(node: PhpNode, scope: Scope): PhpValue {
  const what = childOf(node, "what");
  const passed = childrenAt(node, "arguments");
  if (what === undefined) throw new Dynamic("a call", node);
  if (what.kind === "name") {
    const name = nameOf(what) ?? "";
    const [first] = passed;
    if (TEXTS.has(name) && first !== undefined) return evaluate(first, scope);
    const known = BUILT_IN[name];
    if (known !== undefined)
      return known(
        passed.map((argument) => evaluate(argument, scope)),
        node,
      );
    const declared = scope.functions.get(name);
    if (declared !== undefined) return evaluateBody(declared, passed, node, scope);
    throw new Dynamic(`the function ${name}()`, node);
  }
  const name = nameOf(childOf(what, "offset")) ?? "";
  const isMethod = what.kind === "staticlookup" || what.kind === "propertylookup";
  const owner = isMethod ? classOf(childOf(what, "what"), scope) : undefined;
  const method = owner?.methods.get(name);
  if (owner === undefined || method === undefined) throw new Dynamic(`the method ${name}()`, node);
  return evaluateBody(method, passed, node, { ...scope, own: owner });
}

/** Evaluates a function without parameters whose body is one `return`. */
function evaluateBody(declared: PhpNode, passed: readonly PhpNode[], node: PhpNode, scope: Scope): PhpValue {
  const body = childOf(declared, "body");
  const [only, ...more] = body === undefined ? [] : childrenAt(body, "children");
  const value = only?.kind === "return" ? childOf(only, "expr") : undefined;
  if (value === undefined || more.length + passed.length + childrenAt(declared, "arguments").length > 0)
    throw new Dynamic(`the call of ${nameOf(declared) ?? "a function"}()`, node);
  return evaluate(value, { ...scope, variables: new Map(), depth: scope.depth + 1 });
}

function evaluateVariable(node: PhpNode, scope: Scope): PhpValue {
  const name = nameOf(node) ?? "";
  const value = scope.variables.get(name);
  if (value === undefined) throw new Dynamic(`the variable $${name}`, node);
  return evaluate(value, { ...scope, depth: scope.depth + 1 });
}

/** Returns the class of `self`, `static`, `$this` or a name; undefined when a subclass may override it. */
function classOf(what: PhpNode | undefined, { own, classes }: Scope): PhpClass | undefined {
  if (what === undefined) return undefined;
  if (what.kind === "selfreference") return own;
  if (what.kind === "staticreference" || (what.kind === "variable" && nameOf(what) === "this"))
    return own?.isExtended === true ? undefined : own;
  return what.kind === "name" ? classes.get(nameOf(what) ?? "") : undefined;
}

type BuiltIn = (values: readonly PhpValue[], node: PhpNode) => PhpValue;

const BUILT_IN: { readonly [name: string]: BuiltIn | undefined } = {
  array_merge: (values, node) => mergeArrays(values.map((value) => getArray(value, node))),
  array_keys: ([array = null], node) =>
    arrayOf([...getArray(array, node).keys()].map((key) => [undefined, key])),
  array_values: ([array = null], node) =>
    arrayOf([...getArray(array, node).values()].map((value) => [undefined, value])),
};

function getArray(value: PhpValue, node: PhpNode): PhpArray {
  if (isArray(value)) return value;
  throw new Dynamic("a value that is not a list", node);
}

function isArray(value: PhpValue | undefined): value is PhpArray {
  return value instanceof Map;
}

function textOf(value: PhpValue, node: PhpNode): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" && Number.isInteger(value)) return String(value);
  throw new Dynamic("a value that is not a string", isPhpNode(node) ? node : { kind: "" });
}
